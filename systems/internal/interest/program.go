package interest

import (
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/internal/reuse"
)

// maxLeaves bounds the Grids and Sames of a server, since each group has a value of each.
const maxLeaves = 8

// Program is the interest of a server's clients, made ready for a world.
type Program struct {
	w        *ecs.World
	protocol *ecs.Protocol
	limits   bool // there is something that clients may not know
	entities node
	bounded  bool // the interest in entities finds its groups by places and values
	componentRules
	leaves
	homes  homes
	frame  *capture.Frame
	at     []int32 // home of each group, as the indexes have it
	silent []heard // what filters have said of a group at first

	turn uint64       // counts frames
	seed maphash.Seed // of hashes that tell frames apart
}

// Rules are what a program is made of. The zero value is that everybody may know everything, and all matters the same.
type Rules struct {
	Entities   Interest    // in entities; nil: all
	Components []Component // what is told of an entity to some of those who know of it
	Priorities []Priority
}

// leaves are the operands that say something by themselves, and priorities.
type leaves struct {
	grids   []*grid
	sames   []*same
	filters []*filter
	having  []*having
	ranks
}

// Compile makes rules ready for a world. It returns nil where there are none, and an error with advice where they
// cannot be.
func Compile(w *ecs.World, protocol *ecs.Protocol, r Rules) (*Program, error) {
	if r.Entities == nil && len(r.Components)+len(r.Priorities) == 0 {
		return nil, nil
	}
	p := &Program{w: w, protocol: protocol, limits: r.Entities != nil || len(r.Components) > 0, seed: maphash.MakeSeed()}
	p.homes.begin()
	if r.Entities != nil {
		var err error
		if p.entities, err = r.Entities.compile(p); err != nil {
			return nil, err
		}
		p.bounded = p.entities.bounds()
	}
	for _, c := range r.Components {
		if err := c.compile(p); err != nil {
			return nil, err
		}
	}
	for _, x := range r.Priorities {
		if x == nil {
			return nil, fmt.Errorf("%w: a priority is nil: leave it out", ErrInterest)
		}
		if err := x.rank(p); err != nil {
			return nil, err
		}
	}
	p.silent = make([]heard, len(p.filters))
	assignRestrictions(p)
	return p, nil
}

// Limits reports whether there is anything that clients may not know.
func (p *Program) Limits() bool { return p != nil && p.limits }

// HidesComponents reports whether there are components that clients may not know of what they see.
func (p *Program) HidesComponents() bool { return p != nil && len(p.restrictions) > 0 }

// Homes are those that the groups of a capture are of, nil where entities of the same components share groups.
func (p *Program) Homes() capture.Homes {
	if p == nil || !p.limits && len(p.grids) == 0 {
		return nil
	}
	return p
}

// leaf gives the next Grid or Same its place in homes.
func (p *Program) leaf() (slot int, err error) {
	if slot = len(p.grids) + len(p.sames); slot == maxLeaves {
		err = fmt.Errorf("%w: more than %d Grids, Sames and ByDistances in one server", ErrInterest, maxLeaves)
	}
	return slot, err
}

// bounds reports whether what a node sees is found by places and values, without looking at
// all groups.
func (n *node) bounds() bool {
	switch n.op {
	case opAnd:
		return slices.ContainsFunc(n.of, func(x node) bool { return x.bounds() })
	case opOr:
		return !slices.ContainsFunc(n.of, func(x node) bool { return !x.bounds() })
	case opFilter:
		return false
	}
	return true
}

// Begin takes in the frame of a send, once for all clients.
func (p *Program) Begin(f *capture.Frame) {
	p.frame = f
	p.turn++
	p.settle(f)
	p.updateRestricted(f)
	for _, g := range p.grids {
		g.measure(p, f)
		g.watch(p, f)
	}
	for _, x := range p.filters {
		x.begin(p.w, f)
	}
	for _, x := range p.having {
		x.begin(p.w.Netcode(), f)
	}
	p.classify(f)
}

// settle brings the indexes of homes up to date.
func (p *Program) settle(f *capture.Frame) {
	p.at = reuse.Longer(p.at, len(f.Groups))
	for g := range f.Groups {
		home, old := f.Home(g), p.at[g]
		if home == old {
			continue
		}
		p.homes.use(home, 1)
		if old != none {
			p.list(old, int32(g), false)
		}
		if home != none {
			p.list(home, int32(g), true)
		}
		p.homes.use(old, -1)
		p.at[g] = home
	}
	p.homes.sweep(p.sames)
}

// list puts a group into the indexes, or takes it out.
func (p *Program) list(home, group int32, in bool) {
	h := &p.homes.list[home]
	for _, g := range p.grids {
		g.groups.put(keyOf(h, g.slot), group, in)
	}
	for _, s := range p.sames {
		s.groups.put(keyOf(h, s.slot), group, in)
	}
}
