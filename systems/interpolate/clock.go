package interpolate

import (
	"math"
	"time"

	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// Clock determines the tick at which a client draws entities that it does not simulate: as close behind the server as the link
// allows (rule E4). Its times are in ticks of the server.
//
// The head stays one send behind the newest state, more if snapshots get lost. If they are missing nevertheless, it goes on for
// [continuedSends], at least [continuedSeconds], in which entities continue as they moved. Only then it stalls.
//
// A few very late datagrams do not move the clock: entities continue until the next one. This also applies to datagrams that arrive
// at once after the path or this process stood still.
// If all datagrams of half a second are later, the path has become longer, and the clock follows.
type Clock struct {
	arrivals
	every     float64 // ticks per snapshot
	allowed   float64 // see [Clock.AllowBeyond]
	loss      float64 // share of lost snapshots
	head      float64 // the tick being drawn
	last      time.Time
	running   bool
	ahead     bool   // the head has passed the newest state
	exhausted bool   // it has passed it by all that is allowed, or waits for the server
	snaps     uint64 // times that the head jumped
}

// arrivals records when snapshots arrived.
type arrivals struct {
	step    float64 // seconds per tick
	epoch   time.Time
	latest  time.Duration    // since the epoch
	early   [buckets]float64 // minimum advance per half second: the negative of the maximum transit
	ready   [buckets]float64 // the same until the state could be drawn
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

// NewClock returns a clock that starts at now. every is the number of ticks between snapshots, see [Clock.SetEvery].
func NewClock(now time.Time, tickRate int, every uint32) Clock {
	c := Clock{every: float64(every), arrivals: arrivals{step: 1 / float64(tickRate), epoch: now}}
	for i := range c.early {
		c.early[i], c.ready[i] = none, none
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

// ProcessArrivals processes the arrivals up to now, from which on their states can be drawn. If more than a tick has passed since an
// arrival, this process stood still, which says nothing about the path.
func (c *Clock) ProcessArrivals(now time.Time) {
	since := c.since(now)
	c.roll(since)
	for _, x := range c.pending {
		n := min(max(int64(x.at/bucketLength), 0), c.bucket)
		if n <= c.bucket-buckets || float64(c.newest-x.tick)*c.step > staleSeconds {
			continue
		}
		transit := x.at.Seconds() - float64(x.tick)*c.step
		early, ready := &c.early[n%buckets], &c.ready[n%buckets]
		*early = min(*early, -transit)
		*ready = min(*ready, -transit-min(max(since-x.at, 0).Seconds(), c.step))
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
		a.early[a.bucket%buckets], a.ready[a.bucket%buckets] = none, none
	}
}

// nearby is the number of ticks by which an outlier may be later than other states and is still waited for: one until it is received,
// and one for jitter.
const nearby = 2

// reached is the distance in ticks up to which a frame beyond the newest state shows that state.
const reached = 1.0 / lagcomp.Parts

// Entities continue as they moved when the newest state was reached for continuedSends, at least for continuedSeconds.
const (
	continuedSends   = 2
	continuedSeconds = 0.1
)

// cover returns the smallest k such that k consecutive losses, after which entities continue as they moved, are at most as frequent
// as one in a thousand, and k + continued, after which they stall, as one in a million. Without loss k is 1: the head moves
// toward the newest state.
func cover(loss, continued float64) float64 {
	if loss <= 0 {
		return 1
	}
	const rounding = 1e-9 // for whole quotients
	perLoss := math.Log(min(loss, 0.5))
	return max(1, math.Ceil(math.Log(1e-3)/perLoss-rounding), math.Ceil(math.Log(1e-6)/perLoss-rounding)-math.Floor(continued))
}

// wait returns how long after its due time to wait for a state, in seconds of this clock: until it arrives, without outliers, and
// until it can be drawn, with outliers that are later by at most nearby ticks.
func (a *arrivals) wait(since time.Duration) (seconds, longest float64, ok bool) {
	a.roll(since)
	early, earliest, ok := clock.Lowest(a.early[:], none)
	seconds = max(-early, min(a.shift[1].least, -earliest))
	longest = seconds
	for _, v := range a.ready {
		if v != none && -v <= seconds+nearby*a.step {
			longest = max(longest, -v)
		}
	}
	return seconds, longest, ok
}

// target returns the tick that should be drawn now. Outliers that are a little later than the others, as jitter has them, are waited for.
func (c *Clock) target(now time.Time) (float64, bool) {
	since := c.since(now)
	wait, longest, ok := c.wait(since)
	return since.Seconds()/c.step - max(wait/c.step+cover(c.loss, c.continued()/c.every)*c.every, longest/c.step+c.every), ok
}

// Advance moves the head to the frame at now and returns it. The head never moves backwards. It plays at 0.95 to
// 1.05 of real time, except when it starts or is more than a second behind: then it jumps. It stands still when it has run out of
// states, and after that until the server has caught up.
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
	behind := target - c.head - dt               // after this frame
	paused := c.ahead && behind < -c.continued() // the server has stopped for a while: entities must not continue for all that time
	switch {
	case behind*c.step > snapSeconds:
		c.head = target
	case !paused:
		c.head += dt * min(max(1+behind*c.step, minRate), maxRate)
	}
	end := float64(c.newest) + c.beyond()
	c.ahead, c.exhausted = c.head > float64(c.newest)+reached, paused || c.head >= end
	if c.exhausted {
		c.head = max(before, min(c.head, end))
	}
	if (c.head-before-dt)*c.step > snapSeconds/2 {
		c.snaps++
	}
	return c.head
}

// SetLoss sets the share of lost snapshots to cover from now on.
func (c *Clock) SetLoss(share float64) { c.loss = share }

// SetEvery sets the number of ticks between snapshots from now on.
func (c *Clock) SetEvery(every uint32) { c.every = float64(every) }

// AllowBeyond lets the head pass the newest state by up to ticks.
func (c *Clock) AllowBeyond(ticks float64) { c.allowed = max(c.allowed, ticks) }

// beyond returns the number of ticks by which the head may pass the newest state without a stall.
func (c *Clock) beyond() float64 { return max(c.continued(), c.allowed) }

// continued returns the number of ticks for which all entities continue.
func (c *Clock) continued() float64 { return max(continuedSends*c.every, continuedSeconds/c.step) }

// Head returns the tick that Advance returned last.
func (c *Clock) Head() float64 { return c.head }

// Running reports whether there has been a state to draw.
func (c *Clock) Running() bool { return c.running }

// Snaps returns how many times the head has jumped.
func (c *Clock) Snaps() uint64 { return c.snaps }

// progress says what the newest frame moved toward.
func (c *Clock) progress() progress {
	switch {
	case c.Stalled():
		return stalls
	case c.running && c.ahead:
		return continues
	}
	return moves
}

// Stalled reports whether the newest frame had no state to move toward for too long. Only then does the head play slower than
// minRate.
func (c *Clock) Stalled() bool { return c.running && c.exhausted }
