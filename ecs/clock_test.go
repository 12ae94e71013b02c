package ecs_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// polled advances the loop from start to end, looking every interval.
func polled(l *ecs.Loop, start time.Time, d, interval time.Duration) (steps int) {
	for t := time.Duration(0); t < d; t += interval {
		steps += l.Advance(start.Add(t))
	}
	return steps
}

// Ten minutes are long enough to show if a step loses a fraction of a nanosecond.
func TestTheRateIsExact(t *testing.T) {
	const long = 10 * time.Minute
	for _, hz := range []int{60, 20, 128, 7} {
		for _, interval := range []time.Duration{time.Millisecond, 3_333_333, 16_666_667} {
			if hz == 128 && interval > 7*time.Millisecond {
				interval = 7 * time.Millisecond
			}
			l := ecs.NewLoop(epoch, hz)
			equal(t, "steps", polled(l, epoch, long, interval), 600*hz)
			equal(t, "dropped", l.Dropped, 0)
			if d := l.Next().Sub(epoch.Add(long)); d < -time.Microsecond || d > time.Microsecond {
				t.Errorf("%d Hz: the next step is off by %v", hz, d)
			}
		}
	}
	for _, rate := range []float64{1.02, 0.98, 2, 0.5} {
		l := ecs.NewLoop(epoch, 60)
		l.SetRate(rate)
		want := 600 * 60 * rate
		if n := polled(l, epoch, long, 7*time.Millisecond); math.Abs(float64(n)-want) > 1 {
			t.Errorf("rate %v: %d steps in ten minutes, want %v", rate, n, want)
		}
		equal(t, "dropped", l.Dropped, 0)
	}
	l := ecs.NewLoop(epoch, 60)
	for range 1000 {
		equal(t, "steps of who sleeps until the next", l.Advance(l.Next()), 1)
		equal(t, "steps before their time", l.Advance(l.Next().Add(-1)), 0)
	}
	for _, rate := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		refused(t, func() { l.SetRate(rate) }, "positive")
	}
	refused(t, func() { ecs.NewLoop(epoch, 0) }, "at least one")
}

// A late loop catches up five steps. After a sleep of any length it continues at its beat: it neither catches up more nor
// skips a beat.
func TestALateLoop(t *testing.T) {
	for late := range 12 { // ticks beyond the one that is due
		l := ecs.NewLoop(epoch, 100)
		n := l.Advance(epoch.Add(time.Duration(late) * 10 * time.Millisecond))
		equal(t, "steps", n, min(late+1, ecs.MaxCatchUp))
		equal(t, "dropped", l.Dropped, uint64(max(late+1-ecs.MaxCatchUp, 0)))
		equal(t, "next", l.Next(), epoch.Add(time.Duration(late+1)*10*time.Millisecond))
	}
	for _, sleep := range []time.Duration{24 * time.Hour, 365 * 24 * time.Hour, 100*365*24*time.Hour + 1} {
		l := ecs.NewLoop(epoch, 60)
		now := epoch.Add(sleep)
		equal(t, "steps", l.Advance(now), ecs.MaxCatchUp)
		due := uint64(sleep.Seconds()*60) + 1
		if got := l.Dropped + ecs.MaxCatchUp; got+1 < due || got > due+1 {
			t.Errorf("%v: %d steps accounted for, %d were due", sleep, got, due)
		}
		if wait := l.Next().Sub(now); wait <= 0 || wait > time.Second/60+time.Microsecond {
			t.Errorf("%v: the next step is due in %v", sleep, wait)
		}
		dropped := l.Dropped
		if n := polled(l, now, time.Second, time.Millisecond); n < 59 || n > 60 {
			t.Errorf("%v: %d steps in the second after", sleep, n)
		}
		equal(t, "dropped since", l.Dropped, dropped)
	}
}

func TestAClockThatStepsBack(t *testing.T) {
	l := ecs.NewLoop(epoch, 100)
	l.Advance(epoch)
	equal(t, "steps", l.Advance(epoch.Add(-5*time.Millisecond)), 0)
	equal(t, "next after a small step back", l.Next(), epoch.Add(10*time.Millisecond))
	back := epoch.Add(-time.Hour)
	equal(t, "steps", l.Advance(back), 0)
	equal(t, "next", l.Next(), back.Add(10*time.Millisecond))
	equal(t, "steps in a second", polled(l, back.Add(10*time.Millisecond), time.Second, time.Millisecond), 100)
	equal(t, "dropped", l.Dropped, 0)
}

// The passed part of a step goes from 0 to 1, at any rate.
func TestPassed(t *testing.T) {
	l := ecs.NewLoop(epoch, 50)
	equal(t, "before the first step", l.Passed(epoch.Add(-1<<40)), 0.0)
	for _, rate := range []float64{1, 1.25, 0.5} {
		l.SetRate(rate)
		from := l.Next()
		l.Advance(from)
		length := l.Next().Sub(from)
		for k := range 5 {
			equal(t, "passed", fmt.Sprintf("%.6f", l.Passed(from.Add(length*time.Duration(k)/4))), fmt.Sprintf("%.6f", float64(k)/4))
		}
		equal(t, "after its time", l.Passed(from.Add(3*length)), 1.0)
	}
}

