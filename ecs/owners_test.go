package ecs_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// ownedBy lists the NetIDs that EachOf yields, and those that a look at every owner finds.
func ownedBy(w *ecs.World, owner uint32) (got, want []ecs.Entity) {
	for e := range ecs.EachOf[placeRow](w, owner) {
		got = append(got, e)
	}
	for e, v := range ecs.All[struct {
		Place place
		Owner components.Owner `ecs:"optional"`
	}](w) {
		if v.Owner.Client == owner {
			want = append(want, e)
		}
	}
	for _, list := range [][]ecs.Entity{got, want} {
		slices.SortFunc(list, func(a, b ecs.Entity) int { return cmp.Compare(w.NetID(a), w.NetID(b)) })
	}
	return got, want
}

// EachOf sees every change of owners and structure, even one through a pointer from before the index was built.
func TestEachOfFollowsEveryWrite(t *testing.T) {
	w := newServer()
	r := w.Rand(ecs.Entity{})
	var es []ecs.Entity
	owner := func() components.Owner { return components.Owner{Client: uint32(r.IntN(5))} }
	some := func() ecs.Entity { return es[r.IntN(len(es))] }
	spawn := func() { es = append(es, ecs.Spawn(w, ownedPlace{Owner: owner()})) }
	var kept *components.Owner // good until structure changes
	ways := []func(){
		spawn, spawn, spawn,
		func() { es = append(es, w.Spawn(place{})) },
		func() {
			i := r.IntN(len(es))
			w.Despawn(es[i])
			es = slices.Delete(es, i, i+1)
		},
		func() { ecs.Add(w, some(), owner()) },
		func() { ecs.Remove[components.Owner](w, some()) },
		func() { ecs.Add(w, some(), flag{}) },
		func() { w.Shuffle(r.Uint64()) },
		func() { kept = ecs.Get[components.Owner](w, some()) },
		func() {
			if p := w.Netcode().Pointer(some(), w.Protocol().Replicated()[0]); p != nil {
				*(*components.Owner)(p) = owner()
			}
		},
		func() {
			for _, row := range ecs.Each[ownedRow](w) {
				if r.IntN(10) == 0 {
					*row.Owner = owner()
				}
			}
		},
		func() {
			for tab := range w.Netcode().Tables {
				if p := tab.Column(w.Protocol().Replicated()[0]); p != nil {
					*(*components.Owner)(p) = owner()
				}
			}
		},
	}
	for range 40 {
		spawn()
	}
	agree := func(step, way int) {
		t.Helper()
		for o := range uint32(6) {
			if got, want := ownedBy(w, o); !slices.Equal(got, want) {
				t.Fatalf("step %d, after way %d: owner %d has %v, want %v", step, way, o, got, want)
			}
		}
	}
	for step := range 1000 {
		way := r.IntN(len(ways))
		if len(es) < 5 {
			way = 0
		}
		kept = nil
		ways[way]()
		agree(step, way)
		if kept != nil {
			*kept = owner()
			agree(step, way)
		}
	}
}

// Rows whose owner changes during a walk are visited at most once. A nested walk that rebuilds the index does not disturb the
// outer one.
func TestOwnersChangeDuringAWalk(t *testing.T) {
	for _, hold := range []bool{false, true} {
		w := newServer()
		for i := range uint32(60) {
			ecs.Spawn(w, ownedPlace{Owner: components.Owner{Client: 1 + i%3}})
		}
		walk := ecs.EachOf[ownedRow](w, 1)
		if hold {
			w.Netcode().SkipOwner(2)
			walk = ecs.Each[ownedRow](w)
		}
		seen := map[ecs.Entity]int{}
		for e, r := range walk {
			seen[e]++
			r.Owner.Client = 1 + (r.Owner.Client+uint32(len(seen)))%3
			for range ecs.EachOf[placeRow](w, 2) {
				break
			}
			got, want := ownedBy(w, 1)
			equal(t, "walk inside", len(got), len(want))
		}
		for e, n := range seen {
			if n != 1 {
				t.Errorf("%v was visited %d times", e, n)
			}
		}
		if len(seen) < 10 {
			t.Errorf("only %d visited", len(seen))
		}
	}
}

