package ecs_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// simulated builds a world whose Simulate runs f.
func simulated(client bool, f func(w *ecs.World)) *ecs.World {
	p := kitProtocol()
	p.Simulate("f", f)
	return ecs.NewWorld(p, ecs.Config{Seed: 1, Client: client})
}

func TestAClientSimulatesWhatItPredicts(t *testing.T) {
	w := newClient()
	own := replica(w, 7, 1, place{1, 0}, true)
	other := replica(w, 8, 2, place{2, 0}, false)
	w.Spawn(place{3, 0}) // the client's own business
	each, all := count(w)
	equal(t, "Each", each, 1)
	equal(t, "All", all, 3)
	for e := range ecs.Each[placeRow](w) {
		equal(t, "simulated", e, own)
	}
	for e := range ecs.EachInOrder[placeRow](w) {
		equal(t, "simulated in order", e, own)
	}
	for c := range ecs.Chunks[struct {
		Self  []ecs.Entity
		Place []place
	}](w) {
		equal(t, "simulated chunk", c.Self[0], own)
		equal(t, "its length", len(c.Self), 1)
	}
	for tab := range w.Netcode().Tables {
		equal(t, fmt.Sprint("table of ", tab.NetIDs), tab.Simulated, slices.Contains(tab.Entities, own))
	}
	w.Netcode().Replica(8, w.Netcode().Mask(other), true)
	w.Netcode().Replica(7, w.Netcode().Mask(own), false)
	for e := range ecs.Each[placeRow](w) {
		equal(t, "simulated after marks changed", e, other)
	}
	equal(t, "value", at(w, own), place{1, 0})
	if ecs.Has[components.Predicted](w, own) || !ecs.Has[components.Interpolated](w, own) {
		t.Error("marks are wrong")
	}
}

func TestReplicasTakeShape(t *testing.T) {
	w := newClient()
	p := w.Protocol()
	c := func(i int) *ecs.Component { // Owner, then what the kit registers
		if i > 0 {
			i++ // SpawnKey
		}
		return p.Replicated()[i]
	}
	e := w.Netcode().Replica(5, maskOf(c(0), c(1)), false)
	equal(t, "NetID", w.NetID(e), 5)
	equal(t, "mask", w.Netcode().Mask(e), maskOf(c(0), c(1)))
	equal(t, "value", at(w, e), place{})
	*ecs.Get[place](w, e) = place{3, 4}
	ecs.Add(w, e, hat{6}) // local: not the server's
	equal(t, "same handle", w.Netcode().Replica(5, maskOf(c(1), c(2), c(6)), false), e)
	equal(t, "mask", w.Netcode().Mask(e), maskOf(c(1), c(2), c(6)))
	equal(t, "kept value", at(w, e), place{3, 4})
	equal(t, "kept local", *ecs.Get[hat](w, e), hat{6})
	equal(t, "new local, predicted", *ecs.Get[cooldown](w, e), cooldown{})
	equal(t, "new value", *ecs.Get[speed](w, e), speed{})
	if w.Netcode().Pointer(e, c(0)) != nil || w.Netcode().Pointer(e, c(1)) == nil {
		t.Error("Pointer disagrees with the mask")
	}
	w.Netcode().Discard(5)
	w.Netcode().Discard(5)
	w.Netcode().Discard(99)
	if w.Alive(e) || w.Netcode().Mask(e) != 0 || w.Netcode().Pointer(e, c(1)) != nil {
		t.Error("discarded, but there")
	}
	again := w.Netcode().Replica(5, maskOf(c(1)), true)
	if again == e || at(w, again) != (place{}) {
		t.Error("the new replica is the old one")
	}
	refused(t, func() { w.Netcode().Replica(0, 0, false) }, "NetID")
	refused(t, func() { w.Netcode().Replica(9, 1<<63, false) }, "no replicated component 63")
	if _, ok := w.ByNetID(9); ok {
		t.Error("a refused replica left its NetID")
	}
}

