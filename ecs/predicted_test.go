package ecs_test

import (
	"fmt"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
)

// The range of these tests: guns fire bullets, which fly and end.

// trigger is a gun's local state; last is a handle that the game keeps.
type trigger struct {
	Fire, Volley int32 // shots in the next tick: by value lists, by row
	Last         ecs.Entity
}

type fuse struct {
	Left int32 `net:"raw"`
}

type gunRow struct {
	Trigger *trigger
	Owner   *components.Owner
	At      *place
}

type bulletRow struct {
	At   *place
	Fuse *fuse
}

type bulletValues struct {
	Owner components.Owner
	Place place
	Fuse  fuse
	_     ecs.With[speed]
}

func rangeProtocol() *ecs.Protocol {
	p := ecs.NewProtocol("range")
	ecs.Replicate[place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[fuse](p, ecs.Predicted)
	ecs.Replicate[speed](p, ecs.Predicted)
	ecs.Replicate[health](p, 0)
	ecs.Local[trigger](p, ecs.Predicted)
	p.Simulate("fly", func(w *ecs.World) {
		for e, b := range ecs.Each[bulletRow](w) {
			b.At.X += 10
			if b.Fuse.Left--; b.Fuse.Left == 0 {
				w.Despawn(e)
			}
		}
	})
	p.Simulate("fire", func(w *ecs.World) {
		for _, g := range ecs.EachInOrder[gunRow](w) {
			for i := range g.Trigger.Fire {
				g.Trigger.Last = w.Spawn(*g.Owner, place{g.At.X, i}, fuse{5}, speed{})
			}
			for i := range g.Trigger.Volley {
				g.Trigger.Last = ecs.Spawn(w, bulletValues{Owner: *g.Owner, Place: place{g.At.X, 100 + i}, Fuse: fuse{5}})
			}
			g.Trigger.Fire, g.Trigger.Volley = 0, 0
			g.At.X++
		}
	})
	return p
}

const shooter = 1

// firing is a world of the range with a gun of NetID 1, and a history of it.
type firing struct {
	t       *testing.T
	w       *ecs.World
	gun     ecs.Entity
	history *ecs.History
	newest  uint32
	orders  map[uint32]trigger // what the gun is told before an input
}

func newFiring(t *testing.T, client bool) *firing {
	f := &firing{t: t, w: ecs.NewWorld(rangeProtocol(), ecs.Config{Seed: 1, Client: client}), orders: map[uint32]trigger{}}
	f.gun = f.addGun(1, shooter)
	f.history = ecs.NewHistory(f.w, 256)
	f.history.Capture(0)
	return f
}

func (f *firing) addGun(id components.NetID, owner uint32) ecs.Entity {
	p := f.w.Protocol()
	e := f.w.Netcode().Replica(id, maskOf(p.Replicated()[0], ecs.ComponentOf[place](p), ecs.ComponentOf[trigger](p)), true)
	ecs.Get[components.Owner](f.w, e).Client = owner
	return e
}

func (f *firing) simulate(input uint32) {
	g := ecs.Get[trigger](f.w, f.gun)
	g.Fire, g.Volley = f.orders[input].Fire, f.orders[input].Volley
	f.w.Netcode().SetTick(input)
	f.w.Netcode().SetInputSequence(shooter, input)
	f.w.Netcode().SimulateStage().Run(f.w)
	f.history.Capture(input)
}

// play simulates n inputs more.
func (f *firing) play(n int) {
	for range n {
		f.newest++
		f.simulate(f.newest)
	}
}

// replay simulates all inputs after one again.
func (f *firing) replay(input uint32) {
	f.w.Netcode().BeginReplay(input)
	f.history.Restore(input)
	f.history.Capture(input)
	for i := input + 1; i <= f.newest; i++ {
		f.simulate(i)
	}
	f.w.Netcode().EndReplay()
}

// last is the handle that the gun keeps.
func (f *firing) last() ecs.Entity { return ecs.Get[trigger](f.w, f.gun).Last }

// bullets are the values of all bullets in scope.
func (f *firing) bullets() map[place]int {
	all := map[place]int{}
	for _, b := range ecs.All[struct {
		At   place
		Fuse fuse
	}](f.w) {
		all[b.At]++
	}
	each := 0
	for range ecs.Each[bulletRow](f.w) {
		each++
	}
	for c := range ecs.Chunks[struct{ Fuse []fuse }](f.w) {
		each -= len(c.Fuse)
	}
	equal(f.t, "Each against Chunks", each, 0)
	return all
}

func (f *firing) wantBullets(want ...place) {
	f.t.Helper()
	got := f.bullets()
	wanted := map[place]int{}
	for _, b := range want {
		wanted[b]++
	}
	equal(f.t, "bullets", fmt.Sprint(got), fmt.Sprint(wanted))
}

func keyOf(t *testing.T, w *ecs.World, e ecs.Entity) ecs.SpawnKey {
	t.Helper()
	k := ecs.Get[ecs.SpawnKey](w, e)
	if k == nil {
		t.Fatalf("%v has no key", e)
	}
	return *k
}

func TestDecision4_KeysAreAlikeOnServerAndClient(t *testing.T) {
	keys := map[bool][]ecs.SpawnKey{}
	for _, client := range []bool{false, true} {
		f := newFiring(t, client)
		f.orders[2] = trigger{Fire: 2, Volley: 2}
		f.orders[3] = trigger{Volley: 1}
		f.play(3)
		for _, y := range []int32{0, 1, 100, 101} {
			for e, b := range ecs.All[struct{ At place }](f.w) {
				if k := ecs.Get[ecs.SpawnKey](f.w, e); b.At.Y == y && k != nil {
					keys[client] = append(keys[client], *k)
				}
			}
		}
		if ecs.Has[ecs.SpawnKey](f.w, f.gun) || ecs.Has[ecs.SpawnKey](f.w, f.w.Spawn(components.Owner{Client: shooter}, place{})) {
			t.Error("what Simulate did not spawn has a key")
		}
		equal(t, "predicted", ecs.Has[components.Predicted](f.w, f.last()), client)
		equal(t, "named", f.w.NetID(f.last()) != 0, !client)
		refused(t, func() { ecs.Add(f.w, f.gun, ecs.SpawnKey{}) }, "SpawnKey", "given by the world")
	}
	equal(t, "keys", fmt.Sprint(keys[true]), fmt.Sprint(keys[false]))
	equal(t, "of the server", fmt.Sprint(keys[false]), "[{1 2 0} {1 2 1} {1 2 2} {1 3 0} {1 2 3}]")
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
	f.play(1) // the others' inputs are the same: their count goes on
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
	f := newFiring(t, true)
	f.orders[3] = trigger{Fire: 1, Volley: 1}
	f.play(4)
	f.wantBullets(place{12, 0}, place{12, 100})
	kept := f.last()
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
	for range f.w.Netcode().Tables {
	}
	n := 0
	for tab := range f.w.Netcode().Simulated {
		n += len(tab.Entities)
	}
	equal(t, "simulated, gun included", n, 3)
}

func TestDecision4_ArchetypeChangesInBetween(t *testing.T) {
	f := newFiring(t, true)
	f.orders[1] = trigger{Volley: 1}
	f.play(2)
	e := f.last()
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
	if _, ok := f.w.Netcode().Confirm(keyOf(t, f.w, e), 50); !ok {
		t.Fatal("not confirmed")
	}
	ecs.Add(f.w, e, health{9})
	f.replay(0)
	equal(t, "handle", f.last(), e)
	f.wantBullets(place{20, 100})
	if ecs.Has[speed](f.w, e) || *ecs.Get[health](f.w, e) != (health{9}) {
		t.Error("a replay changed the shape that the server gave")
	}
}

// handles is how many handles a world ever had in use at once.
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
	for range 10_000 {
		f.orders[f.newest+1] = trigger{Fire: 2, Volley: 1}
		f.play(1)
		e := f.last()
		f.orders[f.newest] = trigger{}
		f.replay(f.newest - 1)
		if f.w.Alive(e) || len(f.bullets()) != 0 {
			t.Fatalf("input %d: the spawn is still there", f.newest)
		}
		delete(f.orders, f.newest)
	}
	spawns, despawns := f.w.PendingPredictions()
	equal(t, "spawns and despawns that wait", fmt.Sprint(spawns, despawns), "0 0")
	if n := handles(t, f.w); n > 8 {
		t.Errorf("%d handles for a gun and three bullets", n)
	}
	ecs.Get[place](f.w, f.gun).X -= 10_000
	equal(t, "hash", f.w.Hash(), hash)
}

