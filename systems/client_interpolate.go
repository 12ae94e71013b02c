package systems

import (
	"math"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
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
		switch {
		case r.removedTick != 0 && (head >= float64(r.removedTick) || r.own):
			c.hide(r)
		case c.world.Netcode().Suspended(r.entity):
			c.hide(r)
		case !r.entity.IsZero() && c.simulates(r.entity):
			c.drawOwn(r)
		case c.interpolator.clock.running:
			waiting = c.drawBetween(r, head) || waiting
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
func (c *Client) hide(r *replica) {
	if !r.drawn.IsZero() {
		c.view.Netcode().Discard(netID(r.id))
		r.drawn, r.ahead = ecs.Entity{}, 0
		r.settled()
		if r.blend != nil {
			r.blend.on = false
		}
	}
}

// drawOwn copies a predicted entity into the view.
func (c *Client) drawOwn(r *replica) {
	if key := ecs.Get[ecs.SpawnKey](c.world, r.entity); key != nil && r.drawn.IsZero() {
		r.drawn, _ = c.view.Netcode().Confirm(*key, netID(r.id))
	}
	mask := c.world.Netcode().Mask(r.entity)
	r.landed(c.interpolator.smoother.jumpsOf(c.view, r.drawn), c.interpolator.smoother.jumpsOf(c.world, r.entity))
	c.show(r, mask, true)
	c.copyOwn(r.drawn, r.entity, ^uint64(0))
	c.drawError(r)
	c.blendPose(r)
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
func (c *Client) show(r *replica, mask uint64, own bool) {
	if r.drawn.IsZero() || c.view.Netcode().Mask(r.drawn) != mask || ecs.Has[components.Predicted](c.view, r.drawn) != own {
		r.drawn = c.view.Netcode().Replica(netID(r.id), mask, own)
	}
}

// drawBetween writes the state of an entity at the playback head into the view.
// It reports whether there was no later state to move toward.
func (c *Client) drawBetween(r *replica, head float64) (waiting bool) {
	h := c.mirror.groups[r.group]
	from, to, gone := h.around(r.id, r.slot, head)
	k, before := int(r.slot), false
	if r.moved { // it has other components from now on, but maybe not yet at the head
		old, later, _ := c.mirror.groups[r.before[0]].around(r.id, r.before[1], head)
		before = old != nil && (from == nil || old.tick > from.tick)
		r.moved = before || from == nil
		if before {
			from, to, gone, k = old, later, false, int(r.before[1])
		}
	}
	switch {
	case from == nil:
		return false // not yet in sight
	case gone && r.removedTick != 0:
		c.hide(r) // an earlier state, which came later, had it gone already
		return false
	}
	if !r.moved && !gone {
		from, to = r.goOn(h, from, to, head)
	}
	if to != nil {
		c.interpolator.clock.from = min(c.interpolator.clock.from, from.tick)
	}
	c.interpolator.sight.between(from, to)
	g := c.segmentOf(h, from, to, k, head)
	jumps := c.interpolator.smoother.jumpsOf(c.view, r.drawn)
	c.show(r, g.mask|r.private, false)
	kept := !before && c.keepAhead(r, h, from, to, head)
	c.drawSegment(r, &g)
	r.tell(from, to, g.ahead > 0 && !before)
	r.landed(jumps, c.interpolator.smoother.jumpsOf(c.view, r.drawn))
	if kept {
		c.takeAhead(r)
	}
	if r.private != 0 && !r.entity.IsZero() {
		c.copyOwn(r.drawn, r.entity, r.private)
	}
	if held := c.ownedMask(r); held != 0 {
		c.copyOwn(r.drawn, r.entity, held&g.mask)
	}
	c.drawError(r)
	c.blendPose(r)
	return to == nil && r.removedTick == 0 && !before
}

// goOn stays with the two states that an entity was drawn between in the last frame for as
// long as the head is there: one between them that comes only now would make it jump.
func (r *replica) goOn(h *history, from, to *state, head float64) (a, b *state) {
	since, until := r.between[0], r.between[1]
	if until == 0 || head < float64(since) || head >= float64(until) || to != nil && from.tick == since && to.tick == until {
		return from, to
	}
	a, _, _ = h.around(r.id, r.slot, float64(since))
	b, _, _ = h.around(r.id, r.slot, float64(until))
	if a == nil || b == nil || a.tick != since || b.tick != until {
		return from, to
	}
	return a, b
}

// tell notes what an entity is drawn between.
func (r *replica) tell(from, to *state, ahead bool) {
	r.between, r.ahead = [2]uint32{from.tick, 0}, 0
	if to != nil {
		r.between[1] = to.tick
	} else if ahead {
		r.ahead = from.Send
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
