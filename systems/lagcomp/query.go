package lagcomp

import (
	"iter"
	"reflect"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// field is a component in a row struct.
type field struct {
	comp     *ecs.Component
	offset   uintptr
	optional bool
}

// rowOf returns the compiled row struct from a cache.
func (c *Compensator) rowOf(t reflect.Type) []field {
	fields, known := c.rows[t]
	if !known {
		fields = c.compile(t)
		c.rows[t] = fields
	}
	return fields
}

// compile returns the fields of a row struct that clients receive rounded.
func (c *Compensator) compile(t reflect.Type) (fields []field) {
	for sf := range t.Fields() {
		if comp := c.comps[sf.Type]; comp != nil {
			fields = append(fields, field{comp, sf.Offset, sf.Tag.Get("ecs") == "optional"})
		}
	}
	return fields
}

// All is [ecs.All] for a view: it yields every entity that the player saw and that has the components of V, a struct
// of component values. Entities of other players come first, in the order of the older state, then the player's own.
func All[V any](v View) iter.Seq2[ecs.Entity, V] {
	return func(yield func(ecs.Entity, V) bool) {
		s := v.check()
		if s == nil {
			for e, value := range ecs.All[V](v.w) {
				if !yield(e, value) {
					return
				}
			}
			return
		}
		fields := s.c.rowOf(reflect.TypeFor[V]())
		blend := s.blend()
		for e, value := range ecs.AllAt[V](s.older) {
			if s.mine(e) || s.lost(e) {
				continue
			}
			if len(fields) > 0 {
				made := (*V)(s.c.room(unsafe.Sizeof(value)))
				*made = value
				blend.interpolate(e, fields, unsafe.Pointer(made))
				value = carriedRow(s, e, fields, *made)
			}
			if !yield(e, value) {
				return
			}
		}
		if s.then {
			for e, value := range ecs.AllAt[V](s.past) {
				if s.mine(e) && !yield(e, carriedRow(s, e, fields, value)) {
					return
				}
			}
			return
		}
		if len(s.own) == 0 {
			return
		}
		for e, value := range ecs.All[V](v.w) {
			if s.mine(e) && !yield(e, carriedRow(s, e, fields, value)) {
				return
			}
		}
	}
}

// Get returns the component T of an entity as the player saw it. It returns false if the view does not show the
// entity, or not with a T.
func Get[T any](v View, e ecs.Entity) (value T, found bool) {
	s := v.check()
	switch {
	case s == nil:
		p := ecs.Get[T](v.w, e)
		if p == nil {
			return value, false
		}
		return *p, true
	case s.mine(e) && s.then:
		value, found = ecs.GetAt[T](s.past, e)
	case s.mine(e):
		if p := ecs.Get[T](v.w, e); p != nil {
			value, found = *p, true
		}
	case s.lost(e):
		return value, false
	default:
		value, found = ecs.GetAt[T](s.older, e)
	}
	if comp := s.c.comps[reflect.TypeFor[T]()]; found && comp != nil {
		s.c.single[0] = field{comp: comp}
		if !s.mine(e) {
			blend := s.blend()
			made := (*T)(s.c.room(unsafe.Sizeof(value)))
			*made = value
			blend.interpolate(e, s.c.single[:], unsafe.Pointer(made))
			value = *made
		}
		value = carriedRow(s, e, s.c.single[:], value)
	}
	return value, found
}

// carriedRow returns a row with the components that ecs.Carry places.
func carriedRow[V any](s *seen, e ecs.Entity, fields []field, value V) V {
	if len(fields) == 0 || len(s.c.carried.of) == 0 {
		return value
	}
	made := (*V)(s.c.room(unsafe.Sizeof(value)))
	*made = value
	s.carry(e, fields, unsafe.Pointer(made))
	return *made
}

// room returns scratch memory for one value of this size. The next call reuses it.
func (c *Compensator) room(size uintptr) unsafe.Pointer {
	c.value = grown(c.value, int(size+7)/8)
	return unsafe.Pointer(unsafe.SliceData(c.value))
}
