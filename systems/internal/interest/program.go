package interest

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/frames"
	"github.com/tactusgo/tactus/internal/reuse"
)

// maxLeaves is the maximum number of Grids and Sames of a server.
const maxLeaves = 8

// Program is the compiled interest of a server's clients.
type Program struct {
	w        *ecs.World
	protocol *ecs.Protocol
	entities node
	componentRules
	leaves
	frame   *frames.Frame
	ring    *frames.Ring // of the frame
	changed []uint32     // by group: newest send at which an entity came or changed its components

	singletons []uint64 // by group: slots with singletons

	turn uint64       // counts frames
	seed maphash.Seed // of the hashes of the components that filters read
}

// Rules are the source of a program. With the zero value every client may see everything, and all entities have the same priority.
type Rules struct {
	Entities   Interest    // entities that a client may see; nil: all
	Components []Component // components of visible entities that only some clients may see
}

// leaves are the operands without operands of their own, and the priorities.
type leaves struct {
	grids   []*grid
	sames   []*same
	filters []*filter
	having  []*having
}

// Compile compiles rules for a world. It returns nil if r is empty, and an error that wraps [ErrInterest] if a rule is invalid.
func Compile(w *ecs.World, protocol *ecs.Protocol, r Rules) (*Program, error) {
	if r.Entities == nil && len(r.Components) == 0 {
		return nil, nil
	}
	p := &Program{w: w, protocol: protocol, seed: maphash.MakeSeed()}
	if r.Entities != nil {
		var err error
		if p.entities, err = r.Entities.compile(p); err != nil {
			return nil, err
		}
	}
	for _, c := range r.Components {
		if err := c.compile(p); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Limits reports whether the program can hide anything.
func (p *Program) Limits() bool { return p != nil }

// HidesComponents reports whether the program can hide components of visible entities.
func (p *Program) HidesComponents() bool { return p != nil && len(p.restrictions) > 0 }

// addLeaf returns an error if there is no room for another Grid or Same.
func (p *Program) addLeaf() error {
	if len(p.grids)+len(p.sames) == maxLeaves {
		return fmt.Errorf("%w: more than %d Grids and Sames in one server", ErrInterest, maxLeaves)
	}
	return nil
}

// Begin reads the newest frame of a ring, once for all clients.
func (p *Program) Begin(f *frames.Frame, ring *frames.Ring) {
	p.frame, p.ring = f, ring
	p.turn++
	p.updateRestricted(f)
	p.changed = reuse.Longer(p.changed, len(f.Groups))
	for g := range p.changed {
		p.changed[g] = ring.Changes(g).Newest
	}
	p.findSingletons(f)
	for _, s := range p.sames {
		s.sort(p, f)
	}
	for _, g := range p.grids {
		g.locate(p, f)
		g.watch(p, f)
	}
	for _, x := range p.filters {
		x.begin(p.w, f)
	}
	for _, x := range p.having {
		x.slots = p.find(f, x.comp, x.slots, func(int, int, unsafe.Pointer) {})
	}
}

// findSingletons finds the slots of singletons.
func (p *Program) findSingletons(f *frames.Frame) {
	p.singletons = reuse.Slice(p.singletons, len(f.Groups))
	for g := range f.Groups {
		p.singletons[g] = 0
		for m := f.Groups[g].Alive; m != 0; m &= m - 1 {
			if p.isSingleton(components.NetID(f.Groups[g].IDs[bits.TrailingZeros64(m)])) {
				p.singletons[g] |= m & -m
			}
		}
	}
}

// isSingleton reports whether an entity is a singleton of the protocol. These have the first NetIDs.
func (p *Program) isSingleton(id components.NetID) bool {
	return id > 0 && int(id) <= len(ecs.Singletons(p.protocol))
}
