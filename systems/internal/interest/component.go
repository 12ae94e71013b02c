package interest

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/tactusgo/tactus/ecs"
)

// Component selects the clients that may see a component of an entity, among those that see the entity.
type Component struct {
	t  reflect.Type
	of Interest
}

// Only returns the rule that shows the component T of an entity only to clients to which the interest of shows the entity.
func Only[T any](of Interest) Component { return Component{reflect.TypeFor[T](), of} }

// maxRestrictions is the maximum number of different interests that components may have.
const maxRestrictions = 4

// restriction is a set of components with the same interest.
type restriction struct {
	mask uint64
	of   Interest
	node node
}

func (c Component) compile(p *Program) error {
	if c.t == nil {
		return fmt.Errorf("%w: a ComponentInterest is empty: make it with Only", ErrInterest)
	}
	comp, name := p.protocol.Component(c.t), c.t.String()
	switch {
	case c.of == nil:
		return fmt.Errorf("%w: Only[%s](nil): leave it out, and all who know of an entity are told", ErrInterest, name)
	case comp == nil:
		return fmt.Errorf("%w: Only[%s]: the protocol has no such component; register it", ErrInterest, name)
	case comp.Mode&ecs.OwnerOnly != 0:
		return fmt.Errorf("%w: Only[%s]: nobody but its owner is told of that component; leave Only out, or register it without ecs.OwnerOnly", ErrInterest, name)
	}
	i := slices.Index(p.protocol.Replicated(), comp)
	if i < 0 {
		return fmt.Errorf("%w: Only[%s]: nobody is told of that component; leave Only out, or replicate it", ErrInterest, name)
	}
	mask := uint64(1) << i
	if p.restrictedBy(mask) {
		return fmt.Errorf("%w: Only[%s] twice: put what both say into one, with And", ErrInterest, name)
	}
	for i := range p.restrictions {
		if alike(p.restrictions[i].of, c.of) {
			p.restrictions[i].mask |= mask
			return nil
		}
	}
	if len(p.restrictions) == maxRestrictions {
		return fmt.Errorf("%w: Only[%s]: more than %d different interests in components; give those the same one, in one variable, that the same clients may know", ErrInterest, name, maxRestrictions)
	}
	n, err := c.of.compile(p)
	if err != nil {
		return fmt.Errorf("systems.Only[%s]: %w", name, err)
	}
	p.restrictions = append(p.restrictions, restriction{mask, c.of, n})
	return nil
}

// alike reports whether two interests are equal.
func alike(a, b Interest) bool {
	x, ok := a.(combined)
	if !ok {
		_, ok = b.(combined)
		return !ok && a == b
	}
	y, ok := b.(combined)
	return ok && x.op == y.op && slices.EqualFunc(x.of, y.of, alike)
}
