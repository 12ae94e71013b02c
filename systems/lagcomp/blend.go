package lagcomp

import (
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// blend makes values of entities of others what a client drew: both states rounded as
// they were for sending, then what lies between them. It is systems' Interpolate, on
// states that the server kept instead of ones that arrived.
type blend struct {
	c            *Compensator
	older, newer shapes
	part         float64
	seconds      float64
}

func (s *seen) blend() blend {
	return blend{
		c: s.c, older: shapes{past: s.older}, newer: shapes{past: s.newer},
		part: s.part, seconds: float64(s.span.to-s.span.from) * (1 / float64(s.c.w.TickRate())),
	}
}

// fill puts right the components at p, which are as the older state has them.
func (b *blend) fill(e ecs.Entity, fields []field, p unsafe.Pointer) {
	between, known := false, false // whether the components are the same in both
	for i := range fields {
		f := &fields[i]
		if f.optional && b.older.past.Pointer(e, f.comp) == nil {
			continue
		}
		at := unsafe.Add(p, f.offset)
		b.round(f.comp, at, at)
		if b.part <= 0 || f.comp.Mode&ecs.Interpolated == 0 {
			continue
		}
		to := b.newer.past.Pointer(e, f.comp)
		if to == nil {
			continue
		}
		if !known {
			older := b.older.mask(f.comp, b.older.past.Pointer(e, f.comp))
			newer := b.newer.mask(f.comp, to)
			known, between = true, older&^b.c.private == newer&^b.c.private && !b.jumped(e) && !b.handedOver(e)
		}
		if between {
			later := unsafe.Pointer(unsafe.SliceData(b.c.later))
			b.round(f.comp, later, to)
			if !b.curve(e, f.comp, at, later) {
				f.comp.Schema.Lerp(at, at, later, b.part)
			}
		}
	}
}

// jumped reports whether an entity jumped between the two states.
func (b *blend) jumped(e ecs.Entity) bool {
	if b.c.jumps == nil {
		return false
	}
	from, to := b.older.past.Pointer(e, b.c.jumps), b.newer.past.Pointer(e, b.c.jumps)
	return from != nil && to != nil && (*components.Teleports)(from).Count != (*components.Teleports)(to).Count
}

// curve moves the value at p on its curve to the later one, if it goes on one.
func (b *blend) curve(e ecs.Entity, comp *ecs.Component, p, later unsafe.Pointer) bool {
	v := comp.Speeds
	if v == nil {
		return false
	}
	from, to := b.older.past.Pointer(e, v), b.newer.past.Pointer(e, v)
	if from == nil || to == nil {
		return false
	}
	leaves, arrives := unsafe.Pointer(unsafe.SliceData(b.c.speeds[0])), unsafe.Pointer(unsafe.SliceData(b.c.speeds[1]))
	b.round(v, leaves, from)
	b.round(v, arrives, to)
	comp.Schema.Hermite(p, p, later, v.Schema, leaves, arrives, b.seconds, b.part)
	return true
}

// round writes to dst what a client gets of the component at src.
func (b *blend) round(comp *ecs.Component, dst, src unsafe.Pointer) {
	words := b.c.words[:comp.Words]
	comp.Schema.Quantize(words, comp.Words, src, 1)
	comp.Schema.Dequantize(dst, words, comp.Words, 1)
}

// shapes tells which components the entities of a state had. Neighbours in a walk are
// in one table, so it remembers the last.
type shapes struct {
	past ecs.Past
	comp *ecs.Component
	base uintptr // of the column of comp in the table that was the last
	size uintptr
	of   uint64
}

// mask is the set of replicated components of the entity whose component is at p, a
// pointer of past.
func (s *shapes) mask(comp *ecs.Component, p unsafe.Pointer) uint64 {
	if s.comp == comp && uintptr(p)-s.base < s.size {
		return s.of
	}
	for t := range s.past.Tables {
		base := uintptr(t.Column(comp))
		if size := uintptr(len(t.Entities)) * comp.Schema.Size; base != 0 && uintptr(p)-base < size {
			s.comp, s.base, s.size, s.of = comp, base, size, t.Mask
			break
		}
	}
	return s.of
}