// A world that was filled with replicas and goes on as a server, as after
// loading, hands out NetIDs that nobody has.
func TestNetIDsAreNeverUsedTwice(t *testing.T) {
	w := newServer()
	e := w.Netcode().Replica(41, maskOf(ecs.ComponentOf[place](w.Protocol())), false)
	equal(t, "next", w.NetID(w.Spawn(place{})), 42)
	w.Despawn(e)
	equal(t, "after a despawn", w.NetID(w.Spawn(place{})), 43)
}

func TestReplicaOfWhatIsBeingSpawned(t *testing.T) {
	w := newServer()
	var e ecs.Entity
	system(w, func(w *ecs.World) {
		e = w.Spawn(place{})
		refused(t, func() { w.Netcode().Replica(w.NetID(e), 0, false) }, "spawning")
		w.Netcode().Discard(w.NetID(e))
	})
	if w.Alive(e) {
		t.Error("discarded, but there")
	}
}

func TestExistenceIsTheServers(t *testing.T) {
	var made, doomed, local, other ecs.Entity
	w := simulated(true, func(w *ecs.World) {
		made = w.Spawn(place{9, 9})
		cancelled := w.Spawn(place{8, 8})
		w.Despawn(cancelled)
		ecs.Add(w, made, hat{1})
		if !w.Alive(made) || w.NetID(made) != 0 {
			t.Error("the handle is not usable")
		}
		w.Despawn(doomed)
		w.Despawn(local)
		ecs.Add(w, doomed, hat{2})
		ecs.Add(w, other, hat{3})
		ecs.Remove[place](w, other)
	})
	doomed = replica(w, 7, 1, place{1, 1}, true)
	other = replica(w, 8, 2, place{2, 2}, false)
	local = w.Spawn(hat{4})
	var outside ecs.Entity
	ecs.NewStage("OnTick", ecs.System{Name: "Predict", Run: func(w *ecs.World) {
		outside = w.Spawn(place{5, 5}) // not in Simulate: the client's own
		w.Netcode().SimulateStage().Run(w)
	}}).Run(w)
	if w.Alive(made) {
		t.Error("a spawn in Simulate came true")
	}
	if _, all := count(w); all != 2 || !w.Alive(doomed) {
		t.Errorf("%d entities, want the other's and the one outside, and a handle that lives", all)
	}
	if !w.Netcode().Revive(7, 0) || at(w, doomed) != (place{1, 1}) || ecs.Has[hat](w, doomed) {
		t.Error("the predicted entity did not come back as it was")
	}
	if ecs.Has[hat](w, other) || at(w, other) != (place{2, 2}) {
		t.Error("Simulate reshaped what it does not simulate")
	}
	if w.Alive(local) {
		t.Error("a local entity outlived its despawn")
	}
	equal(t, "spawned around Simulate", at(w, outside), place{5, 5})
	if _, all := count(w); all != 3 {
		t.Errorf("%d entities", all)
	}
}

func owned(w *ecs.World) map[uint32]int32 {
	sums := map[uint32]int32{}
	for _, v := range ecs.All[struct {
		Place place
		Owner components.Owner
	}](w) {
		sums[v.Owner.Client] += v.Place.X
	}
	return sums
}

