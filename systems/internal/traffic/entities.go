package traffic

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Entity is the size of an entity: the bytes of its fields in encoded blocks. Each block counts once.
type Entity struct {
	ID    components.NetID
	Bytes float64
}

// Archetype is the size of all entities with the same replicated components.
type Archetype struct {
	// Components are the names of the components.
	Components []string
	// Entities is the number of entities in the newest send.
	Entities int
	// Bytes is the size of their fields in the blocks that were encoded while entities were counted. Each block counts once.
	Bytes float64
}

// Meters holds all meters of a server.
type Meters []*Meter

// AccountEntities switches counting by entity on or off.
func (m Meters) AccountEntities(on bool) {
	for _, x := range m {
		x.all = on && x.Only == delta.AnyCoder
		x.AccountEntities(on)
	}
}

// spentOn returns the bytes of the entity in a slot.
func (m Meters) spentOn(group *delta.Group, slot int) (bytes float64) {
	for _, x := range m {
		bytes += x.CostOf(group.IDs[slot]) / 8
	}
	return bytes
}

// Top appends the n largest entities of a state to dst, in descending order.
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

// Names returns the names of the components in mask.
func Names(all []*ecs.Component, mask uint64) (names []string) {
	for m := mask; m != 0; m &= m - 1 {
		names = append(names, all[bits.TrailingZeros64(m)].Name)
	}
	return names
}
