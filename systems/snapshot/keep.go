package snapshot

import "github.com/tactusgo/tactus/internal/reuse"

// An entity that gets other components, or another home, moves to a slot of another group. A client that hears of the old
// slot before it hears of the new one would take the entity out of its world. So it is told nothing of the old slot until it
// has acknowledged the entity in the new one. Where one datagram tells of all slots there is nothing to wait for.

// takenWaits is for how many sends a slot waits at most that another entity has taken: two that changed places would wait for
// each other for ever.
const takenWaits = 32

// keeping is the slots of which the client at hand is not told yet.
type keeping struct {
	known bool
	slots []uint64 // by the group's number for the client; those behind have none
}

// of are those of a group.
func (x *keeping) of(number uint32) uint64 {
	if int(number) < len(x.slots) {
		return x.slots[number]
	}
	return 0
}

// keep finds them.
func (d *draft) keep() *keeping {
	x, c, s := &d.keeping, d.c, d.sys
	if x.known {
		return x
	}
	clear(x.slots)
	x.known, x.slots = true, x.slots[:0]
	settled := d.f.Send
	for _, m := range s.frames.Moved(c.settled) {
		for n := range c.numbers(m.Group) {
			h := c.baselines.World.At(uint32(n))
			if h == nil || h.EverSent()>>m.Slot&1 == 0 || h.Newest(m.Slot) >= m.Send || c.holds(m.ToGroup, m.ToSlot, m.Send) || !waitsFor(d, uint32(m.ID)) {
				continue
			}
			settled = min(settled, m.Send-1)
			if d.f.Groups[m.Group].Alive>>m.Slot&1 == 0 || d.f.Send-m.Send < takenWaits {
				x.slots = reuse.Longer(x.slots, max(len(x.slots), n+1))
				x.slots[n] |= 1 << m.Slot
			}
		}
	}
	c.settled = c.join.keeps(settled) // of the state that streams to it, it may have yet to hear of old slots
	return x
}
