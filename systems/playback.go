package systems

import (
	"math"
	"time"
)

// playback is the clock by which a client draws what it does not predict: so
// far behind the server that late and lost snapshots do not show (rule E4). All
// its times are in ticks of the server.
//
// What is as late as few others are moves no clock: it counts as lost, and losses
// are covered anyhow. That goes for a datagram that somebody held back as for all of
// those that came at once because the path, or this process, stood still. When all of a
// half second are later than that, the path has become longer, and the clock follows.
type playback struct {
	step      float64 // seconds a tick
	every     float64 // ticks a snapshot
	epoch     time.Time
	transit   [playbackBuckets]float64 // largest transit, by half second
	bucket    int64
	shift     [2]shift  // of the half second at hand, and of the last that was enough to tell
	arrived   []arrival // not yet taken in
	newest    uint32    // newest tick heard of
	beyond    float64   // ticks that the head may pass it by
	loss      float64   // of snapshots
	head      float64   // the tick being drawn
	from      uint32    // tick of the oldest state that something is drawn from on its way to another
	last      time.Time
	running   bool
	exhausted bool   // the head has reached the newest state
	snaps     uint64 // times the head jumped
}

// shift is the least transit of a half second, and of how many.
type shift struct {
	least float64
	n     int
}

// arrival is a snapshot that came.
type arrival struct {
	at   time.Duration // since the epoch
	tick uint32
}

const (
	playbackBuckets = 20
	bucketLength    = 500 * time.Millisecond
	maxPlaybackRate = 1.05
	minPlaybackRate = 0.95
	noTransit       = math.MaxFloat64
	snapSeconds     = 1.0 // of distance, beyond which the head jumps forward
	staleSeconds    = 1.0 // that newer snapshots are ahead of one that says nothing of the path any more
)

// tells is of how many snapshots the least transit of a half second tells that the
// path is another one.
const tells = 4

// outliers is in how many half seconds of a window of twenty there may be what is
// later than all else without moving a clock. In a window that is not yet full it is
// at most half of them.
const outliers = 3

func newPlayback(now time.Time, tickRate, sendRate int) playback {
	p := playback{step: 1 / float64(tickRate), every: float64(tickRate / sendRate), epoch: now, from: math.MaxUint32}
	for i := range p.transit {
		p.transit[i] = -noTransit
	}
	p.shift = [2]shift{{least: noTransit}, {least: -noTransit}}
	p.arrived = make([]arrival, 0, 64)
	return p
}

// snapshot notes the arrival of the state of a tick. Transit includes the
// unknown difference between the two clocks, which cancels out.
func (p *playback) snapshot(at time.Time, tick uint32) {
	p.arrived = append(p.arrived, arrival{at.Sub(p.epoch), tick})
	p.newest = max(p.newest, tick)
}

// settle takes in what arrived up to now.
func (p *playback) settle(now time.Time) {
	p.roll(now.Sub(p.epoch))
	for _, a := range p.arrived {
		n := min(int64(a.at/bucketLength), p.bucket)
		if n <= p.bucket-playbackBuckets || float64(p.newest-a.tick)*p.step > staleSeconds {
			continue
		}
		b := &p.transit[n%playbackBuckets]
		*b = max(*b, a.at.Seconds()-float64(a.tick)*p.step)
		if n == p.bucket {
			p.shift[0].n++
			p.shift[0].least = min(p.shift[0].least, a.at.Seconds()-float64(a.tick)*p.step)
		}
	}
	p.arrived = p.arrived[:0]
}

func (p *playback) roll(since time.Duration) {
	for n := int64(since / bucketLength); p.bucket < n; {
		p.bucket++
		if p.shift[0].n >= tells {
			p.shift[1] = p.shift[0]
		}
		p.shift[0] = shift{least: noTransit}
		p.transit[p.bucket%playbackBuckets] = -noTransit
	}
}

// cover is k: so many snapshots in a row are lost less than once in a million.
func cover(loss float64) float64 {
	return math.Ceil(math.Log(1e-6) / math.Log(min(max(loss, 0.01), 0.5)))
}

// target is the tick that should be drawn now.
func (p *playback) target(now time.Time) (float64, bool) {
	since := now.Sub(p.epoch)
	p.roll(since)
	var latest [outliers + 1]float64 // in descending order
	n := 0
	for _, t := range p.transit {
		if t == -noTransit {
			continue
		}
		for i := range min(n, outliers) + 1 {
			if i == n || t > latest[i] {
				t, latest[i] = latest[i], t
			}
		}
		n++
	}
	if n == 0 {
		return 0, false
	}
	transit := max(latest[min(outliers, n/2)], min(p.shift[1].least, latest[0]))
	return (since.Seconds()-transit)/p.step - cover(p.loss)*p.every, true
}

// advance moves the head on to a frame at now. It never moves backwards, and
// plays between 0.95 and 1.05 of real time unless it starts, runs out of
// states, or is more than a second behind: then it jumps.
func (p *playback) advance(now time.Time) {
	target, ok := p.target(now)
	if !ok {
		p.last = now
		return
	}
	if !p.running {
		p.running, p.head, p.last = true, target, now
		return
	}
	dt := now.Sub(p.last).Seconds() / p.step
	p.last = now
	if dt <= 0 {
		return
	}
	before := p.head
	behind := target - p.head - dt // once the frame has passed
	if behind*p.step > snapSeconds {
		p.head = target
	} else {
		p.head += dt * min(max(1+behind*p.step, minPlaybackRate), maxPlaybackRate)
	}
	p.exhausted = p.head >= float64(p.newest)
	if p.exhausted {
		p.head = max(before, min(p.head, float64(p.newest)+p.beyond))
	}
	if (p.head-before-dt)*p.step > snapSeconds/2 {
		p.snaps++
	}
}

// stalled reports whether the newest frame had nothing to play toward: nothing else plays
// slower than minPlaybackRate.
func (p *playback) stalled() bool { return p.running && p.exhausted }
