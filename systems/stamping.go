package systems

import (
	"math"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// stamping stamps each input with the tick in which it applies, here too: that is its
// sequence. Its ticks are the server's, ahead by the lead that the server asks of all
// clients alike.
type stamping struct {
	snapshotListener
	delay   uint32      // ticks from gathering an input to applying it (rule B1)
	early   uint32      // how far ahead of it the server takes inputs
	ticks   clock.Ticks // since the server let this client in
	clock   clock.Server
	seen    uint32  // newest tick of the server that was heard of
	heard   float64 // when that was, in ticks
	silence float64 // ticks without a message from the server, after which the clock starts over
	tooFar  float64 // ticks ahead of the server's clock, from which on this client waits for it
	started bool
	paused  bool // it is ahead, and lets the next tick pass
	idle    bool // it let the last one pass
}

func newStamping(c *Client, delay, early uint32) *stamping {
	rate := float64(c.world.TickRate())
	return &stamping{
		snapshotListener: snapshotListener{c}, delay: delay, early: early,
		ticks:   clock.Ticks{Start: c.steps.now, Step: c.world.StepDuration()},
		silence: max(rate/2, silentSends*float64(c.shape.sendEvery)), tooFar: max(rate/5, leastTooFar),
	}
}

const (
	// slewTicks is in how many ticks a small difference of clocks is to be gone.
	slewTicks = 30
	// tooLate is from how many ticks on a client that is behind makes up for them, makeUp
	// in a wake-up, or, from tooMuch on, leaves them out.
	tooLate = 5
	makeUp  = 8
	tooMuch = 30
	// leastTooFar is the least stamping.tooFar. It is above the noise of the clock.
	leastTooFar = 3
	// silentSends is how many snapshots in a row, at least, are missing when the server counts as silent.
	silentSends = 4
)

// Receive also notes by when the server was how far. It starts the clock over when the server may have stood still:
// after a silence, or when the next input would come too early for the server.
func (m *stamping) Receive(pk netsys.Packet) error {
	err := m.snapshotListener.Receive(pk)
	if err == nil && m.c.mirror.Newest.Tick > m.seen {
		m.seen = m.c.mirror.Newest.Tick
		at := m.ticks.At(pk.At)
		if at-m.heard > m.silence || m.c.inputs.Log.Newest >= m.seen+m.early+uint32(m.roundTrip()) {
			m.restart()
		}
		m.heard = at
		m.clock.Heard(at, m.seen, m.roundTrip())
	}
	return err
}

// restart forgets where the server's clock was. The server has refused inputs for ticks that were too far ahead of its
// own: this client gathers those that are still too far ahead again when they are due, and sends the others again.
func (m *stamping) restart() {
	m.clock = clock.Server{}
	if newest := m.seen + m.early; m.started && m.c.inputs.Log.Newest > newest {
		m.c.inputs.Log.Back(newest)
		m.c.inputs.sender.Back(m.seen)
		m.c.predictor.Skip()
		m.c.reconciler.Skipped()
	}
}

// lead is by how many ticks the server wants its clients ahead.
func (m *stamping) lead() uint32 { return m.c.steps.steering.Lead() }

// follow brings the log to where the clock is, at first and after a stall.
func (m *stamping) follow() {
	target, ok := m.clock.Target(m.ticks.At(m.c.steps.now))
	if !ok {
		return
	}
	due := uint32(math.Ceil(max(target, 0))) + m.lead()
	switch {
	case !m.started:
		m.started = true
		m.c.inputs.sender.Skip(max(m.c.inputs.Log.Newest, due))
		m.c.inputs.Log.Jump(due)
		m.fill(m.c.inputs.Log.Newest + m.delay)
		m.c.predictor.Skip()
	case due > m.Applied()+tooMuch:
		m.c.inputs.Log.Jump(due)
		m.fill(due + m.delay)
		m.c.predictor.Skip()
		m.c.reconciler.Skipped()
	}
}

// fill puts neutral inputs into the log up to a tick.
func (m *stamping) fill(tick uint32) {
	for m.c.inputs.Log.Newest < tick {
		m.c.inputs.Log.Push()
		m.c.inputs.Log.Seal()
	}
}

// reconcile waits for the first tick.
func (m *stamping) reconcile(w *ecs.World) {
	if m.started {
		m.c.reconciler.Run(w)
	}
}

// gather brings the log to where the clock is, before.
func (m *stamping) gather(w *ecs.World) {
	m.follow()
	if m.idle = m.paused || !m.started; !m.idle {
		m.c.inputs.Run(w)
	}
}

// predict simulates the newest input whose tick has come.
func (m *stamping) predict(w *ecs.World) {
	if !m.idle {
		m.c.predictor.Run(w)
	}
}

// send also tells how far this client leads.
func (m *stamping) send(w *ecs.World) {
	if target, ok := m.due(); ok {
		m.c.steps.steering.Set(math.Round(min(max(float64(m.Applied()+1)-target, 0), wire.MaxShift)))
	}
	m.c.send(w)
}

// Applied is the newest input whose tick has come.
func (m *stamping) Applied() uint32 {
	if !m.started {
		return 0
	}
	return m.c.predictor.Due()
}

// Coming is an input that was gathered before, where inputs apply later.
func (m *stamping) Coming() (tick, input uint32, share float64) {
	if !m.started || m.paused {
		return 0, 0, 0
	}
	input = m.c.predictor.Applied() + 1
	return input, input, m.c.steps.loop.Passed(m.c.steps.now)
}

// Foresee gives it.
func (m *stamping) Foresee(input uint32) { m.c.predictor.Give(m.c.inputs.At(input)) }

// due is the tick that the server will be at when the next one is due here: without a lead
// the two are the same, so that what it tells is of a tick that has been predicted.
func (m *stamping) due() (tick float64, ok bool) {
	return m.clock.Target(m.ticks.At(m.c.steps.loop.Next()))
}

// gap is how many ticks this client is behind where it should be.
func (m *stamping) gap() float64 {
	target, ok := m.due()
	if !ok || !m.started {
		return 0
	}
	return target + float64(m.lead()) - float64(m.Applied()+1)
}

// Rate changes by so little that nobody sees it. Where that would take too long ticks are
// left out here, or made up for by More.
func (m *stamping) Rate() float64 {
	gap := m.gap()
	m.paused = gap < -m.tooFar || m.paused && gap < -1
	if m.paused || gap > tooLate {
		return 1
	}
	return 1 + min(max(gap/slewTicks, -clock.MaxSteer), clock.MaxSteer)
}

// BeforeReceive is all but one: the server tells of ticks when they are due, and the frame may
// come later.
func (m *stamping) BeforeReceive(due int) int { return due - 1 }

// More makes up for ticks that are too many to slew.
func (m *stamping) More(extra int) bool { return extra < makeUp && !m.idle && m.gap() > tooLate }

// roundTrip is that of late, in ticks.
func (m *stamping) roundTrip() float64 {
	st := m.c.link.session.Stats()
	return m.ticks.RoundTrip(st.MinRTT, st.RTT)
}