func TestDecision4_APredictedDespawn(t *testing.T) {
	build := func(t *testing.T, confirmed bool) (*firing, ecs.Entity) {
		f := newFiring(t, true)
		f.orders[1] = trigger{Volley: 1}
		f.play(3)
		e := f.last()
		if confirmed {
			if got, ok := f.w.Netcode().Confirm(keyOf(t, f.w, e), 50); !ok || got != e {
				t.Fatalf("confirmed as %v, %v", got, ok)
			}
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
		spawns, despawns := f.w.PendingPredictions()
		equal(t, "what waits", fmt.Sprint(spawns, despawns), "0 0")
	})
	t.Run("confirmed when gone", func(t *testing.T) {
		f, e := build(t, false)
		got, ok := f.w.Netcode().Confirm(keyOf(t, f.w, e), 50)
		equal(t, "handle", got, e)
		equal(t, "confirmed", ok, true)
		f.wantBullets()
		equal(t, "revived", f.w.Netcode().Revive(50, 6), true)
		f.wantBullets(place{50, 100})
	})
	t.Run("within Simulate it looks dead", func(t *testing.T) {
		var e ecs.Entity
		var alive, has bool
		p := rangeProtocol()
		p.Simulate("look", func(w *ecs.World) {
			alive, has = w.Alive(e), ecs.Has[place](w, e)
			w.Despawn(e)
		})
		w := ecs.NewWorld(p, ecs.Config{Client: true})
		e = replica(w, 7, shooter, place{}, true)
		for i := range uint32(2) {
			w.Netcode().SetInputSequence(shooter, i+1)
			w.Netcode().SimulateStage().Run(w)
			equal(t, "alive", fmt.Sprint(alive, has), fmt.Sprint(i == 0, i == 0))
		}
		equal(t, "revived", w.Netcode().Revive(7, 1), true)
	})
}

