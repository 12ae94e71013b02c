package ecs_test

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

type ownedPlace struct {
	Owner components.Owner
	Place place
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
		equal(t, "place", at(w, e), place{1, 2})
		equal(t, "health", *ecs.Get[health](w, e), health{7})
		equal(t, "odd", *ecs.Get[odd](w, e), odd{3, 4, 5})
		equal(t, "mark", *ecs.Get[cooldown](w, e), cooldown{})
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

// What is added to a waiting spawn, or taken from it, counts whichever form it
// was spawned by.
func TestAmendedSpawns(t *testing.T) {
	for name, spawn := range map[string]func(w *ecs.World) ecs.Entity{
		"typed":  func(w *ecs.World) ecs.Entity { return ecs.Spawn(w, spawned{Place: place{1, 2}}) },
		"values": func(w *ecs.World) ecs.Entity { return w.Spawn(health{}, place{1, 2}, flag{}, odd{}, cooldown{}) },
	} {
		w := newServer()
		var first, last, middle, all, plain ecs.Entity
		system(w, func(w *ecs.World) {
			first, last, middle, all, plain = spawn(w), spawn(w), spawn(w), spawn(w), spawn(w)
			ecs.Remove[health](w, first)
			ecs.Remove[cooldown](w, last)
			ecs.Remove[odd](w, middle)
			ecs.Add(w, middle, hat{1})
			ecs.Remove[place](w, all)
			ecs.Remove[health](w, all)
			ecs.Remove[flag](w, all)
			ecs.Remove[odd](w, all)
			ecs.Remove[cooldown](w, all)
			ecs.Add(w, all, place{3, 4})
		})
		has := func(what string, e ecs.Entity, want ...bool) {
			t.Helper()
			got := []bool{ecs.Has[health](w, e), ecs.Has[place](w, e), ecs.Has[flag](w, e), ecs.Has[odd](w, e), ecs.Has[cooldown](w, e), ecs.Has[hat](w, e)}
			for i := range got {
				if got[i] != want[i] {
					t.Errorf("%s, %s: has %v, want %v", name, what, got, want)
					return
				}
			}
		}
		has("first", first, false, true, true, true, true, false)
		has("last", last, true, true, true, true, false, false)
		has("middle", middle, true, true, true, false, true, true)
		has("all", all, false, true, false, false, false, false)
		has("plain", plain, true, true, true, true, true, false)
		equal(t, name+": place", at(w, all), place{3, 4})
		equal(t, name+": place", at(w, middle), place{1, 2})
	}
}

// A spawn of an outer stage may be amended by an inner one, whose end must not
// take the values back.
func TestAmendingAnOuterSpawn(t *testing.T) {
	w := newServer()
	var outer ecs.Entity
	inner := ecs.NewStage("inner", ecs.System{Name: "in", Run: func(w *ecs.World) {
		ecs.Add(w, outer, odd{1, 2, 3})
		ecs.Spawn(w, ownedPlace{Place: place{8, 8}})
	}})
	ecs.NewStage("outer", ecs.System{Name: "before", Run: func(w *ecs.World) {
		outer = ecs.Spawn(w, ownedPlace{Place: place{1, 1}})
	}}).Nest(inner).Nest(inner).Add(ecs.System{Name: "after", Run: func(w *ecs.World) {
		for range 50 {
			ecs.Spawn(w, spawned{Odd: odd{9, 9, 9}})
		}
	}}).Run(w)
	equal(t, "place", at(w, outer), place{1, 1})
	equal(t, "odd", *ecs.Get[odd](w, outer), odd{1, 2, 3})
	_, all := count(w)
	equal(t, "entities", all, 53)
}

func TestTypedSpawnIsRefused(t *testing.T) {
	w := newServer()
	refused(t, func() { ecs.Spawn(w, place{}) }, "place is a component", "make it a field")
	refused(t, func() { ecs.Spawn(w, 3) }, "struct of component values", "int")
	refused(t, func() { ecs.Spawn(w, placeRow{}) }, "*ecs_test.place", "write the value")
	refused(t, func() { ecs.Spawn(w, struct{ Z int32 }{}) }, "not a component", "register")
	refused(t, func() { ecs.Spawn(w, struct{ A, B place }{}) }, "place", "twice")
	refused(t, func() {
		ecs.Spawn(w, struct {
			A place
			_ ecs.With[place]
		}{})
	}, "place", "twice")
	refused(t, func() {
		ecs.Spawn(w, struct {
			A place
			_ ecs.Without[flag]
		}{})
	}, "Without")
	refused(t, func() {
		ecs.Spawn(w, struct {
			A place `ecs:"optional"`
		}{})
	}, "optional")
	refused(t, func() { ecs.Spawn(w, struct{ ID components.NetID }{}) }, "given by the world")
	refused(t, func() { ecs.Spawn(w, struct{ Self ecs.Entity }{}) }, "Entity", "not a component")
	equal(t, "NetID after refusals", w.NetID(ecs.Spawn(w, ownedPlace{})), 1)
	system(w, func(w *ecs.World) {
		refused(t, func() { w.Spawn(place{}, hat{}, place{}) }, "twice")
		equal(t, "spawned after a refusal", at(w, w.Spawn(place{4, 5})), place{4, 5})
	})
}
