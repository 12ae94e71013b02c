package flow

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"net/netip"
	"time"
)

// Link is netsys.Link, which says what its fields mean.
type Link struct {
	Latency, Jitter time.Duration
	Loss            float64
	Burst           time.Duration
	Duplicate       float64
	Bandwidth       int
	Queue           time.Duration
}

// Flow is the state of one direction of traffic with one peer: the random numbers, and what waits.
type Flow struct {
	bottleneck
	rng  rand.PCG
	seen bool
	bad  bool
	last time.Time
}

// Fate is what a link does to one datagram.
type Fate struct {
	Lost      bool
	Delay     time.Duration
	Twice     bool // it arrives a second time
	DelayCopy time.Duration
}

// Next decides the fate of a datagram that enters the link at a time. It always draws four numbers, so that
// one property of a link can change without changing what is drawn for the others.
func (f *Flow) Next(l *Link, at time.Time) Fate {
	loss, delay, twice, delayCopy := f.uniform(), f.uniform(), f.uniform(), f.uniform()
	return Fate{
		Lost:      f.loses(l, at, loss),
		Delay:     l.delay(delay),
		Twice:     twice < l.Duplicate,
		DelayCopy: l.delay(delayCopy),
	}
}

// loses samples the two-state Markov chain at one more point in time. Given its state at the last sample,
// the chance that it is bad after dt is p + (x−p)·exp(−dt/(Burst·(1−p))), x being 1 if it was bad and 0 if
// not: exact for exponential holding times, and one draw however long the silence was.
func (f *Flow) loses(l *Link, at time.Time, draw float64) bool {
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
func (f *Flow) uniform() float64 { return float64(f.rng.Uint64()>>11) / (1 << 53) }

// New seeds a flow from what identifies it and from nothing else: how much other peers send, and when
// they appeared, leaves it alone.
func New(seed uint64, direction uint8, generation uint64, peer netip.AddrPort) *Flow {
	var id []byte
	id = binary.LittleEndian.AppendUint64(id, seed)
	id = binary.LittleEndian.AppendUint64(append(id, direction), generation)
	address := peer.Addr().As16()
	id = binary.LittleEndian.AppendUint16(append(id, address[:]...), peer.Port())
	h := fnv.New64a()
	_, _ = h.Write(id)
	first := h.Sum64()
	_, _ = h.Write(make([]byte, 8))
	f := &Flow{}
	f.rng.Seed(first, h.Sum64())
	return f
}

// HeaderBytes is what a datagram takes of Bandwidth beyond its own length: an IPv4 and a UDP header.
const HeaderBytes = 20 + 8

// defaultLinkQueue is what Queue 0 stands for: what home routers commonly hold.
const defaultLinkQueue = 200 * time.Millisecond

// bottleneck is the narrowest point of a path: one datagram passes after the other, and what comes meanwhile
// waits in a queue that drops at its tail.
type bottleneck struct {
	// free is when all that was let in will have passed.
	free time.Time
}

// Pass returns for how long a datagram of n bytes that comes at a time waits and takes to pass; false when the
// queue is full, and then nothing has changed. Durations are cut to whole nanoseconds.
func (b *bottleneck) Pass(l *Link, at time.Time, n int) (time.Duration, bool) {
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
	delay := wait + time.Duration(n+HeaderBytes)*time.Second/time.Duration(l.Bandwidth)
	b.free = at.Add(delay)
	return delay, true
}
