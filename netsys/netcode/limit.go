package netcode

import (
	"encoding/binary"
	"math/bits"
	"net/netip"
	"time"
)

// allowance bounds a rate: it is the time at which everything allowed so far would have come at exactly that
// rate, in nanoseconds of the server (the generic cell rate algorithm of ITU-T I.371). The zero value is fresh.
type allowance int64

// left reports whether one more is allowed at a rate of one per interval with bursts of one second.
func (a allowance) left(now int64) bool { return int64(a)-now < int64(time.Second) }

// use counts one.
func (a *allowance) use(now, interval int64) { *a = allowance(max(int64(*a), now) + interval) }

const (
	limitSets = 512
	limitWays = 8
)

// limiter keeps the allowances of the addresses that were heard from last: of an IPv4 address, and of the 64 bits of
// an IPv6 address that name a network. Its size is fixed. Who is pushed out by a flood from many addresses starts
// afresh when it comes again, so a flood costs nobody their allowance.
type limiter struct {
	interval int64
	keys     [4]uint64
	sets     [limitSets][limitWays]limited
}

type limited struct {
	tag uint64
	allowance
}

func newLimiter(perSecond int, random func([]byte)) *limiter {
	l := &limiter{interval: int64(time.Second) / int64(perSecond)}
	var b [32]byte
	fill(random, b[:])
	for i := range l.keys {
		l.keys[i] = binary.LittleEndian.Uint64(b[8*i:]) | 1
	}
	return l
}

// allow counts one from an address, unless it had too many.
func (l *limiter) allow(now int64, addr netip.Addr) bool {
	tag := l.hash(addr)
	set := &l.sets[tag%limitSets]
	fullest := 0
	for i := range set {
		if set[i].tag == tag {
			if !set[i].left(now) {
				return false
			}
			set[i].use(now, l.interval)
			return true
		}
		if set[i].allowance < set[fullest].allowance {
			fullest = i
		}
	}
	set[fullest] = limited{tag: tag}
	set[fullest].use(now, l.interval)
	return true
}

// hash depends on a secret, so that nobody can aim at the set of somebody else.
func (l *limiter) hash(addr netip.Addr) uint64 {
	b := addr.As16()
	high, low := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
	if addr.Is6() {
		low = 0
	}
	mix := func(a, b uint64) uint64 {
		h, l := bits.Mul64(a, b)
		return h ^ l
	}
	return mix(mix(high^l.keys[0], low^l.keys[1])^l.keys[2], l.keys[3])
}
