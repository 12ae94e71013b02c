package ecs

import (
	"fmt"
	"reflect"
	"unsafe"
)

// form is what the fields of a row struct are.
type form uint8

const (
	formPointers form = iota // Each: *T
	formValues               // All: T
	formSlices               // Chunks: []T
)

func (f form) String() string {
	return [...]string{"pointers to components", "component values", "slices of components"}[f]
}

// rowField is one component field of a row struct.
type rowField struct {
	offset   uintptr
	index    int // of the component
	size     uintptr
	optional bool
}

// row is a compiled row struct in one world.
type row struct {
	form    form
	fields  []rowField
	entity  int // offset of an Entity (or []Entity) field, -1 when there is none
	require mask
	exclude mask
	tables  []*table
}

// With, embedded or as a field of a row struct, asks for the component T
// without touching it. Without[T] asks for its absence.
type With[T any] struct{}

// Without in a row struct leaves out entities that have the component T.
type Without[T any] struct{}

func (With[T]) rowFilter() (reflect.Type, bool)    { return reflect.TypeFor[T](), true }
func (Without[T]) rowFilter() (reflect.Type, bool) { return reflect.TypeFor[T](), false }

type rowFilter interface{ rowFilter() (reflect.Type, bool) }

// nothing is what a pointer to a component without fields points at.
var nothing struct{}

// rowOf compiles R once a world.
func rowOf[R any](w *World, f form) *row {
	t := reflect.TypeFor[R]()
	r := w.rows[t]
	if r == nil {
		r = w.compileRow(t, f)
		w.rows[t] = r
		for _, tab := range w.tables {
			r.offer(tab)
		}
	}
	if r.form != f {
		panic(fmt.Sprintf("ecs: %s is a row of %s, not of %s: Each takes pointers, All takes values, Chunks takes slices", t, r.form, f))
	}
	return r
}

func (w *World) compileRow(t reflect.Type, f form) *row {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("ecs: a row is a struct of %s, not %s", f, t))
	}
	r := &row{form: f, entity: -1}
	entityType := reflect.TypeFor[Entity]()
	if f == formSlices {
		entityType = reflect.TypeFor[[]Entity]()
	}
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.Type == entityType {
			r.entity = int(sf.Offset)
			continue
		}
		if flt, ok := reflect.Zero(sf.Type).Interface().(rowFilter); ok && sf.Type.Size() == 0 {
			ct, with := flt.rowFilter()
			if c := w.need(ct); with {
				r.require.set(c.index)
			} else {
				r.exclude.set(c.index)
			}
			continue
		}
		ct := sf.Type
		if f != formValues {
			if want := [...]reflect.Kind{formPointers: reflect.Pointer, formSlices: reflect.Slice}[f]; ct.Kind() != want {
				panic(fmt.Sprintf("ecs: field %s.%s is %s; the fields of this row are %s", t, sf.Name, ct, f))
			}
			ct = ct.Elem()
		}
		c := w.need(ct)
		optional := sf.Tag.Get("ecs") == "optional"
		if !optional {
			r.require.set(c.index)
		}
		if f == formValues && c.size == 0 {
			continue
		}
		r.fields = append(r.fields, rowField{sf.Offset, c.index, c.size, optional})
	}
	if r.require == (mask{}) {
		panic(fmt.Sprintf("ecs: row %s asks for no component; give it at least one that is not optional", t))
	}
	return r
}

// offer adds a table that r matches.
func (r *row) offer(t *table) {
	if t.mask.contains(&r.require) && !t.mask.intersects(&r.exclude) {
		r.tables = append(r.tables, t)
	}
}

// aim points the fields of the row struct at p to row i of t.
func (r *row) aim(p unsafe.Pointer, t *table, i int) {
	for k := range r.fields {
		f := &r.fields[k]
		var at unsafe.Pointer
		switch {
		case !t.mask.has(f.index): // optional and absent
		case f.size == 0:
			at = unsafe.Pointer(&nothing)
		default:
			at = unsafe.Add(t.cols[f.index], uintptr(i)*f.size)
		}
		*(*unsafe.Pointer)(unsafe.Add(p, f.offset)) = at
	}
}

// load copies row i of t into the row struct at p.
func (r *row) load(p unsafe.Pointer, t *table, i int) {
	for k := range r.fields {
		f := &r.fields[k]
		dst := unsafe.Slice((*byte)(unsafe.Add(p, f.offset)), f.size)
		if col := t.cols[f.index]; col != nil {
			copy(dst, unsafe.Slice((*byte)(unsafe.Add(col, uintptr(i)*f.size)), f.size))
		} else {
			clear(dst)
		}
	}
}

// slices sets the slice fields of the row struct at p to rows i..i+n of t.
func (r *row) slices(p unsafe.Pointer, t *table, i, n int) {
	type header struct {
		data     unsafe.Pointer
		len, cap int
	}
	for k := range r.fields {
		f := &r.fields[k]
		h := (*header)(unsafe.Add(p, f.offset))
		switch {
		case !t.mask.has(f.index):
			*h = header{}
		case f.size == 0:
			*h = header{unsafe.Pointer(&nothing), n, n}
		default:
			*h = header{unsafe.Add(t.cols[f.index], uintptr(i)*f.size), n, n}
		}
	}
}
