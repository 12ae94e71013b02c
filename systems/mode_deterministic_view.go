package systems

import "github.com/tactusgo/tactus/ecs"

// deterministicView draws what a client simulates that simulates everything. An input of another
// player that comes late makes the world one in which it always was there; the view keeps
// the places that it showed, and the difference fades as the visual error of any other
// correction does. It hears from the timeline when ticks are simulated again.
type deterministicView struct {
	c       *Client
	list    []*figure // of what is in the view, in the order it came up
	byID    map[uint32]*figure
	spare   []*figure
	step    bool   // of the timeline goes on
	next    uint32 // the tick that this step is for
	changed uint32 // the first that is simulated again before
}

// figure is an entity that is drawn as it is simulated.
type figure struct {
	id     uint32
	entity ecs.Entity // in the client's world
	drawn  drawn
}

// begin and end enclose a step of the timeline, which is for the tick next.
func (v *deterministicView) begin(next uint32) { v.step, v.next = true, next }
func (v *deterministicView) end()              { v.step = false }

// Rewind keeps what is drawn, before ticks are simulated again; with another world,
// between steps, there is nothing to keep.
func (v *deterministicView) Rewind(from uint32) {
	if v.changed = from; v.step {
		v.locate()
		if v.c.beginPoses() {
			for _, f := range v.list {
				v.c.keepSimulated(f.id, f.entity, &f.drawn)
			}
		}
		return
	}
	for _, f := range v.list {
		f.drawn.settled()
	}
}

// Start takes what has become of it, once the world stands where it did. Of an entity that
// came up in ticks that are simulated again nobody can say that it is the same: what was
// there first has that NetID.
func (v *deterministicView) Start(tick uint32) {
	s := &v.c.interpolator.smoother
	if len(s.posed) == 0 || !v.step || tick != v.changed && tick != v.next {
		return
	}
	for i := range s.posed {
		x := &s.posed[i]
		x.e, _ = v.c.world.ByNetID(netID(x.id))
		if tick != v.next {
			x.lost = x.e.IsZero()
		}
	}
	if tick == v.next {
		v.c.takeErrors()
	}
}

// Done does nothing: a step ends with end.
func (v *deterministicView) Done() {}

// Settle does nothing: what is final has been drawn.
func (v *deterministicView) Settle(uint32) {}

// locate finds the entities of the view in the world, where those that come back have
// other handles.
func (v *deterministicView) locate() {
	for _, f := range v.list {
		f.entity, _ = v.c.world.ByNetID(netID(f.id))
	}
}

// draw makes the view what the world is, and moves it by the visual errors.
func (v *deterministicView) draw() {
	c, there := v.c, 0
	v.locate()
	kept := v.list[:0]
	for _, f := range v.list {
		if f.entity.IsZero() {
			c.hide(f.id, &f.drawn)
			delete(v.byID, f.id)
			v.spare = append(v.spare, f)
			continue
		}
		kept = append(kept, f)
		c.drawOwn(f.id, f.entity, &f.drawn)
	}
	v.list = kept
	for t := range c.world.Netcode().Tables {
		there += len(t.Entities)
	}
	if there != len(v.list) {
		c.world.Netcode().Tables(v.show)
	}
}

// show adds to the view what is new in a table.
func (v *deterministicView) show(t ecs.Table) bool {
	for i, id := range t.NetIDs {
		if v.byID[uint32(id)] != nil {
			continue
		}
		f := v.taken(uint32(id))
		f.entity = t.Entities[i]
		v.byID[f.id] = f
		v.list = append(v.list, f)
		v.c.drawOwn(f.id, f.entity, &f.drawn)
	}
	return true
}

// taken is a figure for an entity, one that was used before if there is one.
func (v *deterministicView) taken(id uint32) *figure {
	n := len(v.spare)
	if n == 0 {
		return &figure{id: id}
	}
	f := v.spare[n-1]
	v.spare = v.spare[:n-1]
	f.id = id
	return f
}
