package ecs_test

import (
	"fmt"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

func TestDecision4_AHandleOutlastsConfirmation(t *testing.T) {
	f, e := fired(t, 3, 2, trigger{Fire: 1})
	f.replay(1)
	key := keyOf(t, f.w, e)
	if _, ok := f.w.Netcode().Confirm(key, 1, true); ok {
		t.Error("confirmed with the NetID of the gun")
	}
	f.confirm(e, 40)
	named, _ := f.w.ByNetID(40)
	equal(t, "by NetID", named, e)
	if _, ok := f.w.Netcode().Confirm(key, 40, true); ok {
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
	refused(t, func() { f.w.Netcode().Confirm(key, 0, true) }, "NetID")
}

// A server that simulates the tick of a spawn again may give the spawn another NetID, or its NetID to another spawn.
func TestDecision4_AHandleOutlastsAnotherNetID(t *testing.T) {
	f, e := fired(t, 3, 2, trigger{Fire: 2})
	all := f.bullets()
	first := e
	for b := range ecs.All[struct{ Fuse fuse }](f.w) {
		if b != e {
			first = b
		}
	}
	f.confirm(first, 40)
	f.confirm(e, 41)
	f.w.Netcode().SettleInput(3)
	f.w.Netcode().Unconfirm(41)
	equal(t, "NetID", f.w.NetID(e), 0)
	equal(t, "what waits", f.pending(), "1 0")
	f.confirm(first, 41)
	f.confirm(e, 42)
	if _, known := f.w.ByNetID(40); known {
		t.Error("the entity of the former NetID is known")
	}
	for id, want := range map[components.NetID]ecs.Entity{41: first, 42: e} {
		got, _ := f.w.ByNetID(id)
		equal(t, "by NetID", got, want)
		equal(t, "NetID", f.w.NetID(want), id)
	}
	equal(t, "bullets", fmt.Sprint(f.bullets()), fmt.Sprint(all))
	f.w.Netcode().Unconfirm(1) // not a spawn
	equal(t, "gun", f.w.Alive(f.gun), false)
}

// The server's entity may arrive while the client does not predict its spawn. A replay that predicts the spawn yields that entity.
func TestDecision4_AReplayRepeatsTheServersSpawn(t *testing.T) {
	for _, predicted := range []bool{true, false} {
		f := newFiring(t, true)
		f.play(3)
		key := ecs.SpawnKey{Owner: shooter, Input: 2}
		e, ok := f.w.Netcode().Confirm(key, 40, predicted)
		equal(t, "confirmed", ok, true)
		equal(t, "simulated", ecs.Has[components.Predicted](f.w, e), predicted)
		f.w.Netcode().Replica(40, f.w.Netcode().Mask(e), predicted)
		f.orders[2] = trigger{Fire: 1}
		f.replay(1)
		got, _ := f.w.Netcode().Spawned(key)
		equal(t, "handle", got, e)
		equal(t, "NetID", f.w.NetID(e), 40)
		equal(t, "bullets", len(f.bullets()), 0) // it has the components that the server gave it
		equal(t, "what waits", f.pending(), "0 0")
		f.w.Netcode().SettleInput(1000)
		_, known := f.w.Netcode().Spawned(key)
		equal(t, "known four seconds later", known, false)
		equal(t, "alive", f.w.Alive(e), true)
	}
}

// The server's silence ends a spawn, but only after long, and its word brings it
// back under the same handle.
func TestDecision4_SilenceEndsASpawn(t *testing.T) {
	settle := func(w *ecs.World, from, to uint32) {
		for i := from; i <= to; i++ {
			w.Netcode().SettleInput(i)
		}
	}
	f, e := fired(t, 2, 1, trigger{Volley: 1})
	f.w.Netcode().SettleInput(200) // one state after a gap proves nothing
	f.wantBullets(place{10, 100})
	settle(f.w, 201, 206)
	f.wantBullets(place{10, 100})
	settle(f.w, 207, 208)
	f.wantBullets()
	f.replay(2)
	f.wantBullets()
	f.confirm(e, 40)
	equal(t, "simulated", ecs.Has[components.Predicted](f.w, e), false) // its values are old
	if all := len(f.bullets()); all != 1 {
		t.Errorf("%d bullets", all)
	}

	// A state that shows nothing unknown ends it at once, but for later ones.
	f, e = fired(t, 2, 2, trigger{Volley: 1})
	f.w.Netcode().RejectSpawns(1)
	f.wantBullets(place{1, 100})
	f.w.Netcode().RejectSpawns(2)
	f.wantBullets()
	f.confirm(e, 40)

	// A state that contains it keeps it, however long its entity takes to arrive.
	f, e = fired(t, 2, 2, trigger{Volley: 1})
	for range 100 {
		f.w.Netcode().RejectSpawns(200, keyOf(t, f.w, e))
		f.w.Netcode().SettleInput(200)
	}
	f.wantBullets(place{1, 100})
	f.confirm(e, 40)

	// Also one that Simulate has ended since: a replay does not bring it back.
	f, _ = fired(t, 10, 1, trigger{Volley: 1})
	f.wantBullets()
	f.w.Netcode().RejectSpawns(1)
	f.w.Netcode().BeginReplay(1)
	f.history.Restore(1)
	f.wantBullets()
	f.w.Netcode().EndReplay()
	equal(t, "what waits", f.pending(), "1 0")

	f, e = fired(t, 2, 1, trigger{Volley: 1})
	settle(f.w, 1, 240) // a tick less than four seconds, in many states
	equal(t, "alive before the time", f.w.Alive(e), true)
	f.w.Netcode().SettleInput(241)
	equal(t, "alive", f.w.Alive(e), false)
	equal(t, "what waits", f.pending(), "0 0")

	f, e = fired(t, 2, 1, trigger{Volley: 1})
	for n := range uint32(63) { // longer, in a state less than 64
		f.w.Netcode().SettleInput(1 + 10*n)
	}
	equal(t, "alive before enough states", f.w.Alive(e), true)
	f.w.Netcode().SettleInput(640)
	equal(t, "alive after 64 states", f.w.Alive(e), false)
}

// Draws for a spawn are alike before its NetID is known, and those of another spawn
// are others.
func TestDecision4_RandomOfASpawn(t *testing.T) {
	draw := func(client bool, input uint32) (drawn [3]uint64) {
		w := ecs.NewWorld(kitProtocol(rule("draw", func(w *ecs.World) {
			for i := range drawn {
				drawn[i] = first(w, w.Spawn(place{}, components.Owner{Client: shooter}))
			}
		})), ecs.Config{Client: client})
		w.Netcode().SetInputSequence(shooter, input)
		simulate(w)
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