// Owners 0 to 3 interleaved in one table: what a scope leaves out takes no step,
// by any walk that steps.
func TestScopeLeavesOwnersOut(t *testing.T) {
	steps := map[string]func(w *ecs.World){
		"Each": func(w *ecs.World) {
			for _, r := range ecs.Each[placeRow](w) {
				r.Place.X++
			}
		},
		"Chunks": func(w *ecs.World) {
			for c := range ecs.Chunks[placeChunk](w) {
				for i := range c.Place {
					c.Place[i].X++
				}
			}
		},
		"EachInOrder": func(w *ecs.World) {
			for _, r := range ecs.EachInOrder[placeRow](w) {
				r.Place.X++
			}
		},
	}
	for name, step := range steps {
		for _, order := range [][]uint32{{0, 1, 2, 3}, {3, 3, 1, 0, 0, 1, 2, 2}, {1, 2, 1, 2, 1, 3, 0, 1}, {2, 2, 2, 1, 3, 0}} {
			w := simulated(false, step)
			n := map[uint32]int32{}
			for range 3 {
				for _, o := range order {
					n[o]++
					w.Spawn(place{}, components.Owner{Client: o})
				}
			}
			unowned := w.Spawn(place{})
			check := func(what string, moved ...uint32) {
				t.Helper()
				for o, sum := range owned(w) {
					want := int32(0)
					if slices.Contains(moved, o) {
						want = n[o]
					}
					if sum != want {
						t.Errorf("%s, %v, %s: owner %d moved %d, want %d", name, order, what, o, sum, want)
					}
				}
				for _, r := range ecs.Each[placeRow](w) {
					r.Place.X = 0
				}
			}
			w.Netcode().SkipOwner(2)
			w.Netcode().SkipOwner(2)
			w.Netcode().SimulateStage().Run(w)
			equal(t, "the unowned", at(w, unowned).X, 1)
			w.Netcode().SkipNobody()
			check("2 held", 0, 1, 3)
			w.Netcode().SkipOwner(1)
			w.Netcode().SkipOwner(3)
			w.Netcode().SimulateStage().Run(w)
			w.Netcode().SkipNobody()
			check("1 and 3 held", 0, 2)
			w.Netcode().SimulateStage().Run(w)
			check("nobody held", 0, 1, 2, 3)
			w.Netcode().SimulateOnly(1)
			equal(t, "the unowned", at(w, unowned).X, 0)
			check("only 1", 1)
			w.Netcode().SkipOwner(2)
			w.Netcode().SimulateOnly(2)
			w.Netcode().SkipNobody()
			check("only 2, though held", 2)
			w.Netcode().SimulateOnly(77)
			check("only a stranger")
		}
	}
	refused(t, func() { newServer().Netcode().SimulateOnly(0) }, "client")
}

// The server's own entities cannot be held.
func TestHoldOfTheServer(t *testing.T) {
	w := newServer()
	w.Spawn(place{}, components.Owner{})
	w.Netcode().SkipOwner(0)
	if each, _ := count(w); each != 1 {
		t.Error("held")
	}
}

func TestSimulateOnlyInsideAWalk(t *testing.T) {
	w := simulated(false, func(w *ecs.World) {
		for _, r := range ecs.Each[placeRow](w) {
			r.Place.X++
		}
	})
	for i := range uint32(6) {
		w.Spawn(place{}, components.Owner{Client: 1 + i%2})
	}
	rounds := 0
	for range ecs.Each[placeRow](w) {
		rounds++
		w.Netcode().SimulateOnly(2)
	}
	equal(t, "rounds", rounds, 6)
	sums := owned(w)
	equal(t, "owner 1", sums[1], 0)
	equal(t, "owner 2", sums[2], 18)
}

func TestAPanicEndsTheScope(t *testing.T) {
	armed := true
	var w *ecs.World
	w = simulated(false, func(*ecs.World) {
		if armed {
			armed = false
			w.Netcode().SimulateOnly(2) // returns to the scope around it
			for _, v := range ecs.Each[struct{ Owner *components.Owner }](w) {
				equal(t, "owner in the outer scope", v.Owner.Client, 1)
			}
			panic("boom")
		}
	})
	w.Spawn(place{}, components.Owner{Client: 1})
	w.Spawn(place{}, components.Owner{Client: 2})
	refused(t, func() { w.Netcode().SimulateOnly(1) }, "boom")
	if each, _ := count(w); each != 2 {
		t.Errorf("Each yields %d after the panic, want 2", each)
	}
}
