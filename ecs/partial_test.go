package ecs_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
)

// look simulates a part of the coming input of the range, in which the gun fires.
func (f *firing) look(share float64, lists int32) {
	f.w.Netcode().BeginPartial(f.newest+1, shooter, f.newest+1, share)
	g := ecs.Get[trigger](f.w, f.gun)
	g.Fire, g.Volley = lists, 3
	f.w.Netcode().SimulateStage().Run(f.w)
	f.w.Netcode().EndPartial()
}

// A world that is looked at between ticks, with spawns and despawns in it, is the same
// afterwards and goes on as if it had not been: to the handles that it gives out.
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
			spawns, despawns := a.w.PendingPredictions()
			againSpawns, againDespawns := b.w.PendingPredictions()
			want := fmt.Sprint(a.w.Hash(), a.w.Tick(), a.w.Resimulated(), ecs.Get[trigger](a.w, a.gun).Last, a.w.Rand(a.gun), a.bullets(), spawns, despawns)
			got := fmt.Sprint(b.w.Hash(), b.w.Tick(), b.w.Resimulated(), ecs.Get[trigger](b.w, b.gun).Last, b.w.Rand(b.gun), b.bullets(), againSpawns, againDespawns)
			equal(t, fmt.Sprint("client ", client, ", after tick ", n), got, want)
		}
	}
}

// Within a partial tick the step is a part of one, what is read is as in the tick that
// comes, and structure stands still, in nested stages, too.
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
	p := kitProtocol()
	p.QuantizeSteps()
	stage := ecs.NewStage("Simulate", ecs.System{Name: "do", Run: do}).Nest(ecs.NewStage("inner", ecs.System{Name: "again", Run: do}))
	w := ecs.NewWorld(p, ecs.Config{Seed: 1, Simulate: stage})
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

// Looking at ticks in which entities come and go allocates nothing.
func TestPartialTicks_Allocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	f := newFiring(t, true)
	f.orders[2] = trigger{Volley: 2}
	f.play(4)
	f.look(0.5, 0)
	if n := testing.AllocsPerRun(100, func() { f.look(0.5, 0) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// The share of a step that has passed goes from 0 to 1, at any rate.
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
