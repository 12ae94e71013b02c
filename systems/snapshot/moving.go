package snapshot

import (
	"math/bits"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Where a client comes to know more or fewer components of an entity, that moves to another group for it: see
// interest.Client.Elsewhere. The old slot is told as empty, not as out of sight, and only once the client holds the
// entity in the new one, since it cannot know that there is one. Until then the entity is as it was told last.

// stays are the slots of a group, where they are out of sight, of which the client is told that an entity went there: not
// those of entities that it is told of in another group, or that are gone.
func stays(d *draft, g int) uint64 {
	return (d.f.Same(d.sys.frames.At(d.sys.sends.before), g) | d.sys.frames.Moves(g).Away(wire.AllSlots, 0)) &^ d.c.sight.Elsewhere(g)
}

// leaves is stays of a group of which nothing is in sight any more.
func leaves(d *draft, g int) uint64 {
	if !d.sys.config.Interest.HasVeils() {
		return wire.AllSlots
	}
	return stays(d, g)
}

// moving are those slots, of some that are out of sight, of entities that the client sees elsewhere and does not yet hold
// there: of a group that is leaving, also in that group with a new number. What it was not told of there goes first.
func moving(d *draft, number int, slots uint64) (waits uint64) {
	if !d.sys.config.Interest.HasVeils() {
		return 0
	}
	p := &d.c.sight.view.pieces[number]
	f, g := d.f, p.group
	if g == leaving {
		f, g = d.sys.frames.At(p.send), p.was
	} else if g != free {
		slots &= d.c.sight.Elsewhere(int(g))
	}
	if f == nil || g == free {
		return 0
	}
	for m := slots & f.Groups[g].Alive; m != 0; m &= m - 1 {
		if waitsFor(d, f.Groups[g].IDs[bits.TrailingZeros64(m)]) {
			waits |= m & -m
		}
	}
	return waits
}

// waitsFor reports whether the client sees an entity, and does not hold it where it is now.
func waitsFor(d *draft, id uint32) bool {
	c := d.c
	for g, k := range d.sys.frames.Slots(components.NetID(id)) {
		if !c.sees(g, k) {
			continue
		}
		n, bit := c.number(g), uint64(1)<<k
		h := c.baselines.World.At(uint32(n))
		if h.EverSent()&bit == 0 {
			c.contest.grow(n + 1)[n] = mostLaps
			if d.sys.config.Priority != nil {
				c.contest.world.grow(n + 1)
				c.contest.world.of(n)[k] = first
			}
		}
		return h.Newest(k) < d.sys.frames.Moves(g).Since(k)
	}
	return false
}

// first is what puts an entity before those that accrue their priority.
const first = 1 << 20
