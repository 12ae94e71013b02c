package ecs

import (
	"math"
	"time"

	"github.com/tactusgo/tactus/components"
)

// clock counts the ticks of the world.
type clock struct {
	tick        uint32
	newest      uint32 // latest tick ever set
	resimulated uint64
	system      uint32 // ordinal of the running system, for Rand
	simulating  int    // number of nested runs of Simulate
}

// MaxTick is the last tick that a server simulates, 2^16 below the largest uint32: after 388 days at 128 ticks per second,
// or 828 days at 60. So ticks never wrap and can be compared directly.
const MaxTick = 1<<32 - 1<<16 - 1

// Tick returns the server tick that is being simulated, 0 to [MaxTick]. On a client it is the tick of the confirmed state
// plus the inputs since then, so that doors and moving platforms match those of the server. Store cooldowns in components
// instead of comparing ticks.
func (w *World) Tick() uint32 { return w.clock.tick }

// Resimulated returns the number of runs of Simulate for ticks before the newest tick.
func (w *World) Resimulated() uint64 { return w.clock.resimulated }

// Step returns the length of one simulation step in seconds, or of the part of a step that a partial tick simulates, see
// [World.Partial].
func (w *World) Step() float32 { return w.setup.step }

// SetTick sets the tick of the next Simulate.
func (n *Netcode) SetTick(t uint32) {
	n.clock.tick = t
	n.clock.newest = max(n.clock.newest, t)
}

// partial is the state to restore after a partial tick.
type partial struct {
	on    bool
	saved *History // nil before the first partial tick
	tick  uint32
	input uint32
	owner uint32
	own   uint32 // newest input of the owner
	known bool   // the owner had an input
	step  float32
	next  components.NetID
}

// BeginPartial starts a partial tick: the netcode runs Simulate for a part of the coming tick only to draw the result.
// share is this part, above 0 and up to 1. tick is the coming tick, and input the sequence number of the input of owner
// that it will consume. [Netcode.EndPartial] restores the world. Until then [World.Step] returns share times the step, and
// structural changes are discarded; nothing is rounded, counted as re-simulated, traced or rolled back by force.
// BeginPartial panics inside another partial tick, inside Simulate, and for other shares.
func (n *Netcode) BeginPartial(tick, owner, input uint32, share float64) {
	w := (*World)(n)
	if w.partial.on || w.clock.simulating > 0 || !(share > 0 && share <= 1) {
		panic("ecs: BeginPartial: call it outside Simulate and outside another partial tick, with a share above 0 to 1")
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

// EndPartial ends a partial tick and restores the world. Outside of a partial tick it does nothing.
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

// Partial reports whether Simulate runs for a partial tick, whose result is only drawn and then discarded; [World.Step] is
// then a part of a step. Rules need it only for effects outside of the world, such as counting events.
func (w *World) Partial() bool { return w.partial.on }

// MaxCatchUp is the default for the largest number of steps that a late [Loop] runs at once. Further steps that are due are
// dropped and counted, so that a slow peer does not fall further and further behind.
const MaxCatchUp = 5

// Loop divides time into fixed steps. It reads no clock: the caller passes the real or virtual time.
type Loop struct {
	// Dropped counts the steps that were due but not run.
	Dropped uint64
	// Limit is the largest number of steps to run at once. The default is [MaxCatchUp].
	Limit int

	step float64 // nanoseconds at rate 1
	rate float64
	next time.Time
	last float64 // nanoseconds from the previous step to the next
	rest float64 // fraction of a nanosecond to add to next
}

// NewLoop returns a loop of stepsPerSecond steps per second. The first step is due at start. NewLoop panics unless
// stepsPerSecond is positive.
func NewLoop(start time.Time, stepsPerSecond int) *Loop {
	if stepsPerSecond <= 0 {
		panic("ecs: NewLoop needs at least one step a second")
	}
	return &Loop{step: float64(time.Second) / float64(stepsPerSecond), rate: 1, next: start, last: float64(time.Second) / float64(stepsPerSecond), Limit: MaxCatchUp}
}

// SetRate changes the speed of the loop: at rate 1.02 a step takes 1/1.02 of its length. It takes effect after the next
// step. SetRate panics unless rate is positive and finite.
func (l *Loop) SetRate(rate float64) {
	if !(rate > 0) || math.IsInf(rate, 0) {
		panic("ecs: Loop.SetRate needs a positive rate")
	}
	l.rate = rate
}

// Next returns the time at which the next step is due.
func (l *Loop) Next() time.Time { return l.next }

// Passed returns the share, 0 to 1, of the time between the newest step and the next step that has passed.
func (l *Loop) Passed(now time.Time) float64 {
	return min(max(1-float64(l.next.Sub(now))/l.last, 0), 1)
}

// Advance returns the number of steps to run now, 0 to Limit. If the time is more than two steps before the next step, the
// clock was set back: the loop then restarts at now.
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

// forward moves next by whole steps and keeps fractions of a nanosecond.
func (l *Loop) forward(steps float64) {
	l.last = l.step / l.rate
	d := steps*l.last + l.rest
	whole := time.Duration(d)
	l.rest = d - float64(whole)
	l.next = l.next.Add(whole)
}
