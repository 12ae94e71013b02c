package traffic

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Entity is what the fields of an entity took in blocks that were encoded,
// each block once, in bytes.
type Entity struct {
	ID    components.NetID
	Bytes float64
}

// Archetype is what the entities took that have the same replicated components.
type Archetype struct {
	// Components are the names of what they have.
	Components []string
	// Entities is how many there are in the newest send.
	Entities int
	// Bytes is what their fields took in blocks that were encoded, each block once, while
	// entities were accounted for.
	Bytes float64
}

// Meters are all encoders of the blocks of a world.
type Meters []*Meter

// AccountEntities makes the meters count what each entity takes too, from now on, or
// no longer.
func (m Meters) AccountEntities(on bool) {
	for _, x := range m {
		x.all = on && x.Only == delta.AnyCoder
		x.AccountEntities(on)
	}
}

// spentOn is how many bytes the entity in a slot took.
func (m Meters) spentOn(group *delta.Group, slot int) (bytes float64) {
	for _, x := range m {
		bytes += x.CostOf(group.IDs[slot]) / 8
	}
	return bytes
}

// Top appends to dst the n entities of a state that took most, the first the most.
func (m Meters) Top(dst []Entity, groups []delta.Group, n int) []Entity {
	from := len(dst)
	for g := range groups {
		for alive := groups[g].Alive; alive != 0; alive &= alive - 1 {
			k := bits.TrailingZeros64(alive)
			if spent := m.spentOn(&groups[g], k); spent > 0 {
				dst = append(dst, Entity{components.NetID(groups[g].IDs[k]), spent})
			}
		}
	}
	slices.SortFunc(dst[from:], func(a, b Entity) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.ID, b.ID))
	})
	return dst[:min(len(dst), from+n)]
}

// Archetypes returns the archetypes of a state, in order of their first entity.
func (m Meters) Archetypes(comps []*ecs.Component, groups []delta.Group) (all []Archetype) {
	places := map[uint64]int{}
	for g := range groups {
		group := &groups[g]
		for alive := group.Alive; alive != 0; alive &= alive - 1 {
			k := bits.TrailingZeros64(alive)
			mask := group.Masks[k]
			at, known := places[mask]
			if !known {
				at = len(all)
				places[mask] = at
				all = append(all, Archetype{Components: Names(comps, mask)})
			}
			all[at].Entities++
			all[at].Bytes += m.spentOn(group, k)
		}
	}
	return all
}

// Names are the names of a set of components.
func Names(all []*ecs.Component, mask uint64) (names []string) {
	for m := mask; m != 0; m &= m - 1 {
		names = append(names, all[bits.TrailingZeros64(m)].Name)
	}
	return names
}
