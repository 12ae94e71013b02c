package ecs_test

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

func TestSpawnAndDespawnAtOnce(t *testing.T) {
	w := newServer()
	e := w.Spawn(place{1, 2}, hat{3})
	equal(t, "place", at(w, e), place{1, 2})
	equal(t, "hat", *ecs.Get[hat](w, e), hat{3})
	equal(t, "NetID", w.NetID(e), 1)
	if got, ok := w.ByNetID(1); !ok || got != e {
		t.Errorf("ByNetID: %v %v", got, ok)
	}
	w.Despawn(e)
	w.Despawn(e)
	w.Despawn(ecs.Entity{})
	if w.Alive(e) || ecs.Get[place](w, e) != nil || ecs.Has[hat](w, e) || w.NetID(e) != 0 {
		t.Error("the dead entity shows")
	}
	if _, ok := w.ByNetID(1); ok {
		t.Error("its NetID is still known")
	}
	equal(t, "next NetID", w.NetID(w.Spawn(place{})), 2)
	refused(t, func() { ecs.Add(w, e, hat{}) }, "Add", "not alive", "World.Alive")
	refused(t, func() { ecs.Remove[hat](w, e) }, "Remove", "not alive")
}

func TestAddAndRemoveAtOnce(t *testing.T) {
	w := newServer()
	e, other := w.Spawn(place{1, 2}), w.Spawn(place{3, 4})
	ecs.Add(w, e, hat{5})
	ecs.Add(w, e, hat{6})
	ecs.Add(w, e, flag{})
	equal(t, "hat", *ecs.Get[hat](w, e), hat{6})
	equal(t, "place after the move", at(w, e), place{1, 2})
	equal(t, "the other", at(w, other), place{3, 4})
	ecs.Remove[hat](w, e)
	ecs.Remove[hat](w, e)
	if ecs.Has[hat](w, e) || !ecs.Has[flag](w, e) {
		t.Error("Remove took the wrong one")
	}
	ecs.Remove[flag](w, e)
	ecs.Add(w, e, cooldown{})
	ecs.Get[cooldown](w, e).Left = 9
	ecs.Remove[cooldown](w, e)
	ecs.Add(w, e, hat{})
	w.Netcode().Replica(w.NetID(e), w.Netcode().Mask(e)|maskOf(ecs.ComponentOf[cooldown](w.Protocol())), false)
	equal(t, "a component that comes back", *ecs.Get[cooldown](w, e), cooldown{})
}

func TestSpawnIsRefused(t *testing.T) {
	w := newServer()
	refused(t, func() { w.Spawn(place{}, place{}) }, "place", "twice")
	refused(t, func() { w.Spawn(&place{}) }, "*ecs_test.place", "write the value")
	refused(t, func() { w.Spawn(struct{ Z int32 }{}) }, "not a component", "register")
	refused(t, func() { w.Spawn(nil) }, "not a component")
	refused(t, func() { w.Spawn(place{}, components.NetID(7)) }, "NetID", "given by the world")
	e := w.Spawn(place{})
	equal(t, "NetID after refusals", w.NetID(e), 1)
	refused(t, func() { ecs.Add(w, e, components.NetID(7)) }, "given by the world")
	refused(t, func() { ecs.Remove[components.NetID](w, e) }, "given by the world")
	refused(t, func() { ecs.Get[struct{ Z int32 }](w, e) }, "not a component")
}

// What has a replicated component has a NetID, whenever that came.
func TestNetIDComesWithTheFirstReplicatedComponent(t *testing.T) {
	w := newServer()
	e := w.Spawn(hat{1})
	equal(t, "NetID of a local entity", w.NetID(e), 0)
	ecs.Add(w, e, place{1, 2})
	equal(t, "NetID", w.NetID(e), 1)
	var seen []components.NetID
	for tab := range w.Netcode().Tables {
		seen = append(seen, tab.NetIDs...)
	}
	if len(seen) != 1 || seen[0] != 1 {
		t.Errorf("tables name %v", seen)
	}
	equal(t, "hat", *ecs.Get[hat](w, e), hat{1})
	d := w.Spawn(hat{2})
	system(w, func(w *ecs.World) {
		ecs.Add(w, d, place{3, 4})
		equal(t, "NetID of a deferred one", w.NetID(d), 2)
	})
	equal(t, "column", *ecs.Get[components.NetID](w, d), 2)
	if newClient().NetID(newClient().Spawn(place{})) != 0 {
		t.Error("a client gave out a NetID")
	}
}

func TestResources(t *testing.T) {
	w := newServer()
	if ecs.Resource[hat](w) != nil {
		t.Error("a resource from nowhere")
	}
	h := &hat{4}
	ecs.SetResource(w, h)
	if ecs.Resource[hat](w) != h {
		t.Error("the resource is another")
	}
}

func TestHandlesSurviveManyMoves(t *testing.T) {
	w := newServer()
	var es []ecs.Entity
	for i := range int32(1000) {
		es = append(es, w.Spawn(place{i, -i}))
	}
	for round := range 4 {
		for i, e := range es {
			switch (i + round) % 4 {
			case 0:
				ecs.Add(w, e, hat{uint16(i)})
			case 1:
				ecs.Remove[hat](w, e)
			case 2:
				ecs.Add(w, e, odd{A: 1, B: uint64(i), C: 2})
			case 3:
				w.Despawn(e)
				es[i] = w.Spawn(place{int32(i), int32(-i)})
			}
		}
	}
	for i, e := range es {
		equal(t, "place", at(w, e), place{int32(i), int32(-i)})
		if o := ecs.Get[odd](w, e); o != nil && *o != (odd{1, uint64(i), 2}) {
			t.Errorf("%v: %v", e, *o)
		}
	}
	if _, all := count(w); all != len(es) {
		t.Errorf("%d entities, want %d", all, len(es))
	}
}
