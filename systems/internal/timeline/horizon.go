package timeline

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// hash is that of the world after a final tick.
type hash struct {
	tick int64
	sum  uint64
	made bool
}

// settle moves the horizon on to where an input is outstanding and can still come.
func (t *Timeline) settle() {
	h := t.now
	if t.config.Follower {
		h = min(h, t.told)
	}
	oldest := t.oldest()
	for _, p := range t.players {
		for i := range p.spans {
			s := &p.spans[i]
			for s.known+1 < min(oldest, s.to) {
				s.known++
				if p.at(s.known) == open {
					t.stats.Missing++
					p.missing++
				}
			}
			p.advance(s)
			if s.known+1 < s.to {
				h = min(h, s.known+1)
			}
		}
	}
	h = max(h, oldest)
	if len(t.hashes) > 0 {
		for tick := t.horizon; tick < h; tick++ {
			t.hashes[tick%int64(len(t.hashes))] = hash{tick, t.hashAfter(tick), true}
		}
	}
	t.horizon = max(t.horizon, h)
	t.listeners.Settle(uint32(t.horizon))
}

// Told is for followers: the peer that decides says that its horizon is there, and
// that every join, leave and input before it has been told. The follower's does
// not pass it until the window has.
func (t *Timeline) Told(horizon uint32) { t.told = max(t.told, int64(horizon)) }

// Horizon is the first tick that may still change. All before are final: the
// inputs of all players are known for them, or they have left the window.
func (t *Timeline) Horizon() uint32 { return uint32(t.horizon) }

// Newest is the latest tick for which a player's input has come, be it simulated or
// not; false when none has.
func (t *Timeline) Newest(player uint32) (tick uint32, ok bool) {
	p := t.player(player)
	if p == nil || p.newest < 0 {
		return 0, false
	}
	return uint32(p.newest), true
}

// Hash is the hash of the world after a final tick, what [ecs.World.Hash] was
// then: equal on peers that agree. It is false for a tick that is not final, or so
// old that another has taken its place.
func (t *Timeline) Hash(tick uint32) (sum uint64, ok bool) {
	if len(t.hashes) == 0 {
		return 0, false
	}
	h := t.hashes[int64(tick)%int64(len(t.hashes))]
	return h.sum, h.made && h.tick == int64(tick)
}

// hashAfter is the hash of the state after a tick, which is that before the next.
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
					h = mix(h ^ c.Schema.Hash64(value(&table, c, i)))
				}
			}
			sum += h
		}
	}
	return sum
}

// value is where the i-th row of a table has a component.
func value(t *ecs.Table, c *ecs.Component, i int) unsafe.Pointer {
	return unsafe.Add(t.Column(c), uintptr(i)*c.Schema.Size)
}

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable
// Pseudorandom Number Generators, 2014).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