func TestResimulatedCountsTicksThatWereComplete(t *testing.T) {
	w := newServer()
	for _, tick := range []uint32{0, 1, 2, 2, 3} { // a second run in the running tick is none
		ticks(w, tick, 1)
	}
	equal(t, "re-simulated ticks", w.Resimulated(), 0)
	ticks(w, 1, 4) // 3 was the running tick, 4 is new
	equal(t, "re-simulated ticks", w.Resimulated(), 2)
}

type fine struct {
	X float32 `net:"-100..100 step 0.25"`
}

func TestQuantizeStepsRoundsWhatWasSimulated(t *testing.T) {
	for want, quantized := range map[float32]part{0.2: func(*ecs.Protocol) {}, 0.25: (*ecs.Protocol).QuantizeSteps} {
		w := newServer(quantized, func(p *ecs.Protocol) { ecs.Replicate[fine](p, ecs.Predicted) }, rule("creep", func(w *ecs.World) {
			for _, r := range ecs.Each[struct{ F *fine }](w) {
				r.F.X += 0.2
			}
		}))
		e := w.Spawn(fine{})
		simulate(w)
		equal(t, "X after a step", ecs.Get[fine](w, e).X, want)
	}
}

// look simulates a part of the coming input of the range, in which the gun fires.
func (f *firing) look(share float64, lists int32) {
	f.w.Netcode().BeginPartial(f.newest+1, shooter, f.newest+1, share)
	g := ecs.Get[trigger](f.w, f.gun)
	g.Fire, g.Volley = lists, 3
	simulate(f.w)
	f.w.Netcode().EndPartial()
}

// Partial ticks, with spawns and despawns in them, leave the world unchanged, including the handles that it assigns later.
func TestPartialTicks_LeaveNoTrace(t *testing.T) {
	for _, client := range []bool{false, true} {
		a, b := newFiring(t, client), newFiring(t, client)
		for n := range uint32(40) {
			for _, f := range []*firing{a, b} {
				f.orders[n+1] = trigger{Fire: int32(n % 3), Volley: int32(n % 2)}
				if n == 17 {
					f.w.Netcode().SetTick(100) // a tick that comes again
				}
				f.play(1)
				if client && n%10 == 9 {
					f.replay(n - 5)
				}
			}
			for share := 0.25; share <= 1; share += 0.25 {
				b.look(share, 2)
			}
			all := func(f *firing) string {
				return fmt.Sprint(f.w.Hash(), f.w.Tick(), f.w.Resimulated(), f.last(), f.w.Rand(f.gun), f.bullets(), f.pending())
			}
			equal(t, fmt.Sprint("client ", client, ", after tick ", n), all(b), all(a))
		}
	}
}

// Within a partial tick the step is shorter, the tick number is that of the next tick, and structure does not change, in
// nested stages too.
func TestPartialTicks_WhatSimulateSees(t *testing.T) {
	var e, born ecs.Entity
	runs := 0
	do := func(w *ecs.World) {
		runs++
		if !w.Partial() {
			return
		}
		equal(t, "step", w.Step(), float32(1.0/240))
		equal(t, "tick", w.Tick(), 8)
		ecs.Add(w, e, flag{})
		ecs.Remove[health](w, e)
		born = w.Spawn(place{X: 5})
		equal(t, "alive within", w.Alive(born), true)
		for _, r := range ecs.Each[placeRow](w) {
			r.Place.X += 1000
		}
		ecs.Get[hat](w, e).Feathers++
	}
	stage := ecs.NewStage("Simulate", ecs.System{Name: "do", Run: do}).Nest(ecs.NewStage("inner", ecs.System{Name: "again", Run: do}))
	w := ecs.NewWorld(kitProtocol((*ecs.Protocol).QuantizeSteps), ecs.Config{Seed: 1, Simulate: stage})
	e = w.Spawn(place{X: 1}, health{Points: 3}, hat{})
	w.Netcode().SetTick(7)
	w.ForceRollback(func(d ecs.Divergence) { t.Error(d) })
	traced := 0
	w.Trace(func(string) { traced++ })
	before := w.Hash()
	w.Netcode().BeginPartial(8, 1, 1, 0.25)
	stage.Run(w)
	equal(t, "place within", at(w, e).X, int32(2001))
	w.Netcode().EndPartial()
	w.Netcode().EndPartial()
	equal(t, "runs", runs, 2)
	equal(t, "traced", traced, 0)
	equal(t, "hash", w.Hash(), before)
	equal(t, "step", w.Step(), float32(1.0/60))
	equal(t, "alive", w.Alive(born), false)
	equal(t, "partial", w.Partial(), false)
	equal(t, "feathers", ecs.Get[hat](w, e).Feathers, 0)
	if ecs.Has[flag](w, e) || !ecs.Has[health](w, e) {
		t.Error("structure has changed")
	}
	for _, share := range []float64{0, -1, 1.01} {
		refused(t, func() { w.Netcode().BeginPartial(8, 1, 1, share) }, "share above 0 to 1")
	}
	w.Netcode().BeginPartial(8, 1, 1, 1)
	refused(t, func() { w.Netcode().BeginPartial(8, 1, 1, 1) }, "another partial tick")
}
