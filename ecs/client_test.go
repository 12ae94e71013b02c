package ecs_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

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
	server := newServer()
	system(server, func(w *ecs.World) {
		e = w.Spawn(place{})
		refused(t, func() { w.Netcode().Replica(w.NetID(e), 0, false) }, "spawning")
		w.Netcode().Discard(w.NetID(e))
	})
	equal(t, "alive, though discarded as it was spawned", server.Alive(e), false)
}

func TestExistenceIsTheServers(t *testing.T) {
	var made, doomed, local, other ecs.Entity
	var servers [2]ecs.Entity
	w := newClient(rule("f", func(w *ecs.World) {
		made = w.Spawn(place{9, 9})
		cancelled := w.Spawn(place{8, 8})
		w.Despawn(cancelled)
		servers[0] = w.Spawn(place{7, 7}, components.Owner{})
		servers[1] = w.Spawn(place{6, 6}, components.Owner{Client: 2}) // whose inputs nobody knows here
		ecs.Add(w, made, hat{1})
		if !w.Alive(made) || w.NetID(made) != 0 {
			t.Error("the handle is not usable")
		}
		w.Despawn(doomed)
		w.Despawn(local)
		ecs.Add(w, doomed, hat{2})
		ecs.Add(w, other, hat{3})
		ecs.Remove[place](w, other)
	}))
	doomed = replica(w, 7, 1, place{1, 1}, true)
	other = replica(w, 8, 2, place{2, 2}, false)
	local = w.Spawn(hat{4})
	w.Netcode().SetInputSequence(1, 1)
	var outside ecs.Entity
	ecs.NewStage("OnTick", ecs.System{Name: "Predict", Run: func(w *ecs.World) {
		outside = w.Spawn(place{5, 5}) // not in Simulate: the client's own
		simulate(w)
	}}).Run(w)
	if w.Alive(made) || w.Alive(servers[0]) || w.Alive(servers[1]) {
		t.Error("a spawn in Simulate came true")
	}
	if _, all := count(w); all != 2 || !w.Alive(doomed) {
		t.Errorf("%d entities, want the other's and the one outside, and a handle that lives", all)
	}
	if !w.Netcode().Revive(7, 1) || at(w, doomed) != (place{1, 1}) || ecs.Has[hat](w, doomed) {
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
