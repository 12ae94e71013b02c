package snapshot

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Stage 2: what the client may see. If the interest can hide something this is a set of entities, see set.go. Otherwise the
// client sees everything, except entities that fit none of its snapshots.

// updateInterest finds what the client may see of the frame.
func (d *draft) updateInterest() {
	s, c, f := d.sys, d.c, d.f
	if c.limited {
		d.updateSet()
		return
	}
	if s.config.Interest != nil {
		c.set.Stand(s.config.Interest, c.sight, &d.sets.room)
	}
	if c.baselines.World.Grow(len(f.Groups)); !c.leftOut {
		return
	}
	c.leftOut = false
	for g := range f.Groups {
		if h := c.baselines.World.At(uint32(g)); h.LeftOut() != 0 || !h.Whole() {
			out := h.StillLeftOut(f.Send, f.Groups[g].Alive)
			c.leftOut = c.leftOut || out != 0
			d.hide(uint32(g), ^out)
		}
	}
}

// hide notes which slots of a group the client may see from now on. The others are sent as out of sight, or as empty if their
// entity has moved to another slot.
func (d *draft) hide(g uint32, seen uint64) {
	c, frames := d.c, d.sys.frames
	unseen := d.f.Same(frames.At(d.sys.sends.before), int(g)) | frames.Moves(int(g)).Away(wire.AllSlots, 0)
	if gone := c.baselines.Hide(g, d.f.Send, seen, unseen); gone != 0 && c.join.state == joinStream {
		c.join.stream.removeHidden(&d.encoder, int(g), gone)
	}
}

// holds reports whether the client has acknowledged a state of a slot of a group of the given send or a later one.
func (c *Client) holds(group, slot int, send uint32) bool {
	h := c.baselines.World.At(uint32(group))
	return h != nil && h.Newest(slot) >= send
}

// sees reports whether the client sees a slot of a group.
func (c *Client) sees(group, slot int) bool {
	if c.limited {
		return group < len(c.set.shown) && c.set.shown[group]>>slot&1 != 0
	}
	h := c.baselines.World.At(uint32(group))
	if h == nil {
		return false
	}
	hidden, _ := h.Hidden()
	return hidden>>slot&1 == 0
}

// findSlot returns where an entity is in frames as the client sees it, or with all of its components if it does not.
func (s *System) findSlot(c *Client, id components.NetID) (group, slot int, ok bool) {
	if s.config.Interest.HidesComponents() {
		for group, slot := range s.frames.Slots(id) {
			if c.sees(group, slot) {
				return group, slot, true
			}
		}
	}
	return s.frames.Slot(id)
}
