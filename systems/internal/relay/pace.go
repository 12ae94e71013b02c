package relay

import (
	"math"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/clock"
)

// catchUp is the maximum number of extra ticks per frame of a client that is behind. maxPerFrame is that number
// after a state of the world has arrived, until all received ticks are simulated.
const (
	catchUp     = 8
	maxPerFrame = 60
)

// snapAway is the distance from the target time, in seconds, at which a client jumps instead of adjusting its rate.
const snapAway = 0.2

// A client that hears nothing continues for silence seconds, at least minSilence ticks.
const (
	silence    = 0.5
	minSilence = 10
)

// clientPace keeps a client at the server's tick, or under lockstep at the common distance behind it.
type clientPace struct {
	since   clock.Ticks // counts ticks from the time of the login
	clock   clock.Server
	heard   uint32  // the server's time in the newest message, in ticks
	heardAt float64 // frame in which that message arrived: it may be read later, after this client stood still
	silence float64 // frames without a message after which the server may stand still
	states  uint64  // states that have arrived
	arrived bool    // all ticks received with the newest state are simulated
	held    bool    // no tick in this frame: the client is far ahead, or may be
	stepped bool    // the last Step simulated its tick
}

func newClientPace(start time.Time, step time.Duration, rate int) clientPace {
	return clientPace{
		since: clock.Ticks{Start: start, Step: step}, clock: clock.Server{Snap: snapAway * float64(rate)},
		silence: max(silence*float64(rate), minSilence),
	}
}

// hear records the newest message, which arrived at a time and is received now. The round trip excludes the half tick that a
// datagram waits on average at each end until it is read.
func (p *clientPace) hear(c *Client, at time.Time, st netsys.Stats) {
	tick := c.server.tick
	if c.config.Replay && !c.config.Timeline.Wait {
		tick = c.server.horizon // a replay shows few ticks that may still change
	}
	due := tick + c.server.waited
	if due <= p.heard || !c.Following() {
		return
	}
	if p.isSilent(at) {
		p.clock.Restart() // the server may have stood still, and this client too
	}
	p.heard, p.heardAt = due, p.since.At(at)
	p.clock.Heard(p.since.At(at), due, max(p.since.RoundTrip(st.MinRTT, st.RTT)-1, 0))
	if !c.config.Timeline.Wait {
		c.inputs.reach(int(math.Ceil(p.since.RoundTrip(0, st.RTT+4*st.Jitter)/2)), &c.config)
	}
}

// isSilent reports whether nothing had arrived for long at a time.
func (p *clientPace) isSilent(at time.Time) bool { return p.since.At(at)-p.heardAt > p.silence }

// ticks returns how many ticks a frame should simulate to reach the target. passed is the fraction of the time to the next
// tick that has passed since the newest was due. ticks returns 0 if nothing has arrived for long: the server may have stood
// still, and would continue from its tick.
func (c *Client) ticks(now time.Time, passed float64) float64 {
	p := &c.pace
	if p.isSilent(now) {
		return 0
	}
	return p.clock.Rate(p.since.At(now)-passed-c.lag(), c.timeline.Next()+c.server.waited, catchUp)
}

// lag returns how many ticks behind the server a client should be under lockstep: half of the common input delay,
// which is the time that a message from the server may take. All clients then show a tick at the same time.
func (c *Client) lag() float64 {
	if !c.config.Timeline.Wait {
		return 0
	}
	return float64(c.inputs.delay) / 2
}

// Stepped reports whether the last [Client.Step] simulated its tick.
func (c *Client) Stepped() bool { return c.pace.stepped }

// Rate returns how fast the coming step should pass, 1 being real time. passed is the fraction of the step that has passed.
// If the client is far ahead, the next [Client.Step] takes its input and simulates nothing.
func (c *Client) Rate(now time.Time, passed float64) float64 {
	rate := c.ticks(now, passed)
	c.pace.held = rate == 0
	if rate < 0.5 || rate > 1.5 {
		return 1 // waiting or catching up: see More
	}
	return rate
}

// More reports whether to simulate another tick in a frame that has already simulated extra ticks more than were
// due.
func (c *Client) More(now time.Time, passed float64, extra int) bool {
	p := &c.pace
	if c.stats.States != p.states {
		p.states, p.arrived = c.stats.States, false
	}
	p.arrived = p.arrived || c.Playing() && c.Ahead() == 0
	switch {
	case !p.stepped:
		return false
	case !p.arrived && c.Ahead() > 0:
		return extra < maxPerFrame
	case extra >= catchUp:
		return false
	}
	return c.ticks(now, passed) > 1.5
}
