package ecs

import (
	"math"
	"time"

	"github.com/tactusgo/tactus/components"
)

// clock is how far the world has come.
type clock struct {
	tick        uint32
	newest      uint32 // latest tick ever set
	resimulated uint64
	system      uint32 // ordinal of the running system, for Rand
	simulating  int    // runs of Simulate under way
}

// MaxTick is the last tick that a server simulates, 2^16 short of where a number of 32 bits
// would begin again: after 388 days at 128 ticks a second, 828 at 60. Ticks are compared
// as they are, by games too, and so never wrap.
const MaxTick = 1<<32 - 1<<16 - 1

// Tick is the server tick being simulated, from 0 to [MaxTick]. On a client it is the tick
// that the confirmed state plus the inputs since stand for, so doors and moving
// platforms line up with the server's; cooldowns belong in state, not here.
func (w *World) Tick() uint32 { return w.clock.tick }

// Resimulated counts the runs of Simulate for ticks that the world had already
// completed, having gone on to a later one.
func (w *World) Resimulated() uint64 { return w.clock.resimulated }

// Step is the length of one simulation step in seconds, or of the part of one that
// is being looked at; see [World.Partial].
func (w *World) Step() float32 { return w.setup.step }

// SetTick is for the netcode: it says which tick the next Simulate is.
func (n *Netcode) SetTick(t uint32) {
	n.clock.tick = t
	n.clock.newest = max(n.clock.newest, t)
}

// partial is what a look at a part of a step gives back at its end.
type partial struct {
	on    bool
	saved *History // nil until there was one
	tick  uint32
	input uint32
	owner uint32
	own   uint32 // what the owner's newest input was
	known bool   // it had one
	step  float32
	next  components.NetID
}

// BeginPartial is for the netcode, before it runs Simulate for a part of the coming
// tick, only to draw what comes of it. share is that part, above 0 to 1, tick
// the tick, and input the sequence of the owner's input that it will consume. Until
// [Netcode.EndPartial], which brings back what was, [World.Step] is the share of a step;
// no structure changes, what systems ask for is void; nothing is rounded, counted as
// simulated again, traced or rolled back by force. It panics within another one, within
// Simulate, and for another share.
func (n *Netcode) BeginPartial(tick, owner, input uint32, share float64) {
	w := (*World)(n)
	if w.partial.on || w.clock.simulating > 0 || !(share > 0 && share <= 1) {
		panic("ecs: BeginPartial needs a share above 0 to 1, outside Simulate and of another partial tick")
	}
	p := &w.partial
	if p.saved == nil {
		p.saved = &History{newRing(w, 1, false, func(c *Component) bool {
			return c != w.setup.protocol.core.self && c != w.setup.protocol.core.netID
		})}
	}
	p.saved.Capture(0)
	p.on, p.tick, p.input, p.owner, p.step = true, w.clock.tick, w.inputs.newest, owner, w.setup.step
	p.own, p.known, p.next = 0, false, w.handles.nextNet
	if seq := w.inputs.byOwner.find(owner); seq != nil {
		p.own, p.known = *seq, true
	}
	w.clock.tick = tick
	w.Netcode().SetInputSequence(owner, input)
	w.setup.step = float32(float64(w.setup.step) * share)
}

// EndPartial ends what [Netcode.BeginPartial] began. It does nothing outside.
func (n *Netcode) EndPartial() {
	w := (*World)(n)
	p := &w.partial
	if !p.on {
		return
	}
	p.saved.Restore(0)
	w.clock.tick, w.setup.step = p.tick, p.step
	if p.known {
		w.Netcode().SetInputSequence(p.owner, p.own)
	} else {
		w.inputs.byOwner.remove(p.owner)
	}
	w.inputs.newest, w.handles.nextNet, p.on = p.input, p.next, false
}

// Partial reports whether what Simulate does is only looked at, for a frame between two
// ticks, and taken back: [World.Step] is a part of a step. Rules need not ask. It is for
// what they leave outside the world, such as a count of what happened.
func (w *World) Partial() bool { return w.partial.on }

// MaxCatchUp is how many steps a [Loop] runs at once when it is late, unless its
// Limit says otherwise. What is
// due beyond that is dropped and counted: a peer that cannot keep up must not
// fall ever further behind.
const MaxCatchUp = 5

// Loop turns the passing of time into fixed steps. It reads no clock: the
// caller says what time it is, real or virtual.
type Loop struct {
	// Dropped counts steps that were due but not run.
	Dropped uint64
	// Limit is how many steps run at once. Default: [MaxCatchUp].
	Limit int

	step float64 // nanoseconds at rate 1
	rate float64
	next time.Time
	last float64 // nanoseconds from the step before to the next
	rest float64 // part of a nanosecond that next leaves out
}

// NewLoop makes a loop of stepsPerSecond steps, the first due at start. It
// panics unless stepsPerSecond is positive.
func NewLoop(start time.Time, stepsPerSecond int) *Loop {
	if stepsPerSecond <= 0 {
		panic("ecs: NewLoop needs at least one step a second")
	}
	return &Loop{step: float64(time.Second) / float64(stepsPerSecond), rate: 1, next: start, last: float64(time.Second) / float64(stepsPerSecond), Limit: MaxCatchUp}
}

// SetRate speeds the loop up or down: at 1.02 a step takes 1/1.02 of its
// length. It holds from the step after the next. It panics unless rate is
// positive and finite.
func (l *Loop) SetRate(rate float64) {
	if !(rate > 0) || math.IsInf(rate, 0) {
		panic("ecs: Loop.SetRate needs a positive rate")
	}
	l.rate = rate
}

// Next is when the next step is due.
func (l *Loop) Next() time.Time { return l.next }

// Passed is the share of the time from the newest step to the next that has passed, 0
// to 1.
func (l *Loop) Passed(now time.Time) float64 {
	return min(max(1-float64(l.next.Sub(now))/l.last, 0), 1)
}

// Advance returns how many steps to run now, 0 to Limit. A clock that
// stepped back by more than two steps starts the count afresh from now.
func (l *Loop) Advance(now time.Time) int {
	length := l.step / l.rate
	if float64(l.next.Sub(now)) > 2*length {
		l.next, l.rest = now, 0
		l.forward(1)
		return 0
	}
	n := 0
	for n < l.Limit && !l.next.After(now) {
		n++
		l.forward(1)
	}
	if behind := now.Sub(l.next); behind >= 0 {
		lost := math.Floor((float64(behind)-l.rest)/length) + 1
		l.Dropped += uint64(lost)
		l.forward(lost)
	}
	return n
}

// forward moves next on by whole steps, without loss of what is less than a
// nanosecond.
func (l *Loop) forward(steps float64) {
	l.last = l.step / l.rate
	d := steps*l.last + l.rest
	whole := time.Duration(d)
	l.rest = d - float64(whole)
	l.next = l.next.Add(whole)
}
