package interest

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/internal/reuse"
)

// hasA is Has.
type hasA[T any] struct{}

// Has says yes of entities that have the component T, and nothing of others.
func Has[T any]() Interest { return hasA[T]{} }

func (hasA[T]) compile(p *Program) (node, error) {
	comp, err := component[T](p, "Has")
	if err != nil {
		return node{}, err
	}
	i := slices.IndexFunc(p.having, func(x *having) bool { return x.comp == comp })
	if i < 0 {
		i = len(p.having)
		p.having = append(p.having, &having{comp: comp})
	}
	return node{op: opHas, leaf: i}, nil
}

// having is a compiled Has: the slots of the newest frame whose entities have the component.
type having struct {
	comp  *ecs.Component
	slots []uint64 // by group
}

// find calls visit for the entities of a frame with a component, and returns their slots by group. Entities of one group have
// the same replicated components, but can differ in local ones. The memory of slots is used again.
func (p *Program) find(f *capture.Frame, comp *ecs.Component, slots []uint64, visit func(group, slot int, at unsafe.Pointer)) []uint64 {
	n := p.w.Netcode()
	slots = reuse.Slice(slots, len(f.Groups))
	for g := range f.Groups {
		slots[g] = 0
		for m := f.Groups[g].Alive; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			if at := n.Pointer(f.Entity(g, k), comp); at != nil {
				slots[g] |= m & -m
				visit(g, k, at)
			}
		}
	}
	return slots
}