// Owners 0 to 3 are interleaved in one table. No walk steps the owners that a scope excludes.
func TestScopeLeavesOwnersOut(t *testing.T) {
	for name, step := range map[string]func(w *ecs.World){
		"Each": walkOn,
		"EachInOrder": func(w *ecs.World) {
			for _, r := range ecs.EachInOrder[placeRow](w) {
				r.Place.X++
			}
		},
		"EachOf": func(w *ecs.World) {
			for o := range uint32(4) {
				for _, r := range ecs.EachOf[placeRow](w, o) {
					r.Place.X++
				}
			}
		},
	} {
		for _, order := range [][]uint32{{0, 1, 2, 3}, {3, 3, 1, 0, 0, 1, 2, 2}, {1, 2, 1, 2, 1, 3, 0, 1}, {2, 2, 2, 1, 3, 0}} {
			w := newServer(rule("step", step))
			n := map[uint32]int32{}
			for range 3 {
				for _, o := range order {
					n[o]++
					w.Spawn(place{}, components.Owner{Client: o})
				}
			}
			unowned := w.Spawn(place{})
			check := func(what string, run func(), moved ...uint32) {
				t.Helper()
				run()
				w.Netcode().SkipNobody()
				sums := map[uint32]int32{}
				for _, r := range ecs.Each[ownedRow](w) {
					sums[r.Owner.Client] += r.Place.X
					r.Place.X = 0
				}
				for o, sum := range sums {
					if want := map[bool]int32{true: n[o]}[slices.Contains(moved, o)]; sum != want {
						t.Errorf("%s, %v, %s: owner %d moved %d, want %d", name, order, what, o, sum, want)
					}
				}
				equal(t, "the unowned moved", at(w, unowned).X == 1, slices.Contains(moved, 0))
				ecs.Get[place](w, unowned).X = 0
			}
			held := func(owners ...uint32) func() {
				return func() {
					for _, o := range owners {
						w.Netcode().SkipOwner(o)
					}
					simulate(w)
				}
			}
			check("2 held", held(2, 2), 0, 1, 3)
			check("1 and 3 held", held(1, 3), 0, 2)
			check("nobody held", held(), 0, 1, 2, 3)
			check("the server cannot be held", held(0), 0, 1, 2, 3)
			check("only 1", func() { w.Netcode().SimulateOnly(1) }, 1)
			check("only 2, though held", func() { w.Netcode().SkipOwner(2); w.Netcode().SimulateOnly(2) }, 2)
			check("only a stranger", func() { w.Netcode().SimulateOnly(77) })
		}
	}
	refused(t, func() { newServer().Netcode().SimulateOnly(0) }, "client")
	client := newClient()
	replica(client, 7, 1, place{}, true)
	replica(client, 8, 1, place{}, false)
	equal(t, "on a client", length(ecs.EachOf[placeRow](client, 1)), 1)
}

// A scope within a walk or within another scope leaves the outer one unchanged, also after a panic.
func TestScopesNest(t *testing.T) {
	armed := false
	w := newServer(rule("move", walkOn), rule("arm", func(w *ecs.World) {
		if !armed {
			return
		}
		armed = false
		w.Netcode().SimulateOnly(2)
		for _, v := range ecs.Each[ownedRow](w) {
			equal(t, "owner in the outer scope", v.Owner.Client, 1)
		}
		panic("boom")
	}))
	for i := range uint32(6) {
		w.Spawn(place{}, components.Owner{Client: 1 + i%2})
	}
	rounds := 0
	for range ecs.Each[placeRow](w) {
		rounds++
		w.Netcode().SimulateOnly(2)
	}
	equal(t, "rounds", rounds, 6)
	for _, v := range ecs.Each[ownedRow](w) {
		equal(t, fmt.Sprint("steps of ", v.Owner.Client), v.Place.X, map[uint32]int32{2: 6}[v.Owner.Client])
	}
	armed = true
	refused(t, func() { w.Netcode().SimulateOnly(1) }, "boom")
	each, _ := count(w)
	equal(t, "rows after the panic", each, 6)
}
