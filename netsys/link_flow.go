package netsys

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"net/netip"
	"time"
)

// ipHeaderBytes is the length of an IPv4 header, which each fragment has. headerBytes adds a UDP header. They count for
// [Link.Bandwidth] and [Link.MTU].
const (
	ipHeaderBytes = 20
	headerBytes   = ipHeaderBytes + 8
)

// minMTU is the smallest MTU that IPv4 allows.
const minMTU = 68

// defaultLinkQueue is the default of [Link.Queue], a common value of home routers.
const defaultLinkQueue = 200 * time.Millisecond

// linkFlow is the state of a [Link] in one direction for the traffic with one peer. It has its own random numbers.
type linkFlow struct {
	free time.Time // when all queued datagrams will have passed the bottleneck
	rng  rand.PCG
	seen bool // bad and last are set
	bad  bool // the link was in the bad state at the time last
	last time.Time

	stalls   rand.PCG  // the random numbers of stalls
	from, to time.Time // the newest stall
}

// datagramFate is what a link does to one datagram.
type datagramFate struct {
	lost      bool
	delay     time.Duration
	twice     bool // it arrives a second time
	delayCopy time.Duration
}

// newLinkFlow seeds a flow from its arguments only, so the traffic of other peers does not change it.
func newLinkFlow(seed uint64, direction uint8, generation uint64, peer netip.AddrPort) *linkFlow {
	var id []byte
	id = binary.LittleEndian.AppendUint64(id, seed)
	id = binary.LittleEndian.AppendUint64(append(id, direction), generation)
	address := peer.Addr().As16()
	id = binary.LittleEndian.AppendUint16(append(id, address[:]...), peer.Port())
	h := fnv.New64a()
	_, _ = h.Write(id)
	first := h.Sum64()
	_, _ = h.Write(make([]byte, 8))
	f := &linkFlow{}
	second := h.Sum64()
	f.rng.Seed(first, second)
	f.stalls.Seed(second, first)
	return f
}

// fragments returns the number of fragments in which a datagram of n bytes crosses the link. The data of all fragments but the last is
// a multiple of 8 bytes long.
func (l *Link) fragments(n int) int {
	if l.MTU == 0 || n+headerBytes <= l.MTU {
		return 1
	}
	room := (l.MTU - ipHeaderBytes) &^ 7
	return (n + headerBytes - ipHeaderBytes + room - 1) / room
}

// next returns the fate of a datagram of n bytes that enters the link at a time. Each call draws four numbers, also for properties that
// are zero: a change of one property leaves the numbers of the other properties as they are.
func (f *linkFlow) next(l *Link, at time.Time, n int) datagramFate {
	loss, delay, twice, delayCopy := uniform(&f.rng), uniform(&f.rng), uniform(&f.rng), uniform(&f.rng)
	stall := f.stall(l, at)
	return datagramFate{
		lost:      f.loses(l, at, l.fragments(n), loss),
		delay:     l.delay(delay) + stall,
		twice:     twice < l.Duplicate,
		delayCopy: l.delay(delayCopy) + stall,
	}
}

// stall returns how long a datagram waits that reaches the link at a time: until the stall ends, if there is one. The time between two
// stalls is exponentially distributed.
func (f *linkFlow) stall(l *Link, at time.Time) time.Duration {
	if l.Stall == 0 || l.Stalled == 0 {
		return 0
	}
	if at.Sub(f.to) > maxLatency { // the first datagram, or one after a long pause
		f.from, f.to = at, at
	}
	between := float64(l.Stall) / 2 * (1 - l.Stalled) / l.Stalled
	for !f.to.After(at) {
		f.from = f.to.Add(time.Duration(-between * math.Log(1-uniform(&f.stalls))))
		f.to = f.from.Add(1 + time.Duration(uniform(&f.stalls)*float64(l.Stall)))
	}
	if at.Before(f.from) {
		return 0
	}
	return f.to.Sub(at)
}

// loses reports whether the link loses a datagram, in a number of fragments, at a time. Bursts lose all fragments or none. For a
// burst, it samples the two-state Markov chain at this time. If dt has passed since the previous sample, the chance of the bad
// state is p + (x−p)·exp(−dt/(Burst·(1−p))), where x is 1 if the state was bad and 0 otherwise. This is exact for exponential
// holding times, and needs one draw for any dt.
func (f *linkFlow) loses(l *Link, at time.Time, fragments int, draw float64) bool {
	p := l.Loss
	if l.Burst == 0 || p == 0 || p == 1 {
		for kept := 1 - p; fragments > 1; fragments-- {
			p = 1 - float64((1-p)*kept)
		}
		return draw < p
	}
	chance := p
	if f.seen {
		dt := max(at.Sub(f.last), 0)
		was := 0.0
		if f.bad {
			was = 1
		}
		kept := math.Exp(-float64(dt) / (float64(l.Burst) * (1 - p)))
		chance += float64((was - p) * kept)
		if dt == 0 {
			chance = was
		}
	}
	f.seen, f.bad = true, draw < chance
	if at.After(f.last) {
		f.last = at
	}
	return f.bad
}

// delay returns the delay of a datagram, drawn with a number from 0 to 1.
func (l *Link) delay(draw float64) time.Duration {
	return l.Latency + time.Duration((2*draw-1)*float64(l.Jitter))
}

// uniform draws a number from [0, 1).
func uniform(rng *rand.PCG) float64 { return float64(rng.Uint64()>>11) / (1 << 53) }

// passBottleneck sends a datagram of n bytes through the bottleneck at a time. Datagrams pass one after the other and wait in a
// drop-tail queue. It returns the time until the datagram has passed. If the queue is full, it returns false and changes nothing.
func (f *linkFlow) passBottleneck(l *Link, at time.Time, n int) (time.Duration, bool) {
	if l.Bandwidth == 0 {
		return 0, true
	}
	limit := l.Queue
	if limit == 0 {
		limit = defaultLinkQueue
	}
	wait := max(f.free.Sub(at), 0)
	if wait > limit {
		return 0, false
	}
	delay := wait + time.Duration(n+headerBytes+(l.fragments(n)-1)*ipHeaderBytes)*time.Second/time.Duration(l.Bandwidth)
	f.free = at.Add(delay)
	return delay, true
}
