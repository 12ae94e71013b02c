package lagcomp

import (
	"iter"
	"reflect"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// row is what has to be done about the fields of a row struct.
type row struct{ fields []field }

// field is a component in a row struct.
type field struct {
	comp     *ecs.Component
	offset   uintptr
	optional bool
}

// rowOf compiles a row struct once.
func (c *Compensator) rowOf(t reflect.Type) *row {
	r := c.rows[t]
	if r == nil {
		r = &row{}
		for sf := range t.Fields() {
			if comp := c.comps[sf.Type]; comp != nil {
				r.fields = append(r.fields, field{comp, sf.Offset, sf.Tag.Get("ecs") == "optional"})
			}
		}
		c.rows[t] = r
	}
	return r
}

// All is [ecs.All] in a view: it walks everything that the player saw and that has the
// components of the row struct V, a struct of component values. Entities of others come
// first, in the order of the older state, then the player's own.
func All[V any](v View) iter.Seq2[ecs.Entity, V] {
	return func(yield func(ecs.Entity, V) bool) {
		if v.live {
			for e, value := range ecs.All[V](v.w) {
				if !yield(e, value) {
					return
				}
			}
			return
		}
		r := v.c.rowOf(reflect.TypeFor[V]())
		blend := v.blend()
		for e, value := range ecs.AllAt[V](v.older) {
			if v.mine(e) || v.lost(e) {
				continue
			}
			if len(r.fields) > 0 {
				made := (*V)(v.c.room(unsafe.Sizeof(value)))
				*made = value
				blend.fill(e, r.fields, unsafe.Pointer(made))
				value = *made
			}
			if !yield(e, value) {
				return
			}
		}
		left := len(v.own)
		switch {
		case left == 0:
		case v.then:
			for e, value := range ecs.AllAt[V](v.past) {
				if v.mine(e) && !yield(e, value) {
					return
				}
			}
		default:
			for e, value := range ecs.All[V](v.w) {
				if !v.mine(e) {
					continue
				}
				if !yield(e, value) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
		}
	}
}

// Get is the component T of an entity as the player saw it; false when the view does
// not show the entity, or not with a T.
func Get[T any](v View, e ecs.Entity) (value T, found bool) {
	switch {
	case v.live || !v.then && v.mine(e):
		p := ecs.Get[T](v.w, e)
		if p == nil {
			return value, false
		}
		return *p, true
	case v.mine(e):
		return ecs.GetAt[T](v.past, e)
	case v.lost(e):
		return value, false
	}
	value, found = ecs.GetAt[T](v.older, e)
	if comp := v.c.comps[reflect.TypeFor[T]()]; found && comp != nil {
		blend := v.blend()
		made := (*T)(v.c.room(unsafe.Sizeof(value)))
		*made = value
		blend.fill(e, []field{{comp: comp}}, unsafe.Pointer(made))
		value = *made
	}
	return value, found
}

// room is for one value of so many bytes, until the next call.
func (c *Compensator) room(size uintptr) unsafe.Pointer {
	c.value = grown(c.value, int(size+7)/8)
	return unsafe.Pointer(unsafe.SliceData(c.value))
}
