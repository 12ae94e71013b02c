package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/ecs"
)

// burner slows down a server's ticks: by a factor, as on a slower machine, or by a fixed time per snapshot. Each reduction
// of work by the server therefore saves proportionally more time.
type burner struct {
	factor float64       // above 1 during a burst of all work
	each   time.Duration // time per snapshot; above 0 during a burst of snapshots
	sent   func() uint64 // number of snapshots since the server started
	seen   uint64        // snapshots at the latest slowdown
	began  time.Time     // start of the burst
	tick   uint32        // start of the burst
	net    time.Duration // length of the latest wake-up without the slowdown
	ticks  int           // ticks in that wake-up
	burnt  time.Duration // slowdown in the current wake-up
	ran    int           // ticks in the current wake-up
	work   time.Duration // time of all wake-ups since the start of the measurement, without the slowdown
	steps  []stepAt
}

// step is the last system of a tick.
func (b *burner) step(*ecs.World) {
	b.ran++
	var d time.Duration
	switch {
	case b.each > 0:
		sent := b.sent()
		d, b.seen = b.each*time.Duration(sent-b.seen), sent
	case b.factor > 1 && b.ticks > 0:
		d = time.Duration((b.factor - 1) * float64(b.net) / float64(b.ticks))
	}
	if d <= 0 {
		return
	}
	began := time.Now()
	for time.Since(began) < d {
	}
	b.burnt += time.Since(began)
}

// end records the length of a wake-up.
func (b *burner) end(took time.Duration) {
	b.work += took - b.burnt
	if b.ran > 0 {
		b.net, b.ticks = took-b.burnt, b.ran
	}
	b.burnt, b.ran = 0, 0
}

// startBurst starts a burst. Work that took the fraction took of the time so far now takes the fraction share. If snapshots is
// above 0, only snapshots, that many per second, become slower.
func (b *burner) startBurst(share, took, snapshots float64, tick uint32) {
	b.began, b.tick, b.steps = time.Now(), tick, b.steps[:0]
	if snapshots <= 0 {
		b.factor = max(share/took, 1)
		return
	}
	b.each, b.seen = time.Duration(max(share-took, 0)/snapshots*float64(time.Second)), b.sent()
}

// calm ends the burst.
func (b *burner) calm() { b.factor, b.each = 1, 0 }

// note records a change of the overload step.
func (b *burner) note(step int, says string, tick uint32) {
	last := 0
	if n := len(b.steps); n > 0 {
		last = b.steps[n-1].Step
	}
	if step != last {
		b.steps = append(b.steps, stepAt{time.Since(b.began).Seconds(), tick - b.tick, step, says})
	}
}

// overload slows down the server for a while and reports the result.
func (m *socketMatch) overload(ctx context.Context) (*burstReport, error) {
	if err := m.load.talk(ctx, true); err != nil {
		return nil, err
	}
	a, err := m.ask(ctx, fmt.Sprint(askBurst, " ", m.o.burstPct, " ", m.snapshots()))
	if err != nil {
		return nil, err
	}
	for left := m.o.burst; left > 0; left -= 5 * time.Second {
		if err := m.wait(ctx, min(left, 5*time.Second)); err != nil {
			return nil, err
		}
		fmt.Fprintf(m.progress, "burst: %v left\n", max(left-5*time.Second, 0))
	}
	if err := m.load.talk(ctx, false); err != nil {
		return nil, err
	}
	b, err := m.ask(ctx, askCalm)
	if err != nil {
		return nil, err
	}
	if err := m.wait(ctx, recovery); err != nil {
		return nil, err
	}
	c, err := m.ask(ctx, askCalm)
	if err != nil {
		return nil, err
	}
	seconds, clients, hz := b.At.Sub(a.At).Seconds(), float64(m.o.clients), float64(m.o.hz)
	ticks := float64(b.Stats.Ticks - a.Stats.Ticks)
	inputs := 100 * float64(b.Stats.Inputs.Consumed-a.Stats.Inputs.Consumed) / clients
	r := &burstReport{
		Seconds: seconds, RestPct: 100 * a.Work, Factor: a.Factor, SnapshotUs: a.SnapshotUs,
		TicksPct: 100 * ticks / (seconds * hz), TicksDropped: b.Stats.TicksDropped - a.Stats.TicksDropped,
		UpdatesPerClientS: float64(b.Stats.Updates-a.Stats.Updates) / clients / seconds,
		InputsConsumedPct: inputs / (seconds * hz), InputsOfTicksPct: inputs / max(ticks, 1),
		MessagesSent: c.sent.said, MessagesComplete: c.sent.answered,
		Disconnected: m.o.clients - c.Clients, Reasons: c.sent.swarm.Reasons,
		Steps: append([]stepAt{}, c.Steps...), RecoveryTicks: recovered(c.Steps, b.Ticks-a.Ticks),
	}
	var all socketReport
	all.verify(&a.sent, &c.sent)
	r.Different = all.Different
	return r, nil
}

// snapshots returns the number of snapshots per second for a burst of snapshots, or 0 for a burst of all work.
func (m *socketMatch) snapshots() int {
	if m.o.burstOf == "snapshots" {
		return m.o.clients * sendRate(m.o.hz)
	}
	return 0
}
