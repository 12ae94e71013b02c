package interpolate

import (
	"math"
	"time"

	"github.com/tactusgo/tactus/systems/internal/clock"
)

// Clock determines the tick at which a client draws entities that it does not simulate: far enough behind the
// server that late and lost snapshots are not visible (rule E4). Its times are in ticks of the server.
//
// A few very late datagrams do not move the clock: they count as lost, and losses are covered anyway. This also
// applies to a delayed datagram, and to datagrams that arrive at once after the path or this process stood still.
// If all datagrams of half a second are later, the path has become longer, and the clock follows.
type Clock struct {
	arrivals
	every     float64 // ticks per snapshot
	beyond    float64 // ticks by which the head may pass the newest state
	loss      float64 // share of lost snapshots
	head      float64 // the tick being drawn
	last      time.Time
	running   bool
	exhausted bool   // the head has reached the newest state
	snaps     uint64 // times that the head jumped
}

// arrivals records when snapshots arrived.
type arrivals struct {
	step    float64 // seconds per tick
	epoch   time.Time
	latest  time.Duration    // since the epoch
	early   [buckets]float64 // minimum advance per half second: the negative of the maximum transit
	bucket  int64
	shift   [2]shift  // of the current half second, and of the last one with enough snapshots
	pending []arrival // not yet processed
	newest  uint32    // newest tick that arrived
}

// shift is the minimum transit of half a second, and the number of its snapshots.
type shift struct {
	least float64
	n     int
}

// arrival is the arrival of a snapshot.
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
	snapSeconds  = 1.0 // distance beyond which the head jumps forward
	staleSeconds = 1.0 // a snapshot older than the newest by more than this says nothing about the path
)

// minShiftCount is the minimum number of snapshots in half a second whose minimum transit can show a change of the
// path.
const minShiftCount = 4

// NewClock returns a clock that starts at now. sendEvery is the number of ticks between snapshots.
func NewClock(now time.Time, tickRate int, sendEvery uint32) Clock {
	c := Clock{every: float64(sendEvery), arrivals: arrivals{step: 1 / float64(tickRate), epoch: now}}
	for i := range c.early {
		c.early[i] = none
	}
	c.shift = [2]shift{{least: none}, {least: -none}}
	c.pending = make([]arrival, 0, 64)
	return c
}

// Heard records the arrival of the state of a tick. The transit includes the unknown difference of the two clocks,
// which cancels out.
func (c *Clock) Heard(at time.Time, tick uint32) {
	c.pending = append(c.pending, arrival{c.since(at), tick})
	c.newest = max(c.newest, tick)
}

// ProcessArrivals processes the arrivals up to now.
func (c *Clock) ProcessArrivals(now time.Time) {
	c.roll(c.since(now))
	for _, x := range c.pending {
		n := min(max(int64(x.at/bucketLength), 0), c.bucket)
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

// clockSet is how far back a time is that shows that the caller's clock was set. Arrivals are stamped a little earlier than now.
const clockSet = time.Second

// since returns the time since the epoch. If the caller's clock was set back, the time goes on from the latest.
func (a *arrivals) since(now time.Time) time.Duration {
	since := now.Sub(a.epoch)
	if since < a.latest-clockSet {
		a.epoch, since = a.epoch.Add(since-a.latest), a.latest
	}
	a.latest = max(a.latest, since)
	return since
}

func (a *arrivals) roll(since time.Duration) {
	for n := int64(since / bucketLength); a.bucket < n; {
		a.bucket = max(a.bucket+1, n-buckets+1) // after a jump of the time all are empty
		if a.shift[0].n >= minShiftCount {
			a.shift[1] = a.shift[0]
		}
		a.shift[0] = shift{least: none}
		a.early[a.bucket%buckets] = none
	}
}

// cover returns k such that the loss of k consecutive snapshots has a probability below one in a million.
func cover(loss float64) float64 {
	return math.Ceil(math.Log(1e-6) / math.Log(min(max(loss, 0.01), 0.5)))
}

// wait returns how long after its due time to wait for a state, in seconds of this clock.
func (a *arrivals) wait(since time.Duration) (seconds float64, ok bool) {
	a.roll(since)
	early, earliest, ok := clock.Lowest(a.early[:], none)
	return max(-early, min(a.shift[1].least, -earliest)), ok
}

// target returns the tick that should be drawn now.
func (c *Clock) target(now time.Time) (float64, bool) {
	since := c.since(now)
	wait, ok := c.wait(since)
	return (since.Seconds()-wait)/c.step - cover(c.loss)*c.every, ok
}

// Advance moves the head to the frame at now and returns it. The head never moves backwards. It plays at 0.95 to
// 1.05 of real time, except when it starts, runs out of states, or is more than a second behind: then it jumps.
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
	behind := target - c.head - dt // after this frame
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

// SetLoss sets the share of lost snapshots to cover from now on.
func (c *Clock) SetLoss(share float64) { c.loss = share }

// AllowBeyond lets the head pass the newest state by up to ticks.
func (c *Clock) AllowBeyond(ticks float64) { c.beyond = max(c.beyond, ticks) }

// Head returns the tick that Advance returned last.
func (c *Clock) Head() float64 { return c.head }

// Running reports whether there has been a state to draw.
func (c *Clock) Running() bool { return c.running }

// Snaps returns how many times the head has jumped.
func (c *Clock) Snaps() uint64 { return c.snaps }

// Stalled reports whether the newest frame had no state to move toward. Only then does the head play slower than
// minRate.
func (c *Clock) Stalled() bool { return c.running && c.exhausted }
