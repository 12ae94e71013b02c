package ecs_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

type purse struct {
	Coins int32 `net:"0..1000000"`
	Luck  int32 `net:"0..1000000"`
}

type pouch struct{ Purse *purse }

// divergences runs one planted system among honest ones under forced rollback.
func divergences(t *testing.T, name string, planted func(w *ecs.World)) []ecs.Divergence {
	t.Helper()
	p := ecs.NewProtocol("rollback/1")
	ecs.Replicate[purse](p, ecs.Predicted)
	ecs.Local[components.Heading](p, 0)
	p.Simulate("earn", func(w *ecs.World) {
		for e, r := range ecs.Each[pouch](w) {
			draw := w.Rand(e)
			r.Purse.Coins += int32(draw.IntN(5))
		}
	})
	p.Simulate(name, planted)
	p.Simulate("breed", func(w *ecs.World) {
		if w.Tick()%10 == 0 {
			w.Spawn(purse{Coins: int32(w.Tick())}, components.Heading{})
		}
	})
	w := ecs.NewWorld(p, ecs.Config{Seed: 7})
	for range 20 {
		w.Spawn(purse{}, components.Heading{})
	}
	var found []ecs.Divergence
	w.ForceRollback(func(d ecs.Divergence) { found = append(found, d) })
	for tick := range uint32(30) {
		w.Netcode().SetTick(tick)
		w.Netcode().SimulateStage().Run(w)
	}
	w.ForceRollback(nil)
	if n := len(found); n > 0 {
		t.Logf("%d divergences, the first: %v", n, found[0])
	}
	return found
}

func TestForcedRollbackAcceptsHonestSystems(t *testing.T) {
	found := divergences(t, "turn", func(w *ecs.World) {
		for _, r := range ecs.Each[struct {
			Purse *purse
			Head  *components.Heading
		}](w) {
			r.Head.Angle += uint16(r.Purse.Coins)
		}
	})
	if len(found) > 0 {
		t.Errorf("honest systems diverge: %v", found[0])
	}
}

func TestForcedRollbackNamesASequentialGenerator(t *testing.T) {
	generator := rand.New(rand.NewPCG(1, 2))
	wantDivergence(t, "Luck", divergences(t, "gamble", func(w *ecs.World) {
		for _, r := range ecs.Each[pouch](w) {
			r.Purse.Luck = int32(generator.IntN(1000))
		}
	}), "gamble")
}

func TestForcedRollbackNamesAnOrderDependentSystem(t *testing.T) {
	wantDivergence(t, "Coins", divergences(t, "share", func(w *ecs.World) {
		pot := int32(10) // first come, first served
		for _, r := range ecs.Each[pouch](w) {
			r.Purse.Coins += pot
			pot = max(pot-1, 0)
		}
	}), "share")
}

func TestForcedRollbackNamesStateOutsideTheWorld(t *testing.T) {
	calls := int32(0)
	wantDivergence(t, "Luck", divergences(t, "count", func(w *ecs.World) {
		calls++
		for _, r := range ecs.Each[pouch](w) {
			r.Purse.Luck = calls
		}
	}), "count")
}

func wantDivergence(t *testing.T, field string, found []ecs.Divergence, system string) {
	t.Helper()
	if len(found) == 0 {
		t.Fatalf("the planted system %q was not found", system)
	}
	d := found[0]
	if d.System != system || d.Component != "purse" || d.Field != field || d.NetID == 0 || d.First == d.Again {
		t.Errorf("found %+v, want system %q and field purse.%s", d, system, field)
	}
	if !strings.Contains(d.String(), system) {
		t.Errorf("the text %q does not name the system", d)
	}
}

// The result of a forced rollback is that of a plain run: only the storage order
// differs.
func TestForcedRollbackChangesNoResult(t *testing.T) {
	hash := func(forced bool) uint64 {
		p := ecs.NewProtocol("rollback/2")
		ecs.Replicate[purse](p, ecs.Predicted)
		p.Simulate("earn", func(w *ecs.World) {
			for e, r := range ecs.Each[pouch](w) {
				draw := w.Rand(e)
				r.Purse.Coins += int32(draw.IntN(5))
				if draw.IntN(50) == 0 {
					w.Despawn(e)
				}
			}
			if w.Tick()%3 == 0 {
				w.Spawn(purse{Luck: int32(w.Tick())})
			}
		})
		w := ecs.NewWorld(p, ecs.Config{Seed: 3})
		if forced {
			w.ForceRollback(func(d ecs.Divergence) { t.Errorf("%v", d) })
		}
		for tick := range uint32(200) {
			w.Netcode().SetTick(tick)
			w.Netcode().SimulateStage().Run(w)
		}
		return w.Hash()
	}
	if plain, forced := hash(false), hash(true); plain != forced {
		t.Errorf("hash %x under forced rollback, %x without", forced, plain)
	}
}

// Handles come out the same when a tick is simulated again, so a component may
// hold one.
func TestForcedRollbackKeepsHandles(t *testing.T) {
	type gun struct{ Last, Before ecs.Entity }
	p := ecs.NewProtocol("rollback/3")
	ecs.Replicate[purse](p, ecs.Predicted)
	ecs.Local[gun](p, ecs.Predicted)
	p.Simulate("shoot", func(w *ecs.World) {
		for _, r := range ecs.EachInOrder[struct{ Gun *gun }](w) {
			w.Despawn(r.Gun.Before)
			w.Despawn(ecs.Spawn(w, struct{ Purse purse }{}))
			r.Gun.Before, r.Gun.Last = r.Gun.Last, ecs.Spawn(w, struct{ Purse purse }{})
		}
	})
	w := ecs.NewWorld(p, ecs.Config{})
	for range 4 {
		w.Spawn(purse{}, gun{})
	}
	w.ForceRollback(func(d ecs.Divergence) { t.Errorf("%v", d) })
	for tick := range uint32(20) {
		w.Netcode().SetTick(tick)
		w.Netcode().SimulateStage().Run(w)
	}
	equal(t, "handles in use", w.NetID(w.Spawn(purse{})), 4+20*4*2+1)
}
