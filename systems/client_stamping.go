package systems

import (
	"math"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// stamping stamps each input with the tick in which it applies, which is also its sequence number. Its ticks are
// the server's, ahead by the lead that the server requests of all clients.
type stamping struct {
	snapshotListener
	delay   uint32      // ticks between gathering an input and applying it (rule B1)
	early   uint32      // maximum ticks by which the server accepts inputs early
	ticks   clock.Ticks // since the server admitted this client
	clock   clock.Server
	seen    uint32  // newest server tick received
	heard   float64 // time of that, in ticks
	silence float64 // ticks without a message from the server after which the clock restarts, at least silentSends snapshots
	tooFar  float64 // ticks ahead of the server's clock at which this client waits for it
	started bool
	paused  bool // it is ahead and skips the next tick
	idle    bool // it skipped the last tick
}

func newStamping(c *Client, delay, early uint32) *stamping {
	rate := float64(c.world.TickRate())
	return &stamping{
		snapshotListener: snapshotListener{c, c.mirror.Has}, delay: delay, early: early,
		ticks:   clock.Ticks{Start: c.steps.now, Step: c.world.StepDuration()},
		silence: rate / 2, tooFar: max(rate/5, minTooFar),
	}
}

const (
	// slewTicks is the number of ticks in which a small clock difference should disappear.
	slewTicks = 30
	// tooLate is the number of ticks behind from which a client catches up, by makeUp ticks per wake-up. From
	// tooMuch ticks on it skips them.
	tooLate = 5
	makeUp  = 8
	tooMuch = 30
	// minTooFar is the minimum of stamping.tooFar. It is above the noise of the clock.
	minTooFar = 3
	// silentSends is the minimum number of consecutive missing snapshots after which the server counts as silent.
	silentSends = 4
)

// Receive also records the server's tick. It restarts the clock if the server may have stood still: after a
// silence, or if the next input would be too early for the server.
func (m *stamping) Receive(pk netsys.Packet) error {
	err := m.snapshotListener.Receive(pk)
	if err == nil && m.c.mirror.Newest.Tick > m.seen {
		m.seen = m.c.mirror.Newest.Tick
		at := m.ticks.At(pk.At)
		if m.isSilent(at) || m.c.inputs.Log.Newest >= m.seen+m.early+uint32(m.roundTrip()) {
			m.restart()
		}
		m.heard = at
		m.clock.Heard(at, m.seen, m.roundTrip())
	}
	return err
}

// restart resets the estimate of the server's clock. The server has refused inputs that were too far ahead. This
// client gathers those that are still too early again when they are due, and resends the others.
func (m *stamping) restart() {
	m.clock.Restart()
	if newest := m.seen + m.early; m.started && m.c.inputs.Log.Newest > newest {
		m.c.inputs.Log.Back(newest)
		m.c.inputs.sender.Rewind(m.seen)
		m.c.predictor.Skip()
		m.c.reconciler.Back(newest)
		m.c.discard(newest + 1)
	}
}

// lead returns the number of ticks by which the server wants its clients ahead.
func (m *stamping) lead() uint32 { return m.c.steps.steering.Lead() }

// followClock moves the log to the clock's tick, at the start and after a stall.
func (m *stamping) followClock() {
	target, ok := m.target(m.c.steps.now)
	if !ok {
		return
	}
	due := uint32(math.Ceil(max(target, 0))) + m.lead()
	switch {
	case !m.started:
		m.started = true
		m.c.inputs.sender.SkipTo(max(m.c.inputs.Log.Newest, due))
		m.c.inputs.Log.Jump(due)
		m.pushNeutral(m.c.inputs.Log.Newest + m.delay)
		m.c.predictor.Skip()
	case due > m.Applied()+tooMuch:
		m.c.inputs.Log.Jump(due)
		m.pushNeutral(due + m.delay)
		m.c.predictor.Skip()
		m.c.reconciler.Skipped()
	}
}

// pushNeutral adds neutral inputs to the log up to a tick.
func (m *stamping) pushNeutral(tick uint32) {
	for m.c.inputs.Log.Newest < tick {
		m.c.inputs.Log.Push()
		m.c.inputs.Log.Seal()
	}
}

// reconcile runs Reconcile once ticks have started.
func (m *stamping) reconcile(w *ecs.World) {
	if m.started {
		m.c.reconciler.Run(w)
	}
}

// gather first moves the log to the clock's tick.
func (m *stamping) gather(w *ecs.World) {
	m.followClock()
	if m.idle = m.paused || !m.started; !m.idle {
		m.c.inputs.Run(w)
	}
}

// predict simulates the newest input whose tick is due.
func (m *stamping) predict(w *ecs.World) {
	if !m.idle {
		m.c.predictor.Run(w)
	}
}

// send also reports how far this client leads.
func (m *stamping) send(w *ecs.World) {
	if target, ok := m.due(); ok {
		m.c.steps.steering.Set(math.Round(min(max(float64(m.Applied()+1)-target, 0), wire.MaxShift)))
	}
	m.c.send(w)
}

// Applied returns the newest input whose tick is due.
func (m *stamping) Applied() uint32 {
	if !m.started {
		return 0
	}
	return m.c.predictor.Due()
}

// Gathering returns the input's number in the log, which is its tick.
func (m *stamping) Gathering() uint32 { return m.c.inputs.Number() }

// Coming returns the next input, which may already be gathered if inputs apply with a delay.
func (m *stamping) Coming() (tick, input uint32, share float64) {
	if !m.started || m.paused {
		return 0, 0, 0
	}
	input = m.c.predictor.Applied() + 1
	return input, input, m.c.steps.loop.Passed(m.c.steps.now)
}

// Foresee sets the input.
func (m *stamping) Foresee(input uint32) { m.c.predictor.Give(m.c.inputs.At(input)) }

// due returns the server's tick when the next tick is due here. Without a lead the two are equal, so that the
// server's states are of predicted ticks.
func (m *stamping) due() (tick float64, ok bool) {
	return m.target(m.c.steps.loop.Next())
}

// target returns the server's tick at a time. It returns false if nothing has arrived for long: the server may have stood still, and
// would continue from its tick.
func (m *stamping) target(at time.Time) (tick float64, ok bool) {
	if m.isSilent(m.ticks.At(m.c.steps.now)) {
		return 0, false
	}
	return m.clock.Target(m.ticks.At(at))
}

// isSilent reports whether nothing had arrived for long at a time, in ticks.
func (m *stamping) isSilent(at float64) bool {
	return at-m.heard > max(m.silence, silentSends*float64(m.c.interpolator.Every()))
}

// gap returns how many ticks this client is behind its target.
func (m *stamping) gap() float64 {
	target, ok := m.due()
	if !ok || !m.started {
		return 0
	}
	return target + float64(m.lead()) - float64(m.Applied()+1)
}

// Rate changes too little for players to notice. For larger differences, Rate skips ticks, or More catches up.
func (m *stamping) Rate() float64 {
	gap := m.gap()
	m.paused = gap < -m.tooFar || m.paused && gap < -1
	if m.paused || gap > tooLate {
		return 1
	}
	return 1 + min(max(gap/slewTicks, -clock.MaxSteer), clock.MaxSteer)
}

// BeforeReceive returns all but one: the server sends the state of a tick when it is due, and the frame may be
// later.
func (m *stamping) BeforeReceive(due int) int { return due - 1 }

// More catches up if the gap is too large for Rate.
func (m *stamping) More(extra int) bool { return extra < makeUp && !m.idle && m.gap() > tooLate }

// roundTrip returns the recent round trip in ticks.
func (m *stamping) roundTrip() float64 {
	st := m.c.link.session.Stats()
	return m.ticks.RoundTrip(st.MinRTT, st.RTT)
}
