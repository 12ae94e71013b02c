package interpolate

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Present draws the world of a client that simulates everything. A late input of another player changes the past.
// The view keeps the drawn places, and the difference fades like any other correction. As a listener of the
// timeline, Present learns when ticks are simulated again.
type Present struct {
	*System
	list    []*inPresent // entities of the view, in the order of arrival
	byID    map[uint32]*inPresent
	spare   []*inPresent
	step    bool   // a step of the timeline is in progress
	next    uint32 // the tick that this step simulates
	changed uint32 // the first tick that is simulated again in this step
	tick    uint32 // the tick that is being simulated
}

// inPresent is an entity that is drawn as it is simulated.
type inPresent struct {
	figure
	id     uint32
	source ecs.Entity // in the world, at the last lookup
}

// NewPresent returns Interpolate for a client that simulates everything. coming returns the tick that is simulated
// next.
func NewPresent(parts Parts, coming func() uint32) *Present {
	p := &Present{System: newSystem(parts), byID: make(map[uint32]*inPresent)}
	p.renderer, p.coming = p, coming
	return p
}

// BeginStep and EndStep enclose the simulation of ticks up to and including next.
func (p *Present) BeginStep(next uint32) { p.step, p.next = true, next }

// EndStep ends the step that BeginStep started.
func (p *Present) EndStep() { p.step = false }

// Rewind stores the drawn poses before ticks are simulated again. Between steps, when the world is replaced, it
// discards the visual errors instead.
func (p *Present) Rewind(from uint32) {
	if p.changed = from; !p.step {
		for _, x := range p.list {
			x.error.drop()
		}
		return
	}
	p.kept = p.kept[:0]
	if p.smoothing.Off {
		return
	}
	p.locate()
	for _, x := range p.list {
		if !x.source.IsZero() {
			p.keepSimulated(x.id, &x.figure, x.source)
		}
	}
}

// Start looks up the stored entities in the first tick that is simulated again. Entities that were created later
// may not be the same ones.
func (p *Present) Start(tick uint32) {
	p.tick = tick
	if p.step && tick == p.changed {
		p.lookUp()
	}
}

// Done computes the visual errors after the last tick that is simulated again.
func (p *Present) Done() {
	if len(p.kept) > 0 && p.step && p.tick+1 == p.next {
		p.lookUp()
		p.takeErrors()
	}
}

// lookUp finds the entities with stored poses in the world. Recreated entities have new handles.
func (p *Present) lookUp() {
	for i := range p.kept {
		x := &p.kept[i]
		x.e, _ = p.world.ByNetID(components.NetID(x.id))
		x.lost = x.lost || x.e.IsZero()
	}
}

// Settle does nothing: final ticks have been drawn.
func (p *Present) Settle(uint32) {}

// locate finds the entities of the view in the world. Recreated entities have new handles.
func (p *Present) locate() {
	for _, x := range p.list {
		x.source, _ = p.world.ByNetID(components.NetID(x.id))
	}
}

// draw copies the world to the view and applies the visual errors.
func (p *Present) draw(share float64) progress {
	p.head = float64(p.coming()) + share
	p.locate()
	kept, there := p.list[:0], 0
	for _, x := range p.list {
		if x.source.IsZero() {
			p.hide(x.id, &x.figure)
			delete(p.byID, x.id)
			p.spare = append(p.spare, x)
			continue
		}
		kept = append(kept, x)
		p.drawWorld(x.id, &x.figure, x.source, true)
	}
	p.list = kept
	for t := range p.world.Netcode().Tables {
		there += len(t.Entities)
	}
	if there != len(p.list) {
		p.world.Netcode().Tables(p.drawNew)
	}
	return moves
}

// drawNew adds the new entities of a table to the view.
func (p *Present) drawNew(t ecs.Table) bool {
	for i, id := range t.NetIDs {
		if p.byID[uint32(id)] != nil {
			continue
		}
		x := p.newEntity(uint32(id))
		x.source = t.Entities[i]
		p.byID[x.id] = x
		p.list = append(p.list, x)
		p.drawWorld(x.id, &x.figure, x.source, true)
	}
	return true
}

// newEntity returns a record for an entity and reuses memory.
func (p *Present) newEntity(id uint32) *inPresent {
	n := len(p.spare)
	if n == 0 {
		return &inPresent{id: id}
	}
	x := p.spare[n-1]
	p.spare = p.spare[:n-1]
	x.id = id
	return x
}

func (p *Present) find(id uint32) (f *figure, simulated bool) {
	x := p.byID[id]
	if x == nil {
		return nil, false
	}
	return &x.figure, !x.source.IsZero()
}
