package deterministic

import (
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/relay"
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

// Time provides the time of a client.
type Time interface {
	// Now returns the time of this frame.
	Now() time.Time
	// Passed returns the fraction of the time to the next tick that has passed.
	Passed() float64
}

// Pace keeps a client at the server's tick, or under lockstep at the common distance behind it.
type Pace struct {
	time    Time
	relay   *relay.Client
	session netsys.Session
	replay  bool        // under rollback the client stays at the newest final tick
	since   clock.Ticks // counts ticks from the time of the login
	clock   clock.Server
	heard   uint32  // the server's time in the newest message, in ticks
	heardAt float64 // frame in which that message arrived
	states  uint64  // states that have arrived
	arrived bool    // all ticks received with the newest state are simulated
	held    bool    // no tick in this frame: the client is far ahead, or may be
	stepped bool    // the last due tick was simulated
}

// receive records a message that arrived at a time.
func (p *Pace) receive(at time.Time) {
	tick := p.relay.ServerTick()
	if p.replay {
		tick = p.relay.FinalTick()
	}
	if due := tick + p.relay.Waited(); due > p.heard && p.relay.Following() {
		if p.isSilent() {
			p.clock.Restart() // the server may have stood still, and this client too
		}
		p.heard, p.heardAt = due, p.since.At(p.time.Now())
		p.clock.Heard(p.since.At(at), due, p.roundTrip())
	}
}

// Rate returns how fast the coming step should pass, 1 being real time.
func (p *Pace) Rate() float64 {
	rate := p.ticks()
	p.held = rate == 0
	if rate < 0.5 || rate > 1.5 {
		return 1 // waiting or catching up: see More
	}
	return rate
}

// BeforeReceive returns 0: all ticks are simulated after receiving.
func (p *Pace) BeforeReceive(int) int { return 0 }

// More reports whether to simulate another tick in a frame that has already simulated extra ticks more than were
// due.
func (p *Pace) More(extra int) bool {
	if n := p.relay.Stats().States; n != p.states {
		p.states, p.arrived = n, false
	}
	p.arrived = p.arrived || p.relay.Playing() && p.relay.Ahead() == 0
	switch {
	case !p.stepped:
		return false
	case !p.arrived && p.relay.Ahead() > 0:
		return extra < maxPerFrame
	case extra >= catchUp:
		return false
	}
	return p.ticks() > 1.5
}

// ticks returns how many ticks a frame should simulate to reach the target. It returns 0 if nothing has arrived for
// long: the server may have stood still, and would continue from its tick.
func (p *Pace) ticks() float64 {
	if p.isSilent() {
		return 0
	}
	return p.clock.Rate(p.due()-p.relay.Lag(), p.relay.Timeline().Next()+p.relay.Waited(), catchUp)
}

// isSilent reports whether nothing has arrived for long.
func (p *Pace) isSilent() bool {
	return p.since.At(p.time.Now())-p.heardAt > max(silence*float64(p.relay.Timeline().World().TickRate()), minSilence)
}

// due returns the time at which the newest tick was due, in ticks, independent of when its frame ran.
func (p *Pace) due() float64 { return p.since.At(p.time.Now()) - p.time.Passed() }

// roundTrip returns the recent round trip, in ticks. It excludes the half tick that a datagram waits on average at
// each end until it is read.
func (p *Pace) roundTrip() float64 {
	st := p.session.Stats()
	return max(p.since.RoundTrip(st.MinRTT, st.RTT)-1, 0)
}
