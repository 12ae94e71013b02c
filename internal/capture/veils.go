package capture

import (
	"iter"
	"math/bits"

	"github.com/tactusgo/tactus/codec/delta"
)

// A veil is a set of components that only some receivers may know. An entity with some of these components is
// captured twice: in a group with them, and in a group without them, among entities that never had any. With
// several veils it is captured once for each combination. The state of an entity without a veil therefore does not
// depend on the hidden components, not even on whether it has any.

// concealed describes which components not every receiver may see.
type concealed struct {
	private uint64   // components that only the owner may see
	veils   []uint64 // at most 8 disjoint sets
}

// layer is the entities of a table with some of their veils.
type layer struct {
	mask  uint64 // their components
	veils uint8
	has   uint8 // veils that the entities have
	above int32 // distance to the layer with all of their veils, in tables
}

// whole reports whether the layer has all components of the entities.
func (l *layer) whole() bool { return l.veils == l.has }

// veilsOf returns the veils with components in a mask.
func (s *concealed) veilsOf(mask uint64) (veils uint8) {
	for i, v := range s.veils {
		if mask&v != 0 {
			veils |= 1 << i
		}
	}
	return veils
}

// layers yields the layers of entities with a mask: first without any veil, last with all.
func (s *concealed) layers(mask uint64) iter.Seq[layer] {
	return func(yield func(layer) bool) {
		has := s.veilsOf(mask)
		l := layer{has: has, above: 1<<bits.OnesCount8(has) - 1}
		for {
			l.mask = mask &^ s.private
			for i, v := range s.veils {
				if l.veils>>i&1 == 0 {
					l.mask &^= v
				}
			}
			if !yield(l) || l.whole() {
				return
			}
			l.veils = (l.veils - has) & has
			l.above--
		}
	}
}

// whole is the place of an entity of the newest frame with all of its components, and its veils.
type whole struct {
	group int32
	slot  uint8
	veils uint8
}

func wholeAt(p place, has uint8) whole { return whole{p.group, uint8(p.slot), has} }

// Veils returns the bits of the veils of the entity in an alive slot of the newest frame. The slot itself may lack
// some of them: those without components in its mask. It returns 0 if there are no veils.
func (f *Frame) Veils(group, slot int) uint8 {
	if f.latest.wholes == nil {
		return 0
	}
	return f.latest.wholes[group][slot].veils
}

// Whole returns the place of the entity in an alive slot of the newest frame with all of its components, if there
// are veils.
func (f *Frame) Whole(group, slot int) (g, k int) {
	w := f.latest.wholes[group][slot]
	return int(w.group), int(w.slot)
}

// Distinct returns the groups of the newest frame with each entity once, with all of its components. If there are
// veils, the groups are built in room, which is returned.
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
