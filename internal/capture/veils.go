package capture

import (
	"iter"
	"math/bits"

	"github.com/tactusgo/tactus/codec/delta"
)

// A veil is a set of components that some receivers may not know. An entity that has some of them is captured twice:
// in a group with them and in a group without, among others that never had any. With more veils it is captured with
// each choice of those that it has. So what a frame says of an entity without a veil depends on nothing behind it,
// not even on whether there is anything.

// concealed is which components not everybody may see.
type concealed struct {
	private uint64   // that only the owner may see
	veils   []uint64 // at most 8 sets, of which none has a component of another
}

// layer is the entities of a table with some of the veils that they have.
type layer struct {
	mask  uint64 // their components
	veils uint8
	has   uint8 // veils that they have
	above int32 // how many tables farther they are with all of them
}

// whole reports whether these are all components of the entities.
func (l *layer) whole() bool { return l.veils == l.has }

// of are the veils that a mask has components of.
func (s *concealed) of(mask uint64) (veils uint8) {
	for i, v := range s.veils {
		if mask&v != 0 {
			veils |= 1 << i
		}
	}
	return veils
}

// layers are those of the entities of a mask: first without any veil, at the end with all.
func (s *concealed) layers(mask uint64) iter.Seq[layer] {
	return func(yield func(layer) bool) {
		has := s.of(mask)
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

// whole is where an entity of the newest frame is with all of its components, and the veils that it has.
type whole struct {
	group int32
	slot  uint8
	veils uint8
}

func wholeAt(p place, has uint8) whole { return whole{p.group, uint8(p.slot), has} }

// Veils are the veils that the entity in an alive slot of the newest frame has, by their bits. The slot may be one
// where it is without some of them: those of which its mask there has no component. 0 where there are no veils.
func (f *Frame) Veils(group, slot int) uint8 {
	if f.latest.wholes == nil {
		return 0
	}
	return f.latest.wholes[group][slot].veils
}

// Whole is where the entity in an alive slot of the newest frame is with all of its components, where there are veils.
func (f *Frame) Whole(group, slot int) (g, k int) {
	w := f.latest.wholes[group][slot]
	return int(w.group), int(w.slot)
}

// Distinct is the groups with each entity once, with all of its components. Where there are veils they are made in
// room, which is returned with them; the frame is the newest one.
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
