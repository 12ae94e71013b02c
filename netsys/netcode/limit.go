package netcode

import (
	"encoding/binary"
	"math/bits"
	"net/netip"
	"time"
)

// allowance bounds a rate: it is the time at which everything allowed so far would have come at exactly that
// rate, by the clock of the server (the generic cell rate algorithm of ITU-T I.371). The zero value is fresh.
type allowance time.Duration

// left reports whether one more is allowed, with bursts that may last as long as burst at the rate.
func (a allowance) left(at, burst time.Duration) bool { return time.Duration(a)-at < burst }

// use counts one, at a rate of one per interval.
func (a *allowance) use(at, interval time.Duration) {
	*a = allowance(max(time.Duration(*a), at) + interval)
}

const (
	limitSets = 512
	limitWays = 8
	limitKept = 4096

	// burstTime is the length of the bursts of one address or session, and tokenBurst of those of all tokens.
	burstTime  = time.Second
	tokenBurst = time.Second / 10
)

// limiter bounds what strangers cost. Its size is fixed, about 100 kB.
//
// It keeps the allowances of the addresses that were heard from last: of an IPv4 address, and of the 64 bits of an
// IPv6 address that name a network. Who is pushed out by a flood from many addresses starts afresh when it comes
// again, so a flood costs nobody their allowance.
//
// A flood from forged addresses has a fresh allowance for each. So there is one more for all tokens that must be
// decrypted, whoever sends them: who passes it is a matter of luck, and a client, which asks ten times a second,
// soon has some. Addresses that had a session share another one, which somebody can use up who knows some of them.
type limiter struct {
	interval      time.Duration // between requests of one address
	tokenInterval time.Duration
	keys          [4]uint64
	sets          [limitSets][limitWays]limited
	tokens        shared
	kept          [limitKept]uint64 // tags of addresses that had a session, each at its own place
}

// shared are the allowances of all addresses together: of those that never had a session, and of those that had one.
type shared struct{ strangers, acquainted allowance }

func (s *shared) of(l *limiter, tag uint64) *allowance {
	if l.kept[tag%limitKept] == tag {
		return &s.acquainted
	}
	return &s.strangers
}

type limited struct {
	tag uint64
	allowance
}

func newLimiter(perSecond, tokensPerSecond int, random func([]byte)) *limiter {
	l := &limiter{interval: time.Second / time.Duration(perSecond), tokenInterval: time.Second / time.Duration(tokensPerSecond)}
	var b [32]byte
	fill(random, b[:])
	for i := range l.keys {
		l.keys[i] = binary.LittleEndian.Uint64(b[8*i:]) | 1
	}
	return l
}

// allow counts one from an address, unless it had too many.
func (l *limiter) allow(at time.Duration, tag uint64) bool {
	set := &l.sets[tag%limitSets]
	fullest := 0
	for i := range set {
		if set[i].tag == tag {
			if !set[i].left(at, burstTime) {
				return false
			}
			set[i].use(at, l.interval)
			return true
		}
		if set[i].allowance < set[fullest].allowance {
			fullest = i
		}
	}
	set[fullest] = limited{tag: tag}
	set[fullest].use(at, l.interval)
	return true
}

// decrypt counts one token from an address, unless all together had too many.
func (l *limiter) decrypt(at time.Duration, tag uint64) bool {
	a := l.tokens.of(l, tag)
	if !a.left(at, tokenBurst) {
		return false
	}
	a.use(at, l.tokenInterval)
	return true
}

// remember notes an address that has a session.
func (l *limiter) remember(tag uint64) { l.kept[tag%limitKept] = tag }

// tag stands for an address, or its network. It depends on a secret, so that nobody can aim at the set of somebody
// else.
func (l *limiter) tag(addr netip.Addr) uint64 {
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
