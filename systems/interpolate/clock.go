package interpolate

import (
	"math"
	"time"

	"github.com/tactusgo/tactus/systems/internal/clock"
)

// Clock is by what a client draws what it does not simulate: so far behind the server that
// late and lost snapshots do not show (rule E4). All its times are in ticks of the server.
//
// What is as late as few others are moves no clock: it counts as lost, and losses
// are covered anyhow. That goes for a datagram that somebody held back as for all of
// those that came at once because the path, or this process, stood still. When all of a
// half second are later than that, the path has become longer, and the clock follows.
type Clock struct {
	arrivals
	every     float64 // ticks a snapshot
	beyond    float64 // ticks that the head may pass the newest by
	loss      float64 // of snapshots
	head      float64 // the tick being drawn
	last      time.Time
	running   bool
	exhausted bool   // the head has reached the newest state
	snaps     uint64 // times the head jumped
}

// arrivals is when snapshots came.
type arrivals struct {
	step    float64 // seconds a tick
	epoch   time.Time
	early   [buckets]float64 // least time in advance, by half second: the transit is the negative of it
	bucket  int64
	shift   [2]shift  // of the half second at hand, and of the last that was enough to tell
	pending []arrival // not yet taken in
	newest  uint32    // newest tick heard of
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
	buckets      = 20
	bucketLength = 500 * time.Millisecond
	maxRate      = 1.05
	minRate      = 0.95
	none         = math.MaxFloat64
	snapSeconds  = 1.0 // of distance, beyond which the head jumps forward
	staleSeconds = 1.0 // that newer snapshots are ahead of one that says nothing of the path any more
)

// tells is of how many snapshots the least transit of a half second tells that the
// path is another one.
const tells = 4

// NewClock is a clock that starts at now, of a server that sends states every so many ticks.
func NewClock(now time.Time, tickRate int, sendEvery uint32) Clock {
	c := Clock{every: float64(sendEvery), arrivals: arrivals{step: 1 / float64(tickRate), epoch: now}}
	for i := range c.early {
		c.early[i] = none
	}
	c.shift = [2]shift{{least: none}, {least: -none}}
	c.pending = make([]arrival, 0, 64)
	return c
}

// Heard notes the arrival of the state of a tick. Transit includes the
// unknown difference between the two clocks, which cancels out.
func (c *Clock) Heard(at time.Time, tick uint32) {
	c.pending = append(c.pending, arrival{at.Sub(c.epoch), tick})
	c.newest = max(c.newest, tick)
}

// Settle takes in what arrived up to now.
func (c *Clock) Settle(now time.Time) {
	c.roll(now.Sub(c.epoch))
	for _, x := range c.pending {
		n := min(int64(x.at/bucketLength), c.bucket)
		if n <= c.bucket-buckets || float64(c.newest-x.tick)*c.step > staleSeconds {
			continue
		}
		transit := x.at.Seconds() - float64(x.tick)*c.step
		b := &c.early[n%buckets]
		*b = min(*b, -transit)
		if n == c.bucket {
			c.shift[0].n++
			c.shift[0].least = min(c.shift[0].least, transit)
		}
	}
	c.pending = c.pending[:0]
}

func (a *arrivals) roll(since time.Duration) {
	for n := int64(since / bucketLength); a.bucket < n; {
		a.bucket = max(a.bucket+1, n-buckets+1) // after a clock that leapt all of them are empty
		if a.shift[0].n >= tells {
			a.shift[1] = a.shift[0]
		}
		a.shift[0] = shift{least: none}
		a.early[a.bucket%buckets] = none
	}
}

// cover is k: so many snapshots in a row are lost less than once in a million.
func cover(loss float64) float64 {
	return math.Ceil(math.Log(1e-6) / math.Log(min(max(loss, 0.01), 0.5)))
}

// wait is how long after it was due a state is waited for, in seconds by this clock.
func (a *arrivals) wait(since time.Duration) (seconds float64, ok bool) {
	a.roll(since)
	early, earliest, ok := clock.Lowest(a.early[:], none)
	return max(-early, min(a.shift[1].least, -earliest)), ok
}

// target is the tick that should be drawn now.
func (c *Clock) target(now time.Time) (float64, bool) {
	since := now.Sub(c.epoch)
	wait, ok := c.wait(since)
	return (since.Seconds()-wait)/c.step - cover(c.loss)*c.every, ok
}

// Advance moves the head on to a frame at now, and returns it. It never moves backwards, and
// plays between 0.95 and 1.05 of real time unless it starts, runs out of
// states, or is more than a second behind: then it jumps.
func (c *Clock) Advance(now time.Time) (head float64) {
	target, ok := c.target(now)
	if !ok {
		c.last = now
		return c.head
	}
	if !c.running {
		c.running, c.head, c.last = true, target, now
		return c.head
	}
	dt := now.Sub(c.last).Seconds() / c.step
	c.last = now
	if dt <= 0 {
		return c.head
	}
	before := c.head
	behind := target - c.head - dt // once the frame has passed
	if behind*c.step > snapSeconds {
		c.head = target
	} else {
		c.head += dt * min(max(1+behind*c.step, minRate), maxRate)
	}
	c.exhausted = c.head >= float64(c.newest)
	if c.exhausted {
		c.head = max(before, min(c.head, float64(c.newest)+c.beyond))
	}
	if (c.head-before-dt)*c.step > snapSeconds/2 {
		c.snaps++
	}
	return c.head
}

// Lossy says which share of snapshots is lost, to be covered from now on.
func (c *Clock) Lossy(share float64) { c.loss = share }

// MayPass lets the head pass the newest state by so many ticks.
func (c *Clock) MayPass(ticks float64) { c.beyond = max(c.beyond, ticks) }

// Head is the tick that Advance returned last.
func (c *Clock) Head() float64 { return c.head }

// Running reports whether there was anything to play yet.
func (c *Clock) Running() bool { return c.running }

// Snaps is how often the head has jumped.
func (c *Clock) Snaps() uint64 { return c.snaps }

// Stalled reports whether the newest frame had nothing to play toward: nothing else plays
// slower than minRate.
func (c *Clock) Stalled() bool { return c.running && c.exhausted }
