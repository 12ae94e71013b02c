package ecs_test

import (
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

type placeChunk struct{ Place []place }

// walkers runs body once for each entity or stretch, by every kind of walk.
var walkers = map[string]func(w *ecs.World, body func() bool){
	"Each": func(w *ecs.World, body func() bool) {
		for range ecs.Each[placeRow](w) {
			if !body() {
				break
			}
		}
	},
	"All": func(w *ecs.World, body func() bool) {
		for range ecs.All[placeValue](w) {
			if !body() {
				break
			}
		}
	},
	"Chunks": func(w *ecs.World, body func() bool) {
		for range ecs.Chunks[placeChunk](w) {
			if !body() {
				break
			}
		}
	},
	"EachOf": func(w *ecs.World, body func() bool) {
		for range ecs.EachOf[placeRow](w, 0) {
			if !body() {
				break
			}
		}
	},
	"Each of what is not on hold": func(w *ecs.World, body func() bool) {
		w.Netcode().SkipOwner(77)
		defer w.Netcode().SkipNobody()
		for range ecs.Each[placeRow](w) {
			if !body() {
				break
			}
		}
	},
	"EachInOrder": func(w *ecs.World, body func() bool) {
		for range ecs.EachInOrder[placeRow](w) {
			if !body() {
				break
			}
		}
	},
	"Tables": func(w *ecs.World, body func() bool) {
		for range w.Netcode().Tables {
			if !body() {
				break
			}
		}
	},
}

// changes are all ways to change structure. Those of the netcode take effect at
// once, inside a system too.
var changes = map[string]struct {
	do     func(w *ecs.World, e ecs.Entity)
	atOnce bool
}{
	"Spawn":       {do: func(w *ecs.World, e ecs.Entity) { w.Spawn(place{}) }},
	"typed Spawn": {do: func(w *ecs.World, e ecs.Entity) { ecs.Spawn(w, placeValue{}) }},
	"Despawn":     {do: func(w *ecs.World, e ecs.Entity) { w.Despawn(e) }},
	"Add":         {do: func(w *ecs.World, e ecs.Entity) { ecs.Add(w, e, hat{}) }},
	"Remove":      {do: func(w *ecs.World, e ecs.Entity) { ecs.Remove[flag](w, e) }},
	"stage": {atOnce: true, do: func(w *ecs.World, e ecs.Entity) {
		system(w, func(w *ecs.World) { w.Spawn(place{}) })
	}},
	"Discard":     {atOnce: true, do: func(w *ecs.World, e ecs.Entity) { w.Netcode().Discard(w.NetID(e)) }},
	"new Replica": {atOnce: true, do: func(w *ecs.World, e ecs.Entity) { w.Netcode().Replica(999, w.Netcode().Mask(e), false) }},
	"Replica":     {atOnce: true, do: func(w *ecs.World, e ecs.Entity) { w.Netcode().Replica(w.NetID(e), w.Netcode().Mask(e), true) }},
}

// A change of structure during a walk waits for the end of the stage, or the
// walk says what to do instead and goes no further; in every form of walk, in a
// system and outside.
func TestStructuralChangeDuringAWalk(t *testing.T) {
	for name, walk := range walkers {
		for what, change := range changes {
			t.Run(name+"/"+what, func(t *testing.T) {
				populated := func() (*ecs.World, ecs.Entity) {
					w := newServer()
					for i := range int32(63) { // the next but one makes storage grow
						w.Spawn(place{i, i})
					}
					return w, w.Spawn(place{63, 63}, flag{})
				}
				// whole checks that no value went astray.
				whole := func(w *ecs.World, e ecs.Entity, want int) {
					t.Helper()
					seen := map[int32]bool{}
					for f, v := range ecs.All[placeValue](w) {
						if v.Place.X != v.Place.Y || at(w, f) != v.Place {
							t.Errorf("%v holds %v", f, v.Place)
						}
						seen[v.Place.X] = true
					}
					if gone := what == "Despawn" || what == "Discard"; w.Alive(e) == gone || len(seen) != want {
						t.Errorf("alive: %v, %d places, want %d", w.Alive(e), len(seen), want)
					}
				}
				want := 64
				if what == "Despawn" || what == "Discard" {
					want = 63
				}

				w, e := populated()
				refused(t, func() { walk(w, func() bool { change.do(w, e); return true }) }, "collect the entities first")
				whole(w, e, want)

				w, e = populated()
				walk(w, func() bool { change.do(w, e); return false }) // change and leave: allowed
				whole(w, e, want)

				w, e = populated()
				visits, once := 0, 0
				walk(w, func() bool { once++; return true })
				system(w, func(w *ecs.World) {
					if change.atOnce {
						refused(t, func() { walk(w, func() bool { change.do(w, e); return true }) }, "collect the entities first")
						return
					}
					walk(w, func() bool { visits++; change.do(w, e); return true })
					if !w.Alive(e) || at(w, e) != (place{63, 63}) {
						t.Error("gone before the end of the stage")
					}
				})
				if !change.atOnce && visits != once {
					t.Errorf("%d visits, want %d", visits, once)
				}
				whole(w, e, want)
			})
		}
	}
}

func TestWalksNestAndBreak(t *testing.T) {
	for outer, walk := range walkers {
		for inner, nested := range walkers {
			w := newServer()
			for i := range int32(40) { // twenty archetypes and more in two tables
				spread(w, i)
			}
			single := 0
			walk(w, func() bool { single++; return true })
			rounds, visits, want := 0, 0, 0
			nested(w, func() bool { want++; return true })
			walk(w, func() bool {
				rounds++
				nested(w, func() bool { visits++; return true })
				nested(w, func() bool { return false })
				return true
			})
			if rounds != single || visits != single*want {
				t.Errorf("%s in %s: %d rounds of %d, want %d of %d", inner, outer, visits, rounds, single*want, single)
			}
		}
	}
}

// spread spawns the i-th of entities over 32 archetypes.
func spread(w *ecs.World, i int32) ecs.Entity {
	e := w.Spawn(place{i, 0})
	if i&1 != 0 {
		ecs.Add(w, e, speed{i, 1})
	}
	if i&2 != 0 {
		ecs.Add(w, e, health{uint8(i)})
	}
	if i&4 != 0 {
		ecs.Add(w, e, odd{B: uint64(i)})
	}
	if i&8 != 0 {
		ecs.Add(w, e, flag{})
	}
	if i&16 != 0 {
		ecs.Add(w, e, hat{uint16(i)})
	}
	return e
}

func TestWalksCoverManyArchetypes(t *testing.T) {
	w := newServer()
	type both struct {
		Place *place
		Hat   *hat `ecs:"optional"`
	}
	for range ecs.Each[both](w) { // compiled before the tables come
		t.Error("an empty world yields")
	}
	const n = 96
	for i := range int32(n) {
		spread(w, i)
	}
	seen := make([]int, n)
	for e, r := range ecs.Each[both](w) {
		i := r.Place.X
		seen[i]++
		if (r.Hat != nil) != (i&16 != 0) || r.Hat != nil && r.Hat.Feathers != uint16(i) {
			t.Errorf("%d: hat %v", i, r.Hat)
		}
		if ecs.Get[place](w, e) != r.Place {
			t.Errorf("%d: row and handle point at different places", i)
		}
	}
	for _, v := range ecs.All[placeValue](w) {
		seen[v.Place.X]++
	}
	for c := range ecs.Chunks[placeChunk](w) {
		for _, p := range c.Place {
			seen[p.X]++
		}
	}
	for tab := range w.Netcode().Tables {
		for _, e := range tab.Entities {
			seen[at(w, e).X]++
		}
	}
	for i, k := range seen {
		if k != 4 {
			t.Errorf("entity %d was seen %d times by four walks", i, k)
		}
	}
}

func TestEachInOrderFollowsNetIDs(t *testing.T) {
	w := newServer()
	for i := range int32(64) {
		spread(w, i)
	}
	w.Spawn(hat{}) // has no NetID
	w.Shuffle(1)
	storage, order := []components.NetID{}, []components.NetID{}
	for e := range ecs.Each[placeRow](w) {
		storage = append(storage, w.NetID(e))
	}
	for e, r := range ecs.EachInOrder[placeRow](w) {
		order = append(order, w.NetID(e))
		r.Place.Y = int32(len(order))
	}
	if slices.IsSorted(storage) || !slices.IsSorted(order) || len(order) != 64 {
		t.Errorf("storage %v\nin order %v", storage, order)
	}
	for e, v := range ecs.All[placeValue](w) {
		equal(t, "written in order", v.Place.Y, int32(w.NetID(e)))
	}
	type hats struct{ Hat *hat }
	for e := range ecs.EachInOrder[hats](w) {
		if w.NetID(e) == 0 {
			t.Error("an entity without a NetID")
		}
	}
}

// A table that storage had to move is read at its new place.
func TestWalksFollowStorageThatGrows(t *testing.T) {
	w := newServer()
	for i := range int32(1000) {
		w.Spawn(place{i, 0})
		n := int32(0)
		for _, r := range ecs.Each[placeRow](w) {
			n += r.Place.X + 1
		}
		if want := (i + 1) * (i + 2) / 2; n != want {
			t.Fatalf("after %d spawns the sum is %d, want %d", i+1, n, want)
		}
	}
}
