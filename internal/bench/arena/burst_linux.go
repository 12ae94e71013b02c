package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/ecs"
)

// burner makes the ticks of a server take longer, as on a slower machine: by a factor, whatever they do, so that what is
// given up makes them shorter by as much more.
type burner struct {
	factor float64       // above 1 while there is a burst
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
	if b.ran++; b.factor <= 1 || b.ticks == 0 {
		return
	}
	began := time.Now()
	for d := time.Duration((b.factor - 1) * float64(b.net) / float64(b.ticks)); time.Since(began) < d; {
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

// begin begins a burst in which the work that took so much of the time until now takes a share of it.
func (b *burner) begin(share, took float64, tick uint32) {
	b.factor, b.began, b.tick, b.steps = max(share/took, 1), time.Now(), tick, b.steps[:0]
}

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
	if err := m.load.speak(ctx, true); err != nil {
		return nil, err
	}
	a, err := m.ask(ctx, fmt.Sprint(askBurst, " ", m.o.burstPct))
	if err != nil {
		return nil, err
	}
	for left := m.o.burst; left > 0; left -= 5 * time.Second {
		if err := m.wait(ctx, min(left, 5*time.Second)); err != nil {
			return nil, err
		}
		fmt.Fprintf(m.progress, "burst: %v left\n", max(left-5*time.Second, 0))
	}
	if err := m.load.speak(ctx, false); err != nil {
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
		Seconds: seconds, RestPct: 100 * a.Work, Factor: a.Factor,
		TicksPct: 100 * ticks / (seconds * hz), TicksDropped: b.Stats.TicksDropped - a.Stats.TicksDropped,
		UpdatesPerClientS: float64(b.Stats.Updates-a.Stats.Updates) / clients / seconds,
		InputsConsumedPct: inputs / (seconds * hz), InputsOfTicksPct: inputs / max(ticks, 1),
		MessagesSent: c.sent.said, MessagesComplete: c.sent.answered,
		Disconnected: m.o.clients - c.Clients, Reasons: c.sent.reasons(),
		Steps: append([]stepAt{}, c.Steps...), RecoveryTicks: recovered(c.Steps, b.Ticks-a.Ticks),
	}
	var all socketReport
	all.verify(&a.sent, &c.sent)
	r.Different = all.Different
	return r, nil
}

// reasons are why clients are missing, and how many for each.
func (s *sent) reasons() map[string]int {
	all := make(map[string]int)
	for _, why := range s.ended {
		all[why]++
	}
	if s.blind != nil {
		for why, n := range s.blind.Reasons {
			all[why] += n
		}
	}
	return all
}
