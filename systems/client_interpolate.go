package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// interpolate is the system Interpolate: it writes what is to be drawn into the
// view. Own entities stand where the client predicts them; all others between
// the two confirmed states around the playback head.
func (c *Client) interpolate(*ecs.World) {
	c.clock.advance(c.now)
	head := c.clock.head
	waiting := false
	for _, r := range c.replicas {
		switch {
		case r.goneAt != 0 && (head >= float64(r.goneAt) || r.own):
			c.hide(r)
		case c.world.Parked(r.entity):
			c.hide(r)
		case !r.entity.IsZero() && c.simulates(r.entity):
			c.drawOwn(r)
		case c.clock.running:
			waiting = c.drawBetween(r, head) || waiting
		}
	}
	c.drawSpawns()
	if c.clock.running && (waiting || c.clock.stalled()) {
		c.stats.Stalls++
	}
}

// hide takes an entity out of the view.
func (c *Client) hide(r *replica) {
	if !r.drawn.IsZero() {
		c.view.Discard(netID(r.id))
		r.drawn = ecs.Entity{}
	}
}

// drawOwn copies a predicted entity into the view.
func (c *Client) drawOwn(r *replica) {
	if key := ecs.Get[ecs.SpawnKey](c.world, r.entity); key != nil && r.drawn.IsZero() {
		r.drawn, _ = c.view.Confirm(*key, netID(r.id))
	}
	mask := c.world.Mask(r.entity)
	c.show(r, mask, true)
	c.copyOwn(r.drawn, r.entity, ^uint64(0))
}

// copyOwn copies the values of an entity's components to one of the view.
func (c *Client) copyOwn(drawn, e ecs.Entity, mask uint64) {
	for _, comp := range c.replicated {
		src := c.world.Pointer(e, comp)
		if comp.Words == 0 || src == nil || mask&(1<<comp.Replicated()) == 0 {
			continue
		}
		dst := c.view.Pointer(drawn, comp)
		n := comp.Schema.Size
		copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
	}
}

// show makes sure that the view has the entity with these components.
func (c *Client) show(r *replica, mask uint64, own bool) {
	if r.drawn.IsZero() || c.view.Mask(r.drawn) != mask || ecs.Has[components.Predicted](c.view, r.drawn) != own {
		r.drawn = c.view.Replica(netID(r.id), mask, own)
	}
}

// drawBetween writes the state of an entity at the playback head into the view.
// It reports whether there was no later state to move toward.
func (c *Client) drawBetween(r *replica, head float64) (waiting bool) {
	from, to, gone := c.groups[r.group].around(r.id, r.slot, head)
	k, before := int(r.slot), false
	if r.moved { // it has other components from now on, but maybe not yet at the head
		old, later, _ := c.groups[r.before[0]].around(r.id, r.before[1], head)
		before = old != nil && (from == nil || old.tick > from.tick)
		r.moved = before || from == nil
		if before {
			from, to, gone, k = old, later, false, int(r.before[1])
		}
	}
	switch {
	case from == nil:
		return false // not yet in sight
	case gone && r.goneAt != 0:
		c.hide(r) // an earlier state, which came later, had it gone already
		return false
	}
	mask, rec := from.Masks[k], from.Record(k)
	c.show(r, mask|r.private, false)
	f := 0.0
	var next []int32
	if to != nil && to.Masks[k] == mask {
		next = to.Record(k)
		f = (head - float64(from.tick)) / float64(to.tick-from.tick)
	}
	at := 0
	for m := mask; m != 0; m &= m - 1 {
		comp := c.replicated[trailing(m)]
		if comp.Words == 0 {
			continue
		}
		dst := c.view.Pointer(r.drawn, comp)
		comp.Schema.Dequantize(dst, rec[at:], comp.Words, 1)
		if f > 0 && comp.Mode&ecs.Interpolated != 0 {
			later := c.scratchFor(comp)
			comp.Schema.Dequantize(later, next[at:], comp.Words, 1)
			comp.Schema.Lerp(dst, dst, later, f)
		}
		at += comp.Words
	}
	if r.private != 0 && !r.entity.IsZero() {
		c.copyOwn(r.drawn, r.entity, r.private)
	}
	return to == nil && r.goneAt == 0 && !before
}

// drawnSend is the oldest send that drawing may still need.
func (c *Client) drawnSend() (uint32, bool) {
	if !c.clock.running || c.newestSend == 0 {
		return c.newestSend, false
	}
	back := uint32(max(float64(c.newestTick)-c.clock.head, 0)/c.clock.every) + 3
	return c.newestSend - min(back, c.newestSend-1), true
}
