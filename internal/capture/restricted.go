package capture

import (
	"iter"
	"math/bits"

	"github.com/tactusgo/tactus/codec/delta"
)

// A restricted set is a set of components that only some receivers may know. An entity with some of these components is
// captured twice: in a group with them, and in a group without them, among entities that never had any. With
// several restricted sets it is captured once for each combination. The state of an entity without a restricted set therefore does not
// depend on the hidden components, not even on whether it has any.

// restrictions describes which components not every receiver may see.
type restrictions struct {
	private uint64   // components that only the owner may see
	sets    []uint64 // at most 8 disjoint sets
}

// variant is the entities of a table with some of their restricted sets.
type variant struct {
	mask       uint64 // their components
	restricted uint8
	has        uint8 // restricted sets that the entities have
	above      int32 // distance to the variant with all of their restricted sets, in tables
}

// whole reports whether the variant has all components of the entities.
func (l *variant) whole() bool { return l.restricted == l.has }

// setsOf returns the restricted sets with components in a mask.
func (s *restrictions) setsOf(mask uint64) (restricted uint8) {
	for i, v := range s.sets {
		if mask&v != 0 {
			restricted |= 1 << i
		}
	}
	return restricted
}

// variants yields the variants of entities with a mask: first without any restricted set, last with all.
func (s *restrictions) variants(mask uint64) iter.Seq[variant] {
	return func(yield func(variant) bool) {
		has := s.setsOf(mask)
		l := variant{has: has, above: 1<<bits.OnesCount8(has) - 1}
		for {
			l.mask = mask &^ s.private
			for i, v := range s.sets {
				if l.restricted>>i&1 == 0 {
					l.mask &^= v
				}
			}
			if !yield(l) || l.whole() {
				return
			}
			l.restricted = (l.restricted - has) & has
			l.above--
		}
	}
}

// whole is the place of an entity of the newest frame with all of its components, and its restricted sets.
type whole struct {
	group      int32
	slot       uint8
	restricted uint8
}

func wholeAt(p place, has uint8) whole { return whole{p.group, uint8(p.slot), has} }

// Restricted returns the bits of the restricted sets of the entity in an alive slot of the newest frame. The slot itself may lack
// some of them: those without components in its mask. It returns 0 if there are no restricted sets.
func (f *Frame) Restricted(group, slot int) uint8 {
	if f.latest.wholes == nil {
		return 0
	}
	return f.latest.wholes[group][slot].restricted
}

// Whole returns the place of the entity in an alive slot of the newest frame with all of its components, if there
// are restricted sets.
func (f *Frame) Whole(group, slot int) (g, k int) {
	w := f.latest.wholes[group][slot]
	return int(w.group), int(w.slot)
}

// Distinct returns the groups of the newest frame with each entity once, with all of its components. If there are
// restricted sets, the groups are built in room, which is returned.
func (f *Frame) Distinct(room []delta.Group) []delta.Group {
	if f.latest.wholes == nil {
		return f.Groups
	}
	room = append(room[:0], f.Groups...)
	for g := range room {
		for m := room[g].Alive; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			if w := f.latest.wholes[g][k]; int(w.group) != g || int(w.slot) != k {
				room[g].Clear(k, false)
			}
		}
	}
	return room
}
