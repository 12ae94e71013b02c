package systems

import (
	"math"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// interpolator is where the view stands between states.
type interpolator struct {
	clock       playback
	damping     damping
	smoother    smoother
	frameBefore time.Time // the one that the view showed until this one
	frameAt     time.Time
	sight       sight
	claim       lagcomp.Claim // made last
	drawn       mirror.Records[drawn]
}

// drawn is how an entity is drawn.
type drawn struct {
	entity  ecs.Entity // in the view; zero: not there
	between [2]uint32  // ticks of the states that it was drawn between last; 0: none
	ahead   uint32     // send of the state that the last frame carried it on from; 0: it did not
	blend   *blend     // nil: it was always drawn in one way
	error   *visualError
	lag     []float64 // seconds of frames that were too short to move a component; see damping
}

// interpolate is the system Interpolate: it writes what is to be drawn into the
// view. What the client simulates stands where it predicts it; all others between
// the two confirmed states around the playback head.
func (c *Client) interpolate(*ecs.World) {
	defer c.world.Netcode().EndPartial() // also when a rule panics
	c.beginPartial()
	if c.model.damped {
		c.interpolateDamped()
		return
	}
	c.interpolator.clock.advance(c.steps.now)
	c.interpolator.clock.from = math.MaxUint32
	head := c.interpolator.sight.begin(c.interpolator.clock.head)
	waiting := false
	for _, r := range c.mirror.replicas {
		d := c.interpolator.drawn.Of(r)
		switch {
		case r.Removed.Tick != 0 && (head >= float64(r.Removed.Tick) || r.Simulated):
			c.hide(r.ID, d)
		case c.world.Netcode().Suspended(r.Entity):
			c.hide(r.ID, d)
		case !r.Entity.IsZero() && c.simulates(r.Entity):
			c.drawOwn(r.ID, r.Entity, d)
		case c.interpolator.clock.running:
			waiting = c.drawBetween(r, d, head) || waiting
		}
	}
	c.drawSpawns()
	if c.reconciler.co.any && c.interpolator.sight.votes == 0 && c.interpolator.sight.from == 0 {
		c.interpolator.sight = sight{} // all are shown in the present
	}
	if c.interpolator.clock.running && (waiting || c.interpolator.clock.stalled()) {
		c.stats.Stalls++
	}
}

// hide takes an entity out of the view.
func (c *Client) hide(id uint32, d *drawn) {
	if !d.entity.IsZero() {
		c.view.Netcode().Discard(netID(id))
		d.entity, d.ahead = ecs.Entity{}, 0
		d.settled()
		if d.blend != nil {
			d.blend.on = false
		}
	}
}

// drawOwn copies an entity that is simulated here into the view.
func (c *Client) drawOwn(id uint32, e ecs.Entity, d *drawn) {
	if key := ecs.Get[ecs.SpawnKey](c.world, e); key != nil && d.entity.IsZero() {
		d.entity, _ = c.view.Netcode().Confirm(*key, netID(id))
	}
	mask := c.world.Netcode().Mask(e)
	d.landed(c.interpolator.smoother.jumpsOf(c.view, d.entity), c.interpolator.smoother.jumpsOf(c.world, e))
	c.show(id, d, mask, true)
	c.copyOwn(d.entity, e, ^uint64(0))
	c.drawError(d)
	c.blendPose(d)
}

// copyOwn copies the values of an entity's components to one of the view.
func (c *Client) copyOwn(drawn, e ecs.Entity, mask uint64) {
	for _, comp := range c.shape.replicated {
		src := c.world.Netcode().Pointer(e, comp)
		if comp.Words == 0 || src == nil || mask&(1<<comp.Replicated()) == 0 {
			continue
		}
		dst := c.view.Netcode().Pointer(drawn, comp)
		n := comp.Schema.Size
		copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
	}
}

// show makes sure that the view has the entity with these components.
func (c *Client) show(id uint32, d *drawn, mask uint64, own bool) {
	if d.entity.IsZero() || c.view.Netcode().Mask(d.entity) != mask || ecs.Has[components.Predicted](c.view, d.entity) != own {
		d.entity = c.view.Netcode().Replica(netID(id), mask, own)
	}
}

// drawBetween writes the state of an entity at the playback head into the view.
// It reports whether there was no later state to move toward.
func (c *Client) drawBetween(r *mirror.Replica, d *drawn, head float64) (waiting bool) {
	h := c.mirror.groups[r.At.Group]
	from, to, gone := h.Around(r.ID, r.At.Slot, head)
	k, before := int(r.At.Slot), false
	if r.Moved { // it has other components from now on, but maybe not yet at the head
		old, later, _ := c.mirror.groups[r.Before.Group].Around(r.ID, r.Before.Slot, head)
		before = old != nil && (from == nil || old.Tick > from.Tick)
		r.Moved = before || from == nil
		if before {
			from, to, gone, k = old, later, false, int(r.Before.Slot)
		}
	}
	switch {
	case from == nil:
		return false // not yet in sight
	case gone && r.Removed.Tick != 0:
		c.hide(r.ID, d) // an earlier state, which came later, had it gone already
		return false
	}
	if !r.Moved && !gone {
		from, to = d.goOn(r, h, from, to, head)
	}
	if to != nil {
		c.interpolator.clock.from = min(c.interpolator.clock.from, from.Tick)
	}
	c.interpolator.sight.between(from, to)
	g := c.segmentOf(h, from, to, k, head)
	jumps := c.interpolator.smoother.jumpsOf(c.view, d.entity)
	c.show(r.ID, d, g.mask|r.Private, false)
	kept := !before && c.keepAhead(r, d, h, from, to, head)
	c.drawSegment(d, &g)
	d.tell(from, to, g.ahead > 0 && !before)
	d.landed(jumps, c.interpolator.smoother.jumpsOf(c.view, d.entity))
	if kept {
		c.takeAhead(d)
	}
	if r.Private != 0 && !r.Entity.IsZero() {
		c.copyOwn(d.entity, r.Entity, r.Private)
	}
	if held := c.owned.Mask(r.Entity); held != 0 {
		c.copyOwn(d.entity, r.Entity, held&g.mask)
	}
	c.drawError(d)
	c.blendPose(d)
	return to == nil && r.Removed.Tick == 0 && !before
}

// goOn stays with the two states that an entity was drawn between in the last frame for as
// long as the head is there: one between them that comes only now would make it jump.
func (d *drawn) goOn(r *mirror.Replica, h *mirror.History, from, to *mirror.State, head float64) (a, b *mirror.State) {
	since, until := d.between[0], d.between[1]
	if until == 0 || head < float64(since) || head >= float64(until) || to != nil && from.Tick == since && to.Tick == until {
		return from, to
	}
	a, _, _ = h.Around(r.ID, r.At.Slot, float64(since))
	b, _, _ = h.Around(r.ID, r.At.Slot, float64(until))
	if a == nil || b == nil || a.Tick != since || b.Tick != until {
		return from, to
	}
	return a, b
}

// tell notes what an entity is drawn between.
func (d *drawn) tell(from, to *mirror.State, ahead bool) {
	d.between, d.ahead = [2]uint32{from.Tick, 0}, 0
	if to != nil {
		d.between[1] = to.Tick
	} else if ahead {
		d.ahead = from.Send
	}
}

// drawnSend is the oldest send that drawing may still need.
func (c *Client) drawnSend() (uint32, bool) {
	if !c.interpolator.clock.running || c.mirror.newestSend == 0 {
		return c.mirror.newestSend, false
	}
	back := uint32(max(float64(c.mirror.newestTick)-c.interpolator.clock.head, 0)/c.interpolator.clock.every) + 3
	return min(c.mirror.newestSend-min(back, c.mirror.newestSend-1), c.interpolator.clock.from/c.shape.sendEvery), true
}
