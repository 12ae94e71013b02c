package netsys

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"net/netip"
	"time"
)

// maxLatency bounds [Link.Latency], so that no sum of times can overflow.
const maxLatency = time.Hour

// Link describes one direction between two addresses. The zero value is a perfect link.
type Link struct {
	// Latency is the mean one-way delay. 0 is none; at most one hour.
	Latency time.Duration

	// Jitter is how far a delay strays: every datagram's delay is drawn on its own, uniformly from
	// Latency−Jitter to Latency+Jitter, so datagrams overtake each other. 0 is none; at most Latency.
	Jitter time.Duration

	// Loss is the share of datagrams that never arrive, 0 to 1.
	Loss float64

	// Burst is the mean length of a run of losses in time. 0 makes losses independent of each other. Above
	// 0 the link is a Gilbert–Elliott channel in continuous time: it is good, and loses nothing, for an
	// exponentially distributed time of mean Burst·(1−Loss)/Loss, then bad, and loses everything, for one
	// of mean Burst. The share lost in the long run is Loss either way.
	Burst time.Duration

	// Duplicate is the probability, 0 to 1, that a datagram which is not lost arrives twice, the second
	// time with a delay of its own.
	Duplicate float64

	// Bandwidth is what the narrowest point of the path lets pass, in bytes a second, 28 bytes of IP and UDP
	// headers with every datagram. It comes first: what it holds up or drops has not yet met Latency and
	// Loss, and what Loss takes has passed it. Copies by Duplicate take nothing of it. 0 is unlimited.
	Bandwidth int

	// Queue is for how long at most a datagram waits there for those before it; one that would have to
	// wait longer is lost (drop-tail), and its sender is not told. 0 means 200 ms; at most one hour.
	Queue time.Duration
}

// Validate returns an error for values outside the ranges given with each field.
func (l Link) Validate() error {
	var errs []error
	if l.Latency < 0 || l.Latency > maxLatency {
		errs = append(errs, fmt.Errorf("netsys: Link.Latency %v is outside 0 to %v", l.Latency, maxLatency))
	}
	if l.Jitter < 0 || l.Jitter > l.Latency {
		errs = append(errs, fmt.Errorf("netsys: Link.Jitter %v is outside 0 to Latency %v", l.Jitter, l.Latency))
	}
	if !(l.Loss >= 0 && l.Loss <= 1) {
		errs = append(errs, fmt.Errorf("netsys: Link.Loss %v is outside 0 to 1", l.Loss))
	}
	if l.Burst < 0 {
		errs = append(errs, fmt.Errorf("netsys: Link.Burst %v is negative", l.Burst))
	}
	if !(l.Duplicate >= 0 && l.Duplicate <= 1) {
		errs = append(errs, fmt.Errorf("netsys: Link.Duplicate %v is outside 0 to 1", l.Duplicate))
	}
	return errors.Join(append(errs, l.validateBottleneck()...)...)
}

// flow is the state of one direction of traffic with one peer: the random numbers, and what waits.
type flow struct {
	bottleneck
	rng  rand.PCG
	seen bool
	bad  bool
	last time.Time
}

// fate is what a link does to one datagram.
type fate struct {
	lost      bool
	delay     time.Duration
	twice     bool
	delayCopy time.Duration
}

// next decides the fate of a datagram that enters the link at a time. It always draws four numbers, so that
// one property of a link can change without changing what is drawn for the others.
func (f *flow) next(l *Link, at time.Time) fate {
	loss, delay, twice, delayCopy := f.uniform(), f.uniform(), f.uniform(), f.uniform()
	return fate{
		lost:      f.loses(l, at, loss),
		delay:     l.delay(delay),
		twice:     twice < l.Duplicate,
		delayCopy: l.delay(delayCopy),
	}
}

// loses samples the two-state Markov chain at one more point in time. Given its state at the last sample,
// the chance that it is bad after dt is p + (x−p)·exp(−dt/(Burst·(1−p))), x being 1 if it was bad and 0 if
// not: exact for exponential holding times, and one draw however long the silence was.
func (f *flow) loses(l *Link, at time.Time, draw float64) bool {
	p := l.Loss
	if l.Burst == 0 || p == 0 || p == 1 {
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

func (l *Link) delay(draw float64) time.Duration {
	return l.Latency + time.Duration((2*draw-1)*float64(l.Jitter))
}

// uniform draws from [0, 1).
func (f *flow) uniform() float64 { return float64(f.rng.Uint64()>>11) / (1 << 53) }

// newFlow seeds a flow from what identifies it and from nothing else: how much other peers send, and when
// they appeared, leaves it alone.
func newFlow(seed uint64, direction uint8, generation uint64, peer netip.AddrPort) *flow {
	var id []byte
	id = binary.LittleEndian.AppendUint64(id, seed)
	id = binary.LittleEndian.AppendUint64(append(id, direction), generation)
	address := peer.Addr().As16()
	id = binary.LittleEndian.AppendUint16(append(id, address[:]...), peer.Port())
	h := fnv.New64a()
	_, _ = h.Write(id)
	first := h.Sum64()
	_, _ = h.Write(make([]byte, 8))
	f := &flow{}
	f.rng.Seed(first, h.Sum64())
	return f
}

// headerBytes is what a datagram takes of [Link.Bandwidth] beyond its own length: an IPv4 and a UDP header.
const headerBytes = 20 + 8

// defaultLinkQueue is what [Link.Queue] 0 stands for: what home routers commonly hold.
const defaultLinkQueue = 200 * time.Millisecond

// bottleneck is the narrowest point of a path: one datagram passes after the other, and what comes meanwhile
// waits in a queue that drops at its tail.
type bottleneck struct {
	// free is when all that was let in will have passed.
	free time.Time
}

// pass returns for how long a datagram of n bytes that comes at a time waits and takes to pass; false when the
// queue is full, and then nothing has changed. Durations are cut to whole nanoseconds.
func (b *bottleneck) pass(l *Link, at time.Time, n int) (time.Duration, bool) {
	if l.Bandwidth == 0 {
		return 0, true
	}
	limit := l.Queue
	if limit == 0 {
		limit = defaultLinkQueue
	}
	wait := max(b.free.Sub(at), 0)
	if wait > limit {
		return 0, false
	}
	delay := wait + time.Duration(n+headerBytes)*time.Second/time.Duration(l.Bandwidth)
	b.free = at.Add(delay)
	return delay, true
}

// validateBottleneck returns errors for the fields that describe one.
func (l *Link) validateBottleneck() (errs []error) {
	if l.Bandwidth < 0 {
		errs = append(errs, fmt.Errorf("netsys: Link.Bandwidth %d is negative; 0 is unlimited", l.Bandwidth))
	}
	if l.Queue < 0 || l.Queue > maxLatency {
		errs = append(errs, fmt.Errorf("netsys: Link.Queue %v is outside 0 to %v", l.Queue, maxLatency))
	}
	return errs
}
