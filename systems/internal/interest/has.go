package interest

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/frames"
	"github.com/tactusgo/tactus/internal/reuse"
)

// hasA implements [Has].
type hasA[T any] struct{}

// Has returns the interest in entities with the component T. It does not apply to other entities.
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

// find calls visit for the entities of a frame with a component, and returns their slots by group. It looks at every entity,
// because the entities of a group may have different local components. find reuses the memory of slots.
func (p *Program) find(f *frames.Frame, comp *ecs.Component, slots []uint64, visit func(group, slot int, at unsafe.Pointer)) []uint64 {
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