func TestDecision4_AHandleOutlastsConfirmation(t *testing.T) {
	f := newFiring(t, true)
	f.orders[2] = trigger{Fire: 1}
	f.play(3)
	e := f.last()
	f.replay(1)
	key := keyOf(t, f.w, e)
	if _, ok := f.w.Netcode().Confirm(ecs.SpawnKey{Owner: key.Owner, Input: key.Input, Nth: 9}, 40); ok {
		t.Error("an unknown key was confirmed")
	}
	if _, ok := f.w.Netcode().Confirm(key, 1); ok {
		t.Error("confirmed with the NetID of the gun")
	}
	got, ok := f.w.Netcode().Confirm(key, 40)
	equal(t, "confirmed", ok, true)
	equal(t, "handle", got, e)
	named, _ := f.w.ByNetID(40)
	equal(t, "by NetID", named, e)
	if _, ok = f.w.Netcode().Confirm(key, 41); ok {
		t.Error("confirmed twice")
	}
	f.wantBullets(place{11, 0})
	// A replay from before it makes it again, or leaves it to the server.
	f.replay(1)
	equal(t, "handle", f.last(), e)
	f.wantBullets(place{11, 0})
	f.orders[2] = trigger{}
	f.replay(1)
	f.wantBullets(place{11, 0})
	f.orders[2] = trigger{Fire: 1}
	f.replay(1)
	f.w.Netcode().SettleInput(2)
	f.replay(2)
	f.wantBullets(place{11, 0})
	equal(t, "NetID", f.w.NetID(e), 40)
	refused(t, func() { f.w.Netcode().Confirm(key, 0) }, "NetID")
}

// The server's silence ends a spawn, but only after long, and its word brings it
// back under the same handle.
func TestDecision4_SilenceEndsASpawn(t *testing.T) {
	settle := func(w *ecs.World, from, to uint32) {
		for i := from; i <= to; i++ {
			w.Netcode().SettleInput(i)
		}
	}
	f := newFiring(t, true)
	f.orders[1] = trigger{Volley: 1}
	f.play(2)
	e := f.last()
	key := keyOf(t, f.w, e)
	f.w.Netcode().SettleInput(200) // one state after a gap proves nothing
	f.wantBullets(place{10, 100})
	settle(f.w, 201, 206)
	f.wantBullets(place{10, 100})
	settle(f.w, 207, 208)
	f.wantBullets()
	f.replay(2)
	f.wantBullets()
	got, ok := f.w.Netcode().Confirm(key, 40)
	equal(t, "handle", got, e)
	equal(t, "confirmed", ok, true)
	equal(t, "simulated", ecs.Has[components.Predicted](f.w, e), false) // its values are old
	if all := len(f.bullets()); all != 1 {
		t.Errorf("%d bullets", all)
	}

	// A state that shows nothing unknown ends it at once, but for later ones.
	f = newFiring(t, true)
	f.orders[2] = trigger{Volley: 1}
	f.play(2)
	e = f.last()
	f.w.Netcode().RejectSpawns(1)
	f.wantBullets(place{1, 100})
	f.w.Netcode().RejectSpawns(2)
	f.wantBullets()
	got, _ = f.w.Netcode().Confirm(keyOf(t, f.w, e), 40)
	equal(t, "handle", got, e)

	// Also one that Simulate has ended since: a replay does not bring it back.
	f = newFiring(t, true)
	f.orders[1] = trigger{Volley: 1}
	f.play(10)
	f.wantBullets()
	f.w.Netcode().RejectSpawns(1)
	f.w.Netcode().BeginReplay(1)
	f.history.Restore(1)
	f.wantBullets()
	f.w.Netcode().EndReplay()
	spawns, despawns := f.w.PendingPredictions()
	equal(t, "what waits", fmt.Sprint(spawns, despawns), "1 0")

	f = newFiring(t, true)
	f.orders[1] = trigger{Volley: 1}
	f.play(2)
	e = f.last()
	settle(f.w, 1, 240) // a tick less than four seconds, in many states
	equal(t, "alive before the time", f.w.Alive(e), true)
	f.w.Netcode().SettleInput(241)
	equal(t, "alive", f.w.Alive(e), false)
	spawns, despawns = f.w.PendingPredictions()
	equal(t, "what waits", fmt.Sprint(spawns, despawns), "0 0")

	f = newFiring(t, true)
	f.orders[1] = trigger{Volley: 1}
	f.play(2)
	e = f.last()
	for n := range uint32(63) { // longer, in a state less than 64
		f.w.Netcode().SettleInput(1 + 10*n)
	}
	equal(t, "alive before enough states", f.w.Alive(e), true)
	f.w.Netcode().SettleInput(640)
	equal(t, "alive after 64 states", f.w.Alive(e), false)
}

