package ecs_test

import (
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

func TestChangesAtOnce(t *testing.T) {
	w := newServer()
	e, other := w.Spawn(place{1, 2}, hat{3}), w.Spawn(place{3, 4})
	equal(t, "place", at(w, e), place{1, 2})
	equal(t, "hat", *ecs.Get[hat](w, e), hat{3})
	equal(t, "NetID", w.NetID(e), 1)
	got, _ := w.ByNetID(1)
	equal(t, "by NetID", got, e)
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
	ecs.Add(w, e, cooldown{9})
	ecs.Remove[cooldown](w, e)
	ecs.Add(w, e, hat{})
	w.Netcode().Replica(w.NetID(e), w.Netcode().Mask(e)|maskOf(ecs.ComponentOf[cooldown](w.Protocol())), false)
	equal(t, "a component that comes back", *ecs.Get[cooldown](w, e), cooldown{})

	w.Despawn(e)
	w.Despawn(e)
	w.Despawn(ecs.Entity{})
	if w.Alive(e) || ecs.Get[place](w, e) != nil || ecs.Has[hat](w, e) || w.NetID(e) != 0 || w.Alive(ecs.Entity{}) {
		t.Error("the dead entity shows")
	}
	if _, ok := w.ByNetID(1); ok {
		t.Error("its NetID is still known")
	}
	refused(t, func() { ecs.Add(w, e, hat{}) }, "Add", "not alive", "World.Alive")
	refused(t, func() { ecs.Remove[hat](w, e) }, "Remove", "not alive")

	if ecs.Resource[hat](w) != nil {
		t.Error("a resource from nowhere")
	}
	h := &hat{4}
	ecs.SetResource(w, h)
	equal(t, "resource", ecs.Resource[hat](w), h)
}

// A NetID is never assigned again, whatever became of its entity. A handle stays valid through all changes of components, and
// ends with its entity.
func TestDecision4_IdentityIsTheNetID(t *testing.T) {
	w := newServer()
	born := map[components.NetID]ecs.Entity{}
	var living []ecs.Entity
	spawn := func(n int) {
		for range n {
			e := w.Spawn(place{X: int32(len(born))})
			if id := w.NetID(e); id == 0 || born[id] != (ecs.Entity{}) {
				t.Fatalf("a new entity has NetID %d, given before to %v", id, born[id])
			}
			born[w.NetID(e)] = e
			living = append(living, e)
		}
	}
	spawn(20)
	for round := range 10 {
		ids := map[ecs.Entity]components.NetID{}
		values := map[ecs.Entity]place{}
		for i, e := range living {
			ids[e], values[e] = w.NetID(e), at(w, e)
			switch (i + round) % 4 {
			case 0:
				ecs.Add(w, e, speed{X: int32(i)})
			case 1:
				ecs.Add(w, e, hat{Feathers: uint16(i)})
			case 2:
				ecs.Remove[speed](w, e)
			}
		}
		w.Shuffle(uint64(round))
		for _, e := range living {
			found, ok := w.ByNetID(ids[e])
			if !ok || found != e || w.NetID(e) != ids[e] || at(w, e) != values[e] {
				t.Fatalf("%v, NetID %d at %v, is now %v, NetID %d at %v", e, ids[e], values[e], found, w.NetID(e), at(w, e))
			}
		}
		// The newest go first: theirs are the numbers that are easily given again.
		dead := slices.Clone(living[len(living)-3:])
		living = living[:len(living)-3]
		for _, e := range dead {
			w.Despawn(e)
		}
		spawn(4)
		for _, e := range dead {
			if w.Alive(e) || w.NetID(e) != 0 || ecs.Has[place](w, e) {
				t.Fatalf("%v is dead and names an entity that came later", e)
			}
		}
	}
	// New entities continue from the highest number of a loaded entity.
	loaded := w.Netcode().Replica(5000, w.Netcode().Mask(living[0]), false)
	w.Netcode().Replica(4000, w.Netcode().Mask(living[0]), false)
	equal(t, "after what was loaded", w.NetID(w.Spawn(place{})), 5001)
	w.Despawn(loaded)
	equal(t, "after its end", w.NetID(w.Spawn(place{})), 5002)
}

// An entity gets its NetID with its first replicated component, even if that is added later.
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
	if !slices.Equal(seen, []components.NetID{1}) {
		t.Errorf("tables name %v", seen)
	}
	equal(t, "hat", *ecs.Get[hat](w, e), hat{1})
	d := w.Spawn(hat{2})
	system(w, func(w *ecs.World) {
		ecs.Add(w, d, place{3, 4})
		equal(t, "NetID of a deferred one", w.NetID(d), 2)
	})
	equal(t, "column", *ecs.Get[components.NetID](w, d), 2)
	client := newClient()
	equal(t, "NetID of a client's own", client.NetID(client.Spawn(place{})), 0)
}

