package interest

import (
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/internal/reuse"
)

// maxLeaves limits the Grids and Sames of a server, since each group has a value of each.
const maxLeaves = 8

// Program is the compiled interest of a server's clients.
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

// Rules are the source of a program. With the zero value every client may see everything, and everything has the same priority.
type Rules struct {
	Entities   Interest    // in entities; nil: all
	Components []Component // what is told of an entity to some of those who know of it
	Priorities []Priority
}

// leaves are the operands without operands of their own, and the priorities.
type leaves struct {
	grids   []*grid
	sames   []*same
	filters []*filter
	having  []*having
	ranks
}

// Compile compiles rules for a world. It returns nil if there are none, and an error with advice if they
// are invalid.
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

// Limits reports whether the program can hide anything.
func (p *Program) Limits() bool { return p != nil && p.limits }

// HidesComponents reports whether the program can hide components of visible entities.
func (p *Program) HidesComponents() bool { return p != nil && len(p.restrictions) > 0 }

// Homes returns the homes of entities for a capture, nil if all entities of the same components share groups.
func (p *Program) Homes() capture.Homes {
	if p == nil || !p.limits && len(p.grids) == 0 {
		return nil
	}
	return p
}

// leaf returns the index in homes of the next Grid or Same.
func (p *Program) leaf() (slot int, err error) {
	if slot = len(p.grids) + len(p.sames); slot == maxLeaves {
		err = fmt.Errorf("%w: more than %d Grids, Sames and ByDistances in one server", ErrInterest, maxLeaves)
	}
	return slot, err
}

// bounds reports whether the groups that a node may show are found by places and values, without reading
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

// Begin reads the frame of a send, once for all clients.
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

// settle updates the indexes of homes.
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

// list adds a group to the indexes, or removes it.
func (p *Program) list(home, group int32, in bool) {
	h := &p.homes.list[home]
	for _, g := range p.grids {
		g.groups.put(keyOf(h, g.slot), group, in)
	}
	for _, s := range p.sames {
		s.groups.put(keyOf(h, s.slot), group, in)
	}
}
