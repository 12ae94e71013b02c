package systems

import (
	"math"
	"time"
)

// playback is the clock by which a client draws what it does not predict: so
// far behind the server that late and lost snapshots do not show (rule E4). All
// its times are in ticks of the server.
type playback struct {
	step      float64 // seconds a tick
	every     float64 // ticks a snapshot
	epoch     time.Time
	transit   [playbackBuckets]float64 // largest transit, by half second
	bucket    int64
	newest    uint32  // newest tick heard of
	loss      float64 // of snapshots
	head      float64 // the tick being drawn
	last      time.Time
	running   bool
	rate      float64 // of the frame before
	exhausted bool    // the head has reached the newest state
}

const (
	playbackBuckets = 20
	bucketLength    = 500 * time.Millisecond
	maxPlaybackRate = 1.05
	minPlaybackRate = 0.95
	noTransit       = math.MaxFloat64
	snapTicks       = 1.0 // seconds of distance beyond which the head jumps forward
)

func newPlayback(now time.Time, tickRate, sendRate int) playback {
	p := playback{step: 1 / float64(tickRate), every: float64(tickRate / sendRate), epoch: now, rate: 1}
	for i := range p.transit {
		p.transit[i] = -noTransit
	}
	return p
}

// snapshot notes the arrival of the state of a tick. Transit includes the
// unknown difference between the two clocks, which cancels out.
func (p *playback) snapshot(now time.Time, tick uint32) {
	since := now.Sub(p.epoch)
	p.roll(since)
	b := &p.transit[p.bucket%playbackBuckets]
	*b = max(*b, since.Seconds()-float64(tick)*p.step)
	p.newest = max(p.newest, tick)
}

func (p *playback) roll(since time.Duration) {
	for n := int64(since / bucketLength); p.bucket < n; {
		p.bucket++
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
	largest := -noTransit
	for _, t := range p.transit {
		largest = max(largest, t)
	}
	if largest == -noTransit {
		return 0, false
	}
	return (since.Seconds()-largest)/p.step - cover(p.loss)*p.every, true
}

// advance moves the head on to a frame at now. It never moves backwards, and
// plays between 0.95 and 1.05 of real time unless it starts, runs out of
// states, or is more than a second behind.
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
	if behind*p.step > snapTicks {
		p.head = target
	} else {
		p.head += dt * min(max(1+behind*p.step, minPlaybackRate), maxPlaybackRate)
	}
	p.exhausted = p.head >= float64(p.newest)
	if p.exhausted {
		p.head = max(before, float64(p.newest))
	}
	p.rate = (p.head - before) / dt
}

// stalled reports whether the newest frame had nothing to play toward, or
// played noticeably slower than time passes.
func (p *playback) stalled() bool {
	const rounding = 1e-9
	return p.running && (p.exhausted || p.rate < minPlaybackRate-rounding)
}
