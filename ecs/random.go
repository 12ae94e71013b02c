package ecs

import (
	"math/bits"
)

// Rand is a generator of random numbers. Its sequence depends only on the seed of the world, the tick or input sequence,
// the system, and the entity's [SpawnKey] if it has one, else its NetID. So server and client get the same numbers,
// whatever else they simulate, and a re-simulated tick gets the same numbers again.
type Rand struct {
	key uint64
	n   uint64
}

// Rand returns the generator of e in the running system. For an entity with an owner it depends on the owner's input
// sequence, which both sides know exactly. For other entities, and the zero Entity (for draws without an entity), it
// depends on the tick.
func (w *World) Rand(e Entity) Rand {
	key := mix64(w.setup.config.Seed ^ 0x9e3779b97f4a7c15)
	id := uint64(0)
	named := uint64(0)
	when := uint64(w.clock.tick)
	if s := w.handles.at(e); s != nil {
		if p := w.pointer(s, w.setup.protocol.core.key); p != nil {
			named = (*SpawnKey)(p).stream() // the client may not know the NetID yet
		} else {
			id = uint64(s.netID)
		}
		if p := w.pointer(s, w.setup.protocol.core.owner); p != nil {
			if seq := w.inputs.byOwner.find(*(*uint32)(p)); seq != nil {
				when = 1<<32 | uint64(*seq)
			}
		}
	}
	key = mix64(key ^ when ^ named)
	key = mix64(key ^ (uint64(w.clock.system)<<32 | id))
	return Rand{key: key}
}

// NewRand returns a generator that depends only on a seed and a stream number. Use it outside of ticks, for example for
// start positions or bots.
func NewRand(seed, stream uint64) Rand {
	return Rand{key: mix64(mix64(seed^0x9e3779b97f4a7c15) ^ stream)}
}

// Uint64 returns a random number, uniform over all values.
func (r *Rand) Uint64() uint64 {
	r.n++
	return mix64(r.key + r.n*0x9e3779b97f4a7c15)
}

// IntN returns a random number, uniform over 0..n−1. It panics unless n is positive.
func (r *Rand) IntN(n int) int {
	if n <= 0 {
		panic("ecs: Rand.IntN needs a positive bound")
	}
	hi, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int(hi)
}

// Float64 returns a random number, uniform over 0 ≤ x < 1 in steps of 2⁻⁵³.
func (r *Rand) Float64() float64 { return float64(r.Uint64()>>11) * 0x1p-53 }

// Float32 returns a random number, uniform over 0 ≤ x < 1 in steps of 2⁻²⁴.
func (r *Rand) Float32() float32 { return float32(r.Uint64()>>40) * 0x1p-24 }

// mix64 is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014): a
// bijection that spreads every bit.
func mix64(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
