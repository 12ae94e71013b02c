package lagcomp

import (
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// blend computes component values of other players' entities as a client drew them: both states rounded to the sent
// precision, then interpolated. It repeats the Interpolate system of package systems on recorded states.
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

// interpolate replaces the components at p, which hold the values of the older state, with the drawn values.
func (b *blend) interpolate(e ecs.Entity, fields []field, p unsafe.Pointer) {
	between, known := false, false // between: both states have the same components, so they can be interpolated
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

// curve moves the value at p along its Hermite curve to the later value. It reports whether the component has a
// curve.
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

// round writes to dst the component at src, rounded to the precision that clients receive.
func (b *blend) round(comp *ecs.Component, dst, src unsafe.Pointer) {
	words := b.c.words[:comp.Words]
	comp.Schema.Quantize(words, comp.Words, src, 1)
	comp.Schema.Dequantize(dst, words, comp.Words, 1)
}

// shapes looks up which components the entities of a state had. It caches the last table, because neighbours in an
// iteration share a table.
type shapes struct {
	past ecs.Past
	comp *ecs.Component
	base uintptr // address of the column of comp in the cached table
	size uintptr
	of   uint64
}

// mask returns the set of replicated components of the entity whose component is at p, a pointer into past.
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
