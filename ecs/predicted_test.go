package ecs_test

import (
	"fmt"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Keys are alike on server and client, under forced rollback too.
func TestDecision4_KeysAreAlikeOnServerAndClient(t *testing.T) {
	for _, client := range []bool{false, true} {
		for _, forced := range []bool{false, true} {
			f := newFiring(t, client)
			if forced {
				f.w.ForceRollback(func(d ecs.Divergence) {
					if d.Component != "trigger" { // a handle of a spawn that was taken back
						t.Error(d)
					}
				})
			}
			f.orders[2] = trigger{Fire: 2, Volley: 2}
			f.orders[3] = trigger{Volley: 1}
			f.play(3)
			var keys []ecs.SpawnKey
			for _, y := range []int32{0, 1, 100, 101} {
				for e, b := range ecs.EachInOrder[bulletRow](f.w) {
					if b.At.Y == y {
						keys = append(keys, keyOf(t, f.w, e))
					}
				}
			}
			equal(t, "keys", fmt.Sprint(keys), "[{1 2 0} {1 2 1} {1 2 2} {1 3 0} {1 2 3}]")
			equal(t, "predicted", ecs.Has[components.Predicted](f.w, f.last()), client)
			equal(t, "named", f.w.NetID(f.last()) != 0, !client)
			refused(t, func() { ecs.Add(f.w, f.gun, ecs.SpawnKey{}) }, "SpawnKey", "the world sets")
			if client {
				e := f.last()
				f.replay(1)
				equal(t, "handle", f.last(), e)
				equal(t, "bullets", len(f.bullets()), 5)
			}
			if ecs.Has[ecs.SpawnKey](f.w, f.gun) || ecs.Has[ecs.SpawnKey](f.w, f.w.Spawn(components.Owner{Client: shooter}, place{})) {
				t.Error("what Simulate did not spawn has a key")
			}
		}
	}
}

func TestDecision4_ManySpawnsOfSeveralOwners(t *testing.T) {
	f := newFiring(t, false)
	const owners, shots = 5, 300
	for o := uint32(2); o <= owners; o++ {
		*ecs.Get[trigger](f.w, f.addGun(components.NetID(o), o)) = trigger{Fire: shots / 2, Volley: shots / 2}
		f.w.Netcode().SetInputSequence(o, 100*o)
	}
	f.orders[1] = trigger{Fire: shots / 2, Volley: shots / 2}
	f.play(1)
	f.w.Netcode().SkipOwner(2)
	f.orders[2] = trigger{Fire: 1}
	f.play(1) // the others' inputs are the same: their count continues
	seen := map[ecs.SpawnKey]bool{}
	for e := range ecs.All[struct{ Fuse fuse }](f.w) {
		k := keyOf(t, f.w, e)
		if seen[k] || k.Nth >= shots {
			t.Fatalf("key %v", k)
		}
		seen[k] = true
	}
	equal(t, "keys", len(seen), owners*shots+1)
}

func TestDecision4_ReplayReusesTheHandle(t *testing.T) {
	f, kept := fired(t, 4, 3, trigger{Fire: 1, Volley: 1})
	f.wantBullets(place{12, 0}, place{12, 100})
	for _, from := range []uint32{2, 0, 3, 2} {
		f.replay(from)
		equal(t, "handle", f.last(), kept)
		f.wantBullets(place{12, 0}, place{12, 100})
	}
	// Values are fresh: the gun turns out to stand elsewhere.
	f.w.Netcode().BeginReplay(2)
	equal(t, "bullets in scope", len(f.bullets()), 0)
	if !f.w.Alive(kept) {
		t.Error("the handle died")
	}
	f.history.Restore(2)
	ecs.Get[place](f.w, f.gun).X += 500
	f.simulate(3)
	f.simulate(4)
	f.w.Netcode().EndReplay()
	equal(t, "handle", f.last(), kept)
	f.wantBullets(place{512, 0}, place{512, 100})
	n := 0
	for tab := range f.w.Netcode().Simulated {
		n += len(tab.Entities)
	}
	equal(t, "simulated, gun included", n, 3)
}

func TestDecision4_ArchetypeChangesInBetween(t *testing.T) {
	f, e := fired(t, 2, 1, trigger{Volley: 1})
	system(f.w, func(w *ecs.World) { ecs.Add(w, e, health{7}) })
	f.play(1)
	f.replay(1)
	equal(t, "what came since stays", *ecs.Get[health](f.w, e), health{7})
	f.wantBullets(place{20, 100})
	f.replay(0)
	equal(t, "handle", f.last(), e)
	f.wantBullets(place{20, 100})
	if ecs.Has[health](f.w, e) {
		t.Error("the spawn is not as it was asked for")
	}
	ecs.Remove[speed](f.w, e)
	f.confirm(e, 50)
	ecs.Add(f.w, e, health{9})
	f.replay(0)
	equal(t, "handle", f.last(), e)
	f.wantBullets(place{20, 100})
	if ecs.Has[speed](f.w, e) || *ecs.Get[health](f.w, e) != (health{9}) {
		t.Error("a replay changed the shape that the server gave")
	}
}

// handles returns how many handles a world ever had in use at once.
func handles(t *testing.T, w *ecs.World) (n int) {
	probe := w.Spawn(health{})
	defer w.Despawn(probe)
	var generation int
	if _, err := fmt.Sscanf(probe.String(), "entity %d.%d", &n, &generation); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestDecision4_AMispredictedSpawnLeavesNoTrace(t *testing.T) {
	f := newFiring(t, true)
	f.play(3)
	hash := f.w.Hash()
	const kept = 4 * 60 // inputs for which a replay finds the handle again
	for range 1000 {
		f.orders[f.newest+1] = trigger{Fire: 2, Volley: 1}
		f.play(1)
		e := f.last()
		f.orders[f.newest] = trigger{}
		f.replay(f.newest - 1)
		if len(f.bullets()) != 0 {
			t.Fatalf("input %d: the spawn is still there", f.newest)
		}
		f.orders[f.newest] = trigger{Fire: 2, Volley: 1}
		f.replay(f.newest - 1)
		equal(t, "handle of the spawn that a replay repeats", f.last(), e)
		f.orders[f.newest] = trigger{}
		f.replay(f.newest - 1)
		delete(f.orders, f.newest)
		f.w.Netcode().SettleInput(f.newest - 1)
	}
	if n := handles(t, f.w); n > 3*(kept+8) {
		t.Errorf("%d handles for a gun and the bullets of %d inputs", n, kept)
	}
	for range kept + 1 {
		f.play(1)
		f.w.Netcode().SettleInput(f.newest - 1)
	}
	equal(t, "spawns and despawns that wait", f.pending(), "0 0")
	ecs.Get[place](f.w, f.gun).X -= 1000 + kept + 1
	equal(t, "hash", f.w.Hash(), hash)
}

func TestDecision4_APredictedDespawn(t *testing.T) {
	build := func(t *testing.T, confirmed bool) (*firing, ecs.Entity) {
		f, e := fired(t, 3, 1, trigger{Volley: 1})
		if confirmed {
			f.confirm(e, 50)
		}
		f.play(2)
		f.wantBullets(place{40, 100})
		hash := f.w.Hash()
		f.play(1) // input 6: the fuse has burnt down
		f.wantBullets()
		if confirmed {
			equal(t, "hash changed", f.w.Hash() != hash, true)
		}
		if !f.w.Alive(e) {
			t.Error("the handle died")
		}
		return f, e
	}
	for _, confirmed := range []bool{false, true} {
		t.Run(fmt.Sprint("replay/confirmed=", confirmed), func(t *testing.T) {
			f, e := build(t, confirmed)
			f.w.Netcode().BeginReplay(4)
			f.history.Restore(4)
			equal(t, "fuse", *ecs.Get[fuse](f.w, e), fuse{2})
			f.wantBullets(place{30, 100})
			*ecs.Get[fuse](f.w, e) = fuse{9} // as the server says
			f.simulate(5)
			f.simulate(6)
			f.w.Netcode().EndReplay()
			f.wantBullets(place{50, 100})
			f.replay(6)
			f.wantBullets(place{50, 100})
		})
	}
	t.Run("revive", func(t *testing.T) {
		f, e := build(t, true)
		equal(t, "too early", f.w.Netcode().Revive(50, 5), false)
		equal(t, "unknown", f.w.Netcode().Revive(51, 9), false)
		f.replay(6)
		f.wantBullets()
		equal(t, "revived", f.w.Netcode().Revive(50, 6), true)
		equal(t, "again", f.w.Netcode().Revive(50, 6), false)
		f.wantBullets(place{50, 100})
		equal(t, "handle", f.last(), e)
		equal(t, "NetID", f.w.NetID(e), 50)
	})
	t.Run("discard", func(t *testing.T) {
		f, e := build(t, true)
		f.w.Netcode().Discard(50)
		equal(t, "alive", f.w.Alive(e), false)
		f.replay(3)
		f.wantBullets()
		f.w.Netcode().SettleInput(6)
		equal(t, "what waits", f.pending(), "0 0")
	})
	t.Run("confirmed when gone", func(t *testing.T) {
		f, e := build(t, false)
		f.confirm(e, 50)
		f.wantBullets()
		equal(t, "revived", f.w.Netcode().Revive(50, 6), true)
		f.wantBullets(place{50, 100})
	})
	t.Run("within Simulate it looks dead", func(t *testing.T) {
		var e ecs.Entity
		var alive, has bool
		w := newClient(rule("look", func(w *ecs.World) {
			alive, has = w.Alive(e), ecs.Has[place](w, e)
			w.Despawn(e)
		}))
		e = replica(w, 7, shooter, place{}, true)
		for i := range uint32(2) {
			w.Netcode().SetInputSequence(shooter, i+1)
			simulate(w)
			equal(t, "alive", fmt.Sprint(alive, has), fmt.Sprint(i == 0, i == 0))
		}
		equal(t, "revived", w.Netcode().Revive(7, 1), true)
	})
}
