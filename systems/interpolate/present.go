package interpolate

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Present draws what a client simulates that simulates everything. An input of another
// player that comes late makes the world one in which it always was there; the view keeps
// the places that it showed, and the difference fades as the visual error of any other
// correction does. It hears from the timeline when ticks are simulated again.
type Present struct {
	*System
	list    []*inPresent // of what is in the view, in the order it came up
	byID    map[uint32]*inPresent
	spare   []*inPresent
	step    bool   // of the timeline goes on
	next    uint32 // the tick that this step is for
	changed uint32 // the first that is simulated again before
	tick    uint32 // that is simulated
}

// inPresent is an entity that is drawn as it is simulated.
type inPresent struct {
	figure
	id     uint32
	source ecs.Entity // in the world, when it was last looked for
}

// NewPresent is Interpolate of a client that simulates everything; coming is the tick that is
// simulated next.
func NewPresent(parts Parts, coming func() uint32) *Present {
	p := &Present{System: newSystem(parts), byID: make(map[uint32]*inPresent)}
	p.way, p.coming = p, coming
	return p
}

// BeginStep and EndStep enclose what the timeline simulates up to the tick next, and that tick.
func (p *Present) BeginStep(next uint32) { p.step, p.next = true, next }

// EndStep ends what BeginStep began.
func (p *Present) EndStep() { p.step = false }

// Rewind keeps what is drawn, before ticks are simulated again; with another world,
// between steps, there is nothing to keep.
func (p *Present) Rewind(from uint32) {
	if p.changed = from; !p.step {
		for _, x := range p.list {
			x.settled()
		}
		return
	}
	p.kept.clear()
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

// Start looks, in the first tick that is simulated again, for what was there before. Of an entity
// that came up in the ticks since nobody can say that it is the same.
func (p *Present) Start(tick uint32) {
	p.tick = tick
	if p.step && tick == p.changed {
		p.lookUp()
	}
}

// Done takes what has become of it, once the world stands where it did.
func (p *Present) Done() {
	if len(p.kept.list) > 0 && p.step && p.tick+1 == p.next {
		p.lookUp()
		p.takeErrors()
	}
}

// lookUp finds those whose pose is kept in the world, where those that come back have other handles.
func (p *Present) lookUp() {
	for i := range p.kept.list {
		x := &p.kept.list[i]
		x.e, _ = p.world.ByNetID(components.NetID(x.id))
		x.lost = x.lost || x.e.IsZero()
	}
}

// Settle does nothing: what is final has been drawn.
func (p *Present) Settle(uint32) {}

// locate finds the entities of the view in the world, where those that come back have
// other handles.
func (p *Present) locate() {
	for _, x := range p.list {
		x.source, _ = p.world.ByNetID(components.NetID(x.id))
	}
}

// draw makes the view what the world is, and moves it by the visual errors.
func (p *Present) draw(share float64) (stalled bool) {
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
		p.simulated(x.id, &x.figure, x.source)
	}
	p.list = kept
	for t := range p.world.Netcode().Tables {
		there += len(t.Entities)
	}
	if there != len(p.list) {
		p.world.Netcode().Tables(p.drawNew)
	}
	return false
}

// drawNew draws what is new in a table.
func (p *Present) drawNew(t ecs.Table) bool {
	for i, id := range t.NetIDs {
		if p.byID[uint32(id)] != nil {
			continue
		}
		x := p.taken(uint32(id))
		x.source = t.Entities[i]
		p.byID[x.id] = x
		p.list = append(p.list, x)
		p.simulated(x.id, &x.figure, x.source)
	}
	return true
}

// taken is what is kept of an entity, in memory that was used before if there is some.
func (p *Present) taken(id uint32) *inPresent {
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