func TestDecision4_ForcedRollback(t *testing.T) {
	for _, client := range []bool{false, true} {
		f := newFiring(t, client)
		f.w.ForceRollback(func(d ecs.Divergence) {
			if d.Component != "trigger" { // a handle of a spawn that was taken back
				t.Error(d)
			}
		})
		f.orders[2] = trigger{Fire: 2, Volley: 2}
		f.play(4)
		got := map[ecs.SpawnKey]bool{}
		for e := range ecs.All[struct{ Fuse fuse }](f.w) {
			got[keyOf(t, f.w, e)] = true
		}
		equal(t, "keys", fmt.Sprint(got), "map[{1 2 0}:true {1 2 1}:true {1 2 2}:true {1 2 3}:true]")
		if client {
			e := f.last()
			f.replay(1)
			equal(t, "handle", f.last(), e)
			equal(t, "bullets", len(f.bullets()), 4)
		}
	}
}

func TestDecision4_OwnerlessSpawnsAreTheServers(t *testing.T) {
	var made [3]ecs.Entity
	w := simulated(true, func(w *ecs.World) {
		made[0] = w.Spawn(place{1, 1})
		made[1] = w.Spawn(place{2, 2}, components.Owner{})
		made[2] = w.Spawn(place{3, 3}, components.Owner{Client: 2}) // whose inputs nobody knows here
	})
	w.Netcode().SetInputSequence(shooter, 1)
	w.Netcode().SimulateStage().Run(w)
	for i, e := range made {
		equal(t, fmt.Sprint("alive ", i), w.Alive(e), false)
	}
	if each, all := count(w); each+all != 0 {
		t.Errorf("%d and %d entities", each, all)
	}
}

// Draws for a spawn are alike before its NetID is known, and those of another spawn
// are others.
func TestDecision4_RandomOfASpawn(t *testing.T) {
	draw := func(client bool, input uint32) (drawn [3]uint64) {
		w := simulated(client, func(w *ecs.World) {
			for i := range drawn {
				r := w.Rand(w.Spawn(place{}, components.Owner{Client: shooter}))
				drawn[i] = r.Uint64()
			}
		})
		w.Netcode().SetInputSequence(shooter, input)
		w.Netcode().SimulateStage().Run(w)
		return drawn
	}
	equal(t, "draws", draw(true, 5), draw(false, 5))
	seen := map[uint64]bool{}
	for _, input := range []uint32{5, 6} {
		for _, d := range draw(true, input) {
			seen[d] = true
		}
	}
	equal(t, "different draws of six spawns", len(seen), 6)
}

// Rounds of firing, replays and confirmation allocate nothing.
func TestDecision4_Allocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	f := newFiring(t, true)
	id := components.NetID(100)
	round := func() {
		clear(f.orders)
		f.orders[f.newest+1] = trigger{Fire: 0, Volley: 4}
		f.play(1)
		f.replay(f.newest - 1)
		f.w.Netcode().Confirm(ecs.SpawnKey{Owner: shooter, Input: f.newest, Nth: 1}, id)
		f.play(6)
		f.w.Netcode().Discard(id)
		f.replay(f.newest - 3)
		for range 7 {
			f.w.Netcode().SettleInput(f.newest)
		}
		id++
	}
	for range 100 {
		round()
	}
	if n := testing.AllocsPerRun(100, round); n > 0 {
		t.Errorf("%v allocations a round", n)
	}
}
