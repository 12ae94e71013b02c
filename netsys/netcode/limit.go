package netcode

import (
	"encoding/binary"
	"math/bits"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/internal/allowance"
)

const (
	limitSets = 512
	limitWays = 8
	limitKept = 4096

	// burstTime is the longest burst of one address or session. tokenBurst is the longest burst of all tokens.
	burstTime  = time.Second
	tokenBurst = time.Second / 10
)

// limiter bounds the cost of packets from clients without a session. Its size is fixed, about 100 kB.
//
// It stores the allowances of the most recent addresses: full IPv4 addresses, and the 64-bit networks of IPv6 addresses. An
// address pushed out by a flood from many addresses gets a fresh allowance when it returns, so a flood takes no allowance
// from anybody.
//
// Each forged address of a flood has a fresh allowance, so a second limit covers all decrypted tokens together. Chance
// decides which requests pass; a client that repeats its request ten times per second soon passes. Addresses with an
// earlier session have a separate common allowance, which only an attacker who knows such addresses can use up.
type limiter struct {
	interval      time.Duration // between requests from one address
	tokenInterval time.Duration
	keys          [4]uint64
	sets          [limitSets][limitWays]limited
	tokens        shared
	kept          [limitKept]uint64 // tags of addresses with an earlier session, each at the index tag % limitKept
}

// shared holds the two common allowances: for addresses without and with an earlier session.
type shared struct{ strangers, acquainted allowance.Rate }

func (s *shared) allowanceFor(l *limiter, tag uint64) *allowance.Rate {
	if l.kept[tag%limitKept] == tag {
		return &s.acquainted
	}
	return &s.strangers
}

type limited struct {
	tag uint64
	allowance.Rate
}

func newLimiter(perSecond, tokensPerSecond int, random func([]byte)) *limiter {
	l := &limiter{interval: time.Second / time.Duration(perSecond), tokenInterval: time.Second / time.Duration(tokensPerSecond)}
	var b [32]byte
	fillRandom(random, b[:])
	for i := range l.keys {
		l.keys[i] = binary.LittleEndian.Uint64(b[8*i:]) | 1
	}
	return l
}

// allow counts an event of an address. It returns false if the address exceeded its allowance.
func (l *limiter) allow(at time.Duration, tag uint64) bool {
	set := &l.sets[tag%limitSets]
	fullest := 0
	for i := range set {
		if set[i].tag == tag {
			return set[i].Take(at, l.interval, burstTime) == 0
		}
		if set[i].Rate < set[fullest].Rate {
			fullest = i
		}
	}
	set[fullest] = limited{tag: tag}
	set[fullest].Use(at, l.interval)
	return true
}

// decrypt counts a token. It returns false if the common allowance of its kind of address is exhausted.
func (l *limiter) decrypt(at time.Duration, tag uint64) bool {
	return l.tokens.allowanceFor(l, tag).Take(at, l.tokenInterval, tokenBurst) == 0
}

// remember records an address with a session.
func (l *limiter) remember(tag uint64) { l.kept[tag%limitKept] = tag }

// tag returns a hash of an address or its network. The hash is keyed, so that an attacker cannot choose addresses in the
// set of another client.
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