// spawned has fields of several sizes, one without any, and a mark with a value.
type spawned struct {
	Health health
	Place  place
	Flag   flag
	Odd    odd
	_      ecs.With[cooldown]
}

func TestTypedSpawn(t *testing.T) {
	values := spawned{Health: health{7}, Place: place{1, 2}, Odd: odd{3, 4, 5}}
	check := func(w *ecs.World, e ecs.Entity, id components.NetID) {
		t.Helper()
		equal(t, "NetID", w.NetID(e), id)
		equal(t, "values", imageOf(w, e), image{place: place{1, 2}, health: health{7}, odd: odd{3, 4, 5}})
		equal(t, "mark", ecs.Has[cooldown](w, e), true)
		equal(t, "flag", ecs.Has[flag](w, e), true)
		equal(t, "hat", ecs.Has[hat](w, e), false)
		if got, ok := w.ByNetID(id); id != 0 && (!ok || got != e) {
			t.Errorf("ByNetID(%d): %v %v", id, got, ok)
		}
	}
	w := newServer()
	e := ecs.Spawn(w, values)
	check(w, e, 1)
	ecs.Get[cooldown](w, e).Left = 9
	w.Despawn(e)
	check(w, ecs.Spawn(w, values), 2) // where the first one was
	var f, cancelled ecs.Entity
	system(w, func(w *ecs.World) {
		f = ecs.Spawn(w, values)
		check(w, f, 3)
		mask := w.Netcode().Mask(f)
		ecs.Get[place](w, f).X = 5
		cancelled = ecs.Spawn(w, values)
		w.Despawn(cancelled)
		ecs.Add(w, f, hat{8})
		ecs.Remove[hat](w, f)
		ecs.Get[place](w, f).X = 1
		equal(t, "mask", w.Netcode().Mask(f), mask)
	})
	check(w, f, 3)
	equal(t, "cancelled", w.Alive(cancelled), false)
	client := newClient()
	check(client, ecs.Spawn(client, values), 0)
}

func TestWrongSpawnsAreRefused(t *testing.T) {
	w := newServer()
	spawns := func(values ...any) func() { return func() { w.Spawn(values...) } }
	refused(t, spawns(place{}, place{}), "place", "twice")
	refused(t, spawns(&place{}), "*ecs_test.place", "write the value")
	refused(t, spawns(struct{ Z int32 }{}), "not a component", "register")
	refused(t, spawns(nil), "not a component")
	refused(t, spawns(place{}, components.NetID(7)), "NetID", "the world sets")

	refused(t, func() { ecs.Spawn(w, place{}) }, "place is a component", "make it a field")
	refused(t, func() { ecs.Spawn(w, 3) }, "struct of component values", "int")
	refused(t, func() { ecs.Spawn(w, placeRow{}) }, "*ecs_test.place", "write the value")
	refused(t, func() { ecs.Spawn(w, struct{ Z int32 }{}) }, "not a component", "register")
	refused(t, func() { ecs.Spawn(w, struct{ A, B place }{}) }, "place", "twice")
	type twice struct {
		A place
		_ ecs.With[place]
	}
	type without struct {
		A place
		_ ecs.Without[flag]
	}
	type optional struct {
		A place `ecs:"optional"`
	}
	refused(t, func() { ecs.Spawn(w, twice{}) }, "place", "twice")
	refused(t, func() { ecs.Spawn(w, without{}) }, "Without")
	refused(t, func() { ecs.Spawn(w, optional{}) }, "optional")
	refused(t, func() { ecs.Spawn(w, struct{ ID components.NetID }{}) }, "the world sets")
	refused(t, func() { ecs.Spawn(w, struct{ Self ecs.Entity }{}) }, "Entity", "not a component")

	e := w.Spawn(place{})
	equal(t, "NetID after refusals", w.NetID(e), 1)
	refused(t, func() { ecs.Add(w, e, components.NetID(7)) }, "the world sets")
	refused(t, func() { ecs.Remove[components.NetID](w, e) }, "the world sets")
	refused(t, func() { ecs.Get[struct{ Z int32 }](w, e) }, "not a component")
	system(w, func(w *ecs.World) {
		refused(t, spawns(place{}, hat{}, place{}), "twice")
		equal(t, "spawned after a refusal", at(w, w.Spawn(place{4, 5})), place{4, 5})
	})
}
