package timeline

import (
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// hash is the hash of the world after a final tick.
type hash struct {
	tick int64
	sum  uint64
	made bool
}

// advanceHorizon moves the horizon to the first tick whose input is missing and may still arrive.
func (t *Timeline) advanceHorizon() {
	h := t.now
	if t.config.Follower {
		h = min(h, t.serverHorizon)
	}
	oldest := t.oldest()
	for _, p := range t.players {
		for i := range p.spans {
			s := &p.spans[i]
			for s.known+1 < min(oldest, s.to) {
				s.known++
				if p.at(s.known) == inputUnknown {
					t.stats.Missing++
					p.missing++
				}
			}
			p.advanceKnown(s)
			if s.known+1 < s.to {
				h = min(h, s.known+1)
			}
		}
	}
	h = max(h, oldest)
	if len(t.hashes) > 0 {
		for tick := t.horizon; tick < h; tick++ {
			n := tick % int64(len(t.hashes))
			t.hashes[n] = hash{tick, t.hashAfter(tick), true}
			t.keepSums(int(n), tick)
		}
	}
	t.horizon = max(t.horizon, h)
	t.listeners.Settle(uint32(t.horizon))
}

// SetServerHorizon tells a follower that the authoritative peer's horizon is at the given tick, and that every
// join, leave and input before it has been passed on. The follower's horizon does not pass it, except that ticks
// older than the window are final.
func (t *Timeline) SetServerHorizon(horizon uint32) {
	t.serverHorizon = max(t.serverHorizon, int64(horizon))
}

// Horizon returns the first tick that may still change. All earlier ticks are final: the inputs of all players are
// known for them, or they have left the window.
func (t *Timeline) Horizon() uint32 { return uint32(t.horizon) }

// Confirmed yields the tables of the state before the horizon, which no later input can change.
func (t *Timeline) Confirmed(yield func(ecs.Table) bool) {
	if t.horizon == t.now {
		t.world.Netcode().Tables(yield)
		return
	}
	past, err := t.history.At(uint32(t.horizon))
	if err != nil {
		panic(fmt.Errorf("timeline: the history lacks the tick of the horizon: %w", err))
	}
	past.Tables(yield)
}

// Newest returns the latest tick for which an input of a player has arrived, simulated or not. It returns false if
// none has.
func (t *Timeline) Newest(player uint32) (tick uint32, ok bool) {
	p := t.player(player)
	if p == nil || p.newest < 0 {
		return 0, false
	}
	return uint32(p.newest), true
}

// Hash returns the hash of the world after a final tick, as [ecs.World.Hash] returned it then. Peers with equal
// worlds have equal hashes. Hash returns false for a tick that is not final or whose hash is no longer kept.
func (t *Timeline) Hash(tick uint32) (sum uint64, ok bool) {
	if len(t.hashes) == 0 {
		return 0, false
	}
	h := t.hashes[int64(tick)%int64(len(t.hashes))]
	return h.sum, h.made && h.tick == int64(tick)
}

// hashAfter returns the hash of the state after a tick, which is the state before the next tick.
func (t *Timeline) hashAfter(tick int64) (sum uint64) {
	if tick+1 == t.now {
		return t.world.Hash()
	}
	past, err := t.history.At(uint32(tick + 1))
	if err != nil {
		panic(err)
	}
	components := t.world.Protocol().Replicated()
	for table := range past.Tables {
		for i, id := range table.NetIDs {
			h := mix(mix(uint64(id)) ^ table.Mask)
			for _, c := range components {
				if c.Words > 0 && table.Mask&(1<<c.Replicated()) != 0 {
					h = mix(h ^ c.Schema.Hash64(componentAt(&table, c, i)))
				}
			}
			sum += h
		}
	}
	return sum
}

// componentAt returns a pointer to a component in the i-th row of a table.
func componentAt(t *ecs.Table, c *ecs.Component, i int) unsafe.Pointer {
	return unsafe.Add(t.Column(c), uintptr(i)*c.Schema.Size)
}

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
