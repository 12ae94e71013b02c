package snapshot

import (
	"math/bits"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// An entity moves to a slot of another group when its components or its home change, and for one client when that
// client comes to see more or fewer of its components (see interest.Client.Elsewhere). A client that received the old
// slot before the new one would remove the entity from its world. The old slot is therefore withheld until the client has
// acknowledged the entity in the new one. Slots in the same datagram need not wait.

// maxWithheld is for how many sends a slot is withheld at most after another entity has taken it: two entities that
// swapped places would wait for each other forever.
const maxWithheld = 32

// withheld is the slots that the client of the draft is not sent yet.
type withheld struct {
	known bool     // slots is up to date
	slots []uint64 // by the group's number for the client; none of the groups behind
}

// get returns the withheld slots of a group.
func (x *withheld) get(number uint32) uint64 {
	if int(number) < len(x.slots) {
		return x.slots[number]
	}
	return 0
}

// findWithheld returns the slots that are withheld, which it finds at the first call for a client.
func (d *draft) findWithheld() *withheld {
	x, c, s := &d.withheld, d.c, d.sys
	if x.known {
		return x
	}
	clear(x.slots)
	x.known, x.slots = true, x.slots[:0]
	checked := d.f.Send
	for _, m := range s.frames.Moved(c.movesChecked) {
		for n := range c.numbers(m.Group) {
			h := c.baselines.World.At(uint32(n))
			if h == nil || h.EverSent()>>m.Slot&1 == 0 || h.Newest(m.Slot) >= m.Send || c.holds(m.ToGroup, m.ToSlot, m.Send) || !d.awaitsEntity(uint32(m.ID)) {
				continue
			}
			checked = min(checked, m.Send-1)
			if d.f.Groups[m.Group].Alive>>m.Slot&1 == 0 || d.f.Send-m.Send < maxWithheld {
				x.slots = reuse.Longer(x.slots, max(len(x.slots), n+1))
				x.slots[n] |= 1 << m.Slot
			}
		}
	}
	c.movesChecked = c.join.oldestNeeded(checked) // the state that streams to it may still contain old slots
	return x
}

// unseenSlots returns the slots of a group that are sent as out of sight if they are hidden. Hidden slots of entities
// that the client sees in another group, or that are gone, are sent as empty.
func (d *draft) unseenSlots(g int) uint64 {
	return (d.f.Same(d.sys.frames.At(d.sys.sends.before), g) | d.sys.frames.Moves(g).Away(wire.AllSlots, 0)) &^ d.c.sight.Elsewhere(g)
}

// unseenSlotsOfLeaving returns unseenSlots of a group of which the client sees nothing any more.
func (d *draft) unseenSlotsOfLeaving(g int) uint64 {
	if !d.sys.config.Interest.HidesComponents() {
		return wire.AllSlots
	}
	return d.unseenSlots(g)
}

// seenElsewhere returns those of the hidden slots of a group whose entity the client sees in another slot, and does not
// hold there yet.
func (d *draft) seenElsewhere(number int, slots uint64) (waits uint64) {
	if !d.sys.config.Interest.HidesComponents() {
		return 0
	}
	p := &d.c.sight.view.groups[number]
	f, g := d.f, p.place
	if g == leaving {
		f, g = d.sys.frames.At(p.send), p.was
	} else if g != free {
		slots &= d.c.sight.Elsewhere(int(g))
	}
	if f == nil || g == free {
		return 0
	}
	for m := slots & f.Groups[g].Alive; m != 0; m &= m - 1 {
		if d.awaitsEntity(f.Groups[g].IDs[bits.TrailingZeros64(m)]) {
			waits |= m & -m
		}
	}
	return waits
}

// awaitsEntity reports whether the client sees an entity and does not hold it in the slot where it is now. A slot that
// the client was never sent gets the highest priority.
func (d *draft) awaitsEntity(id uint32) bool {
	c := d.c
	for g, k := range d.sys.frames.Slots(components.NetID(id)) {
		if !c.sees(g, k) {
			continue
		}
		n, bit := c.number(g), uint64(1)<<k
		h := c.baselines.World.At(uint32(n))
		if h.EverSent()&bit == 0 {
			c.accumulated.grow(n + 1)[n].group = maxRounds
			if d.sys.config.Priority != nil {
				c.accumulated.ofSlots(uint32(n))[k] = firstPriority
			}
		}
		return h.Newest(k) < d.sys.frames.Moves(g).Since(k)
	}
	return false
}
