package ecs

import (
	"fmt"
	"reflect"

	"github.com/tactusgo/tactus/internal/order"
)

// rowTypes has the compiled row structs of a world.
type rowTypes struct {
	walked  map[rowKey]*row
	spawns  map[reflect.Type]*spawnRow
	spawned *spawnRow    // the last one used
	places  []order.Item // scratch of EachInOrder, used as a stack
}

// form is the form of the fields of a row struct.
type form uint8

const (
	formPointers form = iota // Each: *T
	formValues               // All: T
	formMixed                // Rows: *T and T
)

func (f form) String() string {
	return [...]string{"pointers to components", "component values", "pointers to components and component values"}[f]
}

// rowField is one component field of a row struct.
type rowField struct {
	offset uintptr
	index  int // index of the component
	size   uintptr
	copied bool // the value is copied into the row struct, for Rows
}

// row is a compiled row struct in one world.
type row struct {
	fields  []rowField
	entity  uintptr // offset of the Entity field of a row of pointers
	named   bool    // the row has an Entity field
	require mask
	exclude mask
	tables  []*table
	crew    any // the *crew for rows of this type in Rows; nil until needed
}

// With requires the component T, as an embedded or normal field of a row struct, without accessing its value. Without[T]
// excludes it.
type With[T any] struct{}

// Without excludes entities that have the component T, as a field of a row struct.
type Without[T any] struct{}

func (With[T]) rowFilter() (reflect.Type, bool)    { return reflect.TypeFor[T](), true }
func (Without[T]) rowFilter() (reflect.Type, bool) { return reflect.TypeFor[T](), false }

type rowFilter interface{ rowFilter() (reflect.Type, bool) }

// nothing is the target of pointers to components without fields.
var nothing struct{}

// rowKey identifies a compiled row struct.
type rowKey struct {
	typ  reflect.Type
	form form
}

// rowOf returns a compiled row struct, compiling it once per world.
func (w *World) rowOf(t reflect.Type, f form) *row {
	call := [...]string{"Each", "All", "Rows"}[f]
	if w == nil {
		panic("ecs: " + call + " of a nil World: a client has a World and a View once it is connected")
	}
	w.check.handlers.refuseRead(call)
	r := w.rows.walked[rowKey{t, f}]
	if r == nil {
		r = compileRow(w.setup.protocol, t, f)
		w.rows.walked[rowKey{t, f}] = r
		for _, tab := range w.storage.tables {
			r.offer(tab)
		}
	}
	if f != formValues {
		w.check.handlers.refuseWrite(call)
	}
	return r
}

// compileRow compiles a row struct for iteration.
func compileRow(p *Protocol, t reflect.Type, f form) *row {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("ecs: a row is a struct of %s, not %s", f, t))
	}
	r := &row{}
	r.exclude.set(p.core.suspended.index)
	for sf := range t.Fields() {
		if flt, ok := reflect.Zero(sf.Type).Interface().(rowFilter); ok && sf.Type.Size() == 0 {
			ct, with := flt.rowFilter()
			if c := p.need(ct); with {
				r.require.set(c.index)
			} else {
				r.exclude.set(c.index)
			}
			continue
		}
		if f == formPointers && sf.Type == reflect.TypeFor[Entity]() {
			r.entity, r.named = sf.Offset, true
			continue
		}
		c := componentOf(p, t, sf, f)
		if sf.Tag.Get("ecs") != "optional" && c != p.core.self {
			r.require.set(c.index)
		}
		copied := f == formValues || f == formMixed && sf.Type.Kind() != reflect.Pointer
		if copied && c.size == 0 {
			continue
		}
		if len(r.fields) == maxRowFields {
			panic(fmt.Sprintf("ecs: row %s has more than %d components; reach the rest with ecs.Get", t, maxRowFields))
		}
		r.fields = append(r.fields, rowField{sf.Offset, c.index, c.size, copied})
	}
	if r.require == (mask{}) {
		panic(fmt.Sprintf("ecs: row %s has no component: add at least one that is not optional", t))
	}
	return r
}

// componentOf returns the component of a field of the row struct t. A field of type
// Entity reads the component that every entity has.
func componentOf(p *Protocol, t reflect.Type, sf reflect.StructField, f form) *Component {
	ct, kind := sf.Type, sf.Type.Kind()
	if f == formPointers && kind != reflect.Pointer || f == formValues && kind == reflect.Pointer || kind == reflect.Slice {
		panic(fmt.Sprintf("ecs: field %s.%s is %s, but this row is one of %s: Each and EachInOrder take pointers, All takes values, Rows takes pointers and values", t, sf.Name, ct, f))
	}
	if kind == reflect.Pointer {
		ct = ct.Elem()
	}
	if ct == reflect.TypeFor[Entity]() && f != formPointers {
		return p.core.self
	}
	return p.need(ct)
}

// offer adds a table that r matches.
func (r *row) offer(t *table) {
	if t.mask.contains(&r.require) && !t.mask.intersects(&r.exclude) {
		r.tables = append(r.tables, t)
	}
}
