package ecs_test

import (
	"iter"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// walk runs body once for each entity or stretch.
type walk func(w *ecs.World, body func() bool)

func pairs[K, V any](of func(w *ecs.World) iter.Seq2[K, V]) walk {
	return func(w *ecs.World, body func() bool) {
		for range of(w) {
			if !body() {
				break
			}
		}
	}
}

func singles[V any](of func(w *ecs.World) iter.Seq[V]) walk {
	return func(w *ecs.World, body func() bool) {
		for range of(w) {
			if !body() {
				break
			}
		}
	}
}

// walkers are all kinds of walk.
var walkers = map[string]walk{
	"Each":        pairs(ecs.Each[placeRow]),
	"All":         pairs(ecs.All[placeValue]),
	"EachInOrder": pairs(ecs.EachInOrder[placeRow]),
	"EachOf":      pairs(func(w *ecs.World) iter.Seq2[ecs.Entity, placeRow] { return ecs.EachOf[placeRow](w, 0) }),
	"Tables":      singles(func(w *ecs.World) iter.Seq[ecs.Table] { return w.Netcode().Tables }),
	"Each of what is not on hold": func(w *ecs.World, body func() bool) {
		w.Netcode().SkipOwner(77)
		defer w.Netcode().SkipNobody()
		pairs(ecs.Each[placeRow])(w, body)
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

// In a system, a change of structure during a walk waits for the end of the stage. Outside, and for immediate changes in a system, the
// walk panics with advice if it continues. This is true for every form of walk.
func TestDecision8_AChangeDuringAWalkOutsidePanics(t *testing.T) {
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
				want := 64
				if what == "Despawn" || what == "Discard" {
					want = 63
				}
				// whole checks that no value went astray.
				whole := func(w *ecs.World, e ecs.Entity) {
					t.Helper()
					seen := map[int32]bool{}
					for f, v := range ecs.All[placeValue](w) {
						if v.Place.X != v.Place.Y || at(w, f) != v.Place {
							t.Errorf("%v holds %v", f, v.Place)
						}
						seen[v.Place.X] = true
					}
					if w.Alive(e) != (want == 64) || len(seen) != want {
						t.Errorf("alive: %v, %d places, want %d", w.Alive(e), len(seen), want)
					}
				}
				const advice = "collect the entities first"

				w, e := populated()
				walk(w, func() bool { ecs.Add(w, e, place{63, 63}); return true }) // values alone disturb nothing
				refused(t, func() { walk(w, func() bool { change.do(w, e); return true }) }, advice)
				whole(w, e)

				w, e = populated()
				walk(w, func() bool { change.do(w, e); return false }) // change and leave: allowed
				whole(w, e)

				w, e = populated()
				visits, once := 0, 0
				walk(w, func() bool { once++; return true })
				system(w, func(w *ecs.World) {
					if change.atOnce {
						refused(t, func() { walk(w, func() bool { change.do(w, e); return true }) }, advice)
						return
					}
					walk(w, func() bool { visits++; change.do(w, e); return true })
					if !w.Alive(e) || at(w, e) != (place{63, 63}) || visits != once {
						t.Errorf("gone before the end of the stage, or %d visits and not %d", visits, once)
					}
				})
				whole(w, e)
			})
		}
	}
}

func TestWalksNestAndBreak(t *testing.T) {
	w := newServer()
	for i := range int32(40) { // twenty archetypes and more in two tables
		spread(w, i)
	}
	for outer, walk := range walkers {
		for inner, nested := range walkers {
			single, rounds, visits, want := 0, 0, 0, 0
			walk(w, func() bool { single++; return true })
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

func TestWalksCoverManyArchetypes(t *testing.T) {
	w := newServer()
	type both struct {
		Place *place
		Hat   *hat `ecs:"optional"`
	}
	equal(t, "rows of an empty world", length(ecs.Each[both](w)), 0) // compiled before the tables come
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
	for tab := range w.Netcode().Tables {
		for _, e := range tab.Entities {
			seen[at(w, e).X]++
		}
	}
	for i, k := range seen {
		if k != 3 {
			t.Errorf("entity %d was seen %d times by three walks", i, k)
		}
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
	if slices.IsSorted(storage) || !slices.IsSorted(order) || len(order) != n {
		t.Errorf("storage %v\nin order %v", storage, order)
	}
	for e, v := range ecs.All[placeValue](w) {
		equal(t, "written in order", v.Place.Y, int32(w.NetID(e)))
	}
	for e := range ecs.EachInOrder[struct{ Hat *hat }](w) {
		if w.NetID(e) == 0 {
			t.Error("an entity without a NetID")
		}
	}
}
