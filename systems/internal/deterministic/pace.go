package deterministic

import (
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/relay"
)

// catchUp is how many ticks more than are due a client simulates in a frame that is
// behind, mostAtOnce in one that goes on from a state that has just come, as far as the server has told.
const (
	catchUp    = 8
	mostAtOnce = 60
)

// snapAway is how many seconds away from where it should be a client no longer slews.
const snapAway = 0.2

// silence is for how many seconds, and leastSilence for how many ticks at least, a client goes on that hears nothing.
const (
	silence      = 0.5
	leastSilence = 10
)

// Time is when a client is.
type Time interface {
	// Now is the time of this frame.
	Now() time.Time
	// Passed is which part of the time to the next tick has passed.
	Passed() float64
}

// Pace keeps a client at the server's tick, or under lockstep as far behind it as everybody.
type Pace struct {
	time    Time
	relay   *relay.Client
	session netsys.Session
	since   clock.Ticks // the client was let in
	clock   clock.Server
	heard   uint32  // the server's time in the newest message
	heardAt float64 // frame in which that came
	states  uint64  // that have come
	arrived bool    // what was told since the last one is simulated
	held    bool    // no tick in this frame: the client is far ahead, or may be
	stepped bool    // the last tick that was due has been simulated
}

// receive notes a message that came at a time.
func (p *Pace) receive(at time.Time) {
	if due := p.relay.ServerTick() + p.relay.Waited(); due > p.heard && p.relay.Following() {
		p.heard, p.heardAt = due, p.since.At(p.time.Now())
		p.clock.Heard(p.since.At(at), due, p.roundTrip())
	}
}

// Rate is how fast the coming step should pass.
func (p *Pace) Rate() float64 {
	rate := p.ticks()
	p.held = rate == 0
	if rate < 0.5 || rate > 1.5 {
		return 1 // waiting, or catching up: see More
	}
	return rate
}

// BeforeReceive is none: all ticks go by what was received.
func (p *Pace) BeforeReceive(int) int { return 0 }

// More reports whether to make another tick in a frame that has made so many more than
// were due.
func (p *Pace) More(extra int) bool {
	if n := p.relay.Stats().States; n != p.states {
		p.states, p.arrived = n, false
	}
	p.arrived = p.arrived || p.relay.Playing() && p.relay.Ahead() == 0
	switch {
	case !p.stepped:
		return false
	case !p.arrived && p.relay.Ahead() > 0:
		return extra < mostAtOnce
	case extra >= catchUp:
		return false
	}
	return p.ticks() > 1.5
}

// ticks is how many ticks a frame should make to be where the server is, or under lockstep as far behind it as everybody. One
// that has heard nothing for long does not know where that is, and makes none: a server that stood still goes on from
// where it was.
func (p *Pace) ticks() float64 {
	if p.since.At(p.time.Now())-p.heardAt > max(silence*float64(p.relay.Timeline().World().TickRate()), leastSilence) {
		return 0
	}
	return p.clock.Rate(p.due()-p.relay.Lag(), p.relay.Timeline().Next()+p.relay.Waited(), catchUp)
}

// due is when the newest tick was due, in ticks, whenever the frame came that made it.
func (p *Pace) due() float64 { return p.since.At(p.time.Now()) - p.time.Passed() }

// roundTrip is that of late, in ticks. In each of the two ends a datagram waits half a tick, as a
// rule, until it is looked at; that is no part of the way.
func (p *Pace) roundTrip() float64 {
	st := p.session.Stats()
	return max(p.since.RoundTrip(st.MinRTT, st.RTT)-1, 0)
}
