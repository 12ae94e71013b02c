package interest

import (
	"math/bits"
	"slices"

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

// begin reads a frame, once for all clients.
func (x *having) begin(n *ecs.Netcode, f *capture.Frame) {
	x.slots = reuse.Longer(x.slots, len(f.Groups))
	for g := range x.slots {
		alive, slots := f.Groups[g].Alive, uint64(0)
		for m := alive; m != 0; m &= m - 1 {
			if n.Pointer(f.Entity(g, bits.TrailingZeros64(m)), x.comp) != nil {
				slots |= m & -m
			}
		}
		x.slots[g] = slots
	}
}
