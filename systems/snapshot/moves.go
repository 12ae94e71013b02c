package snapshot

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/internal/reuse"
)

// An entity moves to a slot of another group when its components or its home change. A client that received the old
// slot before the new one would remove the entity from its world. The old slot is therefore withheld until the client has
// acknowledged the entity in the new one. Slots in the same datagram need not wait.

// maxWithheld is the maximum number of sends for which a slot is withheld after another entity has taken it. Without a limit,
// two entities that swapped slots would wait for each other forever.
const maxWithheld = 32

// withheld holds the slots that must wait before the client of the draft is sent them.
type withheld struct {
	known bool     // slots is up to date
	slots []uint64 // by group; later groups have none
}

// get returns the withheld slots of a group.
func (x *withheld) get(group uint32) uint64 {
	if int(group) < len(x.slots) {
		return x.slots[group]
	}
	return 0
}

// findWithheld returns the withheld slots. It computes them at the first call for a client.
func (d *draft) findWithheld() *withheld {
	x, c, s := &d.withheld, d.c, d.sys
	if x.known {
		return x
	}
	clear(x.slots)
	x.known, x.slots = true, x.slots[:0]
	checked := d.f.Send
	for _, m := range s.frames.Moved(c.movesChecked) {
		h := c.baselines.World.At(uint32(m.Group))
		if h == nil || h.EverSent()>>m.Slot&1 == 0 || h.Newest(m.Slot) >= m.Send || c.holds(m.ToGroup, m.ToSlot, m.Send) || !d.awaitsEntity(uint32(m.ID)) {
			continue
		}
		checked = min(checked, m.Send-1)
		if d.f.Groups[m.Group].Alive>>m.Slot&1 == 0 || d.f.Send-m.Send < maxWithheld {
			x.slots = reuse.Longer(x.slots, max(len(x.slots), m.Group+1))
			x.slots[m.Group] |= 1 << m.Slot
		}
	}
	c.movesChecked = c.join.oldestNeeded(checked) // the state that streams to it may still contain old slots
	return x
}

// awaitsEntity reports whether the client sees an entity but does not have it in its current slot. A slot that the client was
// never sent gets the highest priority.
func (d *draft) awaitsEntity(id uint32) bool {
	c := d.c
	for g, k := range d.sys.frames.Slots(components.NetID(id)) {
		if !c.sees(g, k) {
			continue
		}
		h, bit := c.baselines.World.At(uint32(g)), uint64(1)<<k
		if h.EverSent()&bit == 0 {
			c.accumulated.grow(g + 1)[g].group = maxRounds
			if d.sys.config.Priority != nil {
				c.accumulated.ofSlots(uint32(g))[k] = firstPriority
			}
		}
		return h.Newest(k) < d.sys.frames.Moves(g).Since(k)
	}
	return false
}
