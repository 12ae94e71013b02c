package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/ecs"
)

// burner makes the ticks of a server take longer: by a factor, whatever they do, as on a slower machine, or by so much for
// each snapshot. So what is given up makes them shorter by as much more.
type burner struct {
	factor float64       // above 1 while there is a burst of everything
	each   time.Duration // above 0 while there is a burst of snapshots: for one
	sent   func() uint64 // snapshots, since the server began
	seen   uint64        // of these, when it burnt last
	began  time.Time     // the burst
	tick   uint32        // likewise
	net    time.Duration // of the last wake-up: what it took without burning
	ticks  int           // in it
	burnt  time.Duration // in the wake-up at hand
	ran    int           // ticks in it
	work   time.Duration // of all wake-ups since measuring began, without burning
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

// end ends a wake-up that took so long.
func (b *burner) end(took time.Duration) {
	b.work += took - b.burnt
	if b.ran > 0 {
		b.net, b.ticks = took-b.burnt, b.ran
	}
	b.burnt, b.ran = 0, 0
}

// begin begins a burst in which the work that took so much of the time until now takes a share of it. Where snapshots are above
// 0 it is these, so many a second, that take longer.
func (b *burner) begin(share, took, snapshots float64, tick uint32) {
	b.began, b.tick, b.steps = time.Now(), tick, b.steps[:0]
	if snapshots <= 0 {
		b.factor = max(share/took, 1)
		return
	}
	b.each, b.seen = time.Duration(max(share-took, 0)/snapshots*float64(time.Second)), b.sent()
}

// calm ends it.
func (b *burner) calm() { b.factor, b.each = 1, 0 }

// note notes what is given up.
func (b *burner) note(step int, says string, tick uint32) {
	last := 0
	if n := len(b.steps); n > 0 {
		last = b.steps[n-1].Step
	}
	if step != last {
		b.steps = append(b.steps, stepAt{time.Since(b.began).Seconds(), tick - b.tick, step, says})
	}
}

// overload lets the server's work take longer for a while, and reports what came of it.
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

// snapshots is how many snapshots a second a burst of snapshots makes dearer, 0 where everything gets dearer.
func (m *socketMatch) snapshots() int {
	if m.o.burstOf == "snapshots" {
		return m.o.clients * sendRate(m.o.hz)
	}
	return 0
}
