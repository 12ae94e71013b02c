package ecs_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

type ownedRow struct {
	Owner *components.Owner
	Place *place
}

// ownedBy lists what EachOf yields, and what a look at every owner finds.
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
	return got, want
}

// Whatever changes owners or structure, and by whatever way, the next walk over
// one owner's entities sees it.
func TestEachOfFollowsEveryWrite(t *testing.T) {
	w := newServer()
	r := w.Rand(ecs.Entity{})
	var es []ecs.Entity
	owner := func() components.Owner { return components.Owner{Client: uint32(r.IntN(5))} }
	ways := map[string]func(){
		"Spawn":      func() { es = append(es, ecs.Spawn(w, ownedPlace{Owner: owner()})) },
		"SpawnPlain": func() { es = append(es, w.Spawn(place{})) },
		"Despawn": func() {
			i := r.IntN(len(es))
			w.Despawn(es[i])
			es = slices.Delete(es, i, i+1)
		},
		"Get": func() {
			if o := ecs.Get[components.Owner](w, es[r.IntN(len(es))]); o != nil {
				*o = owner()
			}
		},
		"Add":    func() { ecs.Add(w, es[r.IntN(len(es))], owner()) },
		"Remove": func() { ecs.Remove[components.Owner](w, es[r.IntN(len(es))]) },
		"Pointer": func() {
			if p := w.Netcode().Pointer(es[r.IntN(len(es))], w.Protocol().Replicated()[0]); p != nil {
				*(*components.Owner)(p) = owner()
			}
		},
		"Each": func() {
			for _, row := range ecs.Each[ownedRow](w) {
				if r.IntN(10) == 0 {
					*row.Owner = owner()
				}
			}
		},
		"Chunks": func() {
			for c := range ecs.Chunks[struct{ Owner []components.Owner }](w) {
				c.Owner[r.IntN(len(c.Owner))] = owner()
			}
		},
		"Tables": func() {
			for tab := range w.Netcode().Tables {
				if p := tab.Column(w.Protocol().Replicated()[0]); p != nil {
					*(*components.Owner)(p) = owner()
				}
			}
		},
		"move":    func() { ecs.Add(w, es[r.IntN(len(es))], flag{}) },
		"Shuffle": func() { w.Shuffle(r.Uint64()) },
	}
	names := []string{"Spawn", "Spawn", "Spawn", "SpawnPlain", "Despawn", "Get", "Add", "Remove", "Pointer", "Each", "Chunks", "Tables", "move", "Shuffle"}
	for range 40 {
		ways["Spawn"]()
	}
	for step := range 2000 {
		name := names[r.IntN(len(names))]
		if len(es) < 5 {
			name = "Spawn"
		}
		ways[name]()
		for o := range uint32(6) {
			got, want := ownedBy(w, o)
			byID := func(a, b ecs.Entity) int { return cmp.Compare(w.NetID(a), w.NetID(b)) }
			slices.SortFunc(got, byID)
			slices.SortFunc(want, byID)
			if !slices.Equal(got, want) {
				t.Fatalf("step %d, after %s: owner %d has %v, want %v", step, name, o, got, want)
			}
		}
	}
}

// A pointer from before the index was made is still good, and seen.
func TestEachOfSeesAKeptPointer(t *testing.T) {
	w := newServer()
	e := ecs.Spawn(w, ownedPlace{Owner: components.Owner{Client: 1}})
	o := ecs.Get[components.Owner](w, e)
	for _, client := range []uint32{2, 1, 0, 3} {
		o.Client = client
		for c := range uint32(4) {
			got, _ := ownedBy(w, c)
			equal(t, fmt.Sprintf("of %d, owned by %d", c, client), len(got), map[bool]int{true: 1}[c == client])
		}
	}
}

// Rows that change owner under a walk are visited at most once, and a walk
// inside that makes the index anew does not confuse the one around it.
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
			inner := 0
			for range ecs.EachOf[placeRow](w, 1) {
				inner++
			}
			_, want := ownedBy(w, 1)
			equal(t, "walk inside", inner, len(want))
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

func TestEachOfKeepsTheScope(t *testing.T) {
	var visits map[uint32]int
	w := simulated(false, func(w *ecs.World) {
		visits = map[uint32]int{}
		for o := range uint32(4) {
			for range ecs.EachOf[placeRow](w, o) {
				visits[o]++
			}
		}
	})
	for i := range uint32(8) {
		ecs.Spawn(w, ownedPlace{Owner: components.Owner{Client: i % 4}})
	}
	w.Spawn(place{})
	check := func(what string, want ...int) {
		t.Helper()
		for o, n := range want {
			equal(t, fmt.Sprintf("%s: owner %d", what, o), visits[uint32(o)], n)
		}
	}
	w.Netcode().SimulateStage().Run(w)
	check("all", 3, 2, 2, 2)
	w.Netcode().SkipOwner(2)
	w.Netcode().SimulateStage().Run(w)
	check("2 held", 3, 2, 0, 2)
	w.Netcode().SimulateOnly(2)
	check("only 2", 0, 0, 2, 0)
	w.Netcode().SkipNobody()
	client := newClient()
	replica(client, 7, 1, place{}, true)
	replica(client, 8, 1, place{}, false)
	n := 0
	for range ecs.EachOf[placeRow](client, 1) {
		n++
	}
	equal(t, "on a client", n, 1)
}

// ownedWorld has 10,000 entities of 100 owners, in long runs or in short.
func ownedWorld(n, owners int, interleaved bool) *ecs.World {
	p := kitProtocol()
	p.Simulate("move", func(w *ecs.World) {
		for _, r := range ecs.Each[placeRow](w) {
			r.Place.X++
		}
	})
	w := ecs.NewWorld(p, ecs.Config{})
	for i := range n {
		o := i * owners / n
		if interleaved {
			o = i % owners
		}
		ecs.Spawn(w, ownedPlace{Owner: components.Owner{Client: uint32(1 + o)}})
	}
	return w
}

func BenchmarkOneOwner(b *testing.B) {
	const n, owners = 10_000, 100
	for _, interleaved := range []bool{false, true} {
		w := ownedWorld(n, owners, interleaved)
		name := fmt.Sprintf("interleaved=%v/", interleaved)
		b.Run(name+"EachOf", func(b *testing.B) {
			for b.Loop() {
				for _, r := range ecs.EachOf[placeRow](w, 50) {
					r.Place.X++
				}
			}
		})
		b.Run(name+"SimulateOnly", func(b *testing.B) {
			for b.Loop() {
				w.Netcode().SimulateOnly(50)
			}
		})
		b.Run(name+"OneHeld", func(b *testing.B) {
			w.Netcode().SkipOwner(50)
			for b.Loop() {
				w.Netcode().SimulateStage().Run(w)
			}
			w.Netcode().SkipNobody()
		})
		b.Run(name+"All", func(b *testing.B) {
			for b.Loop() {
				w.Netcode().SimulateStage().Run(w)
			}
		})
		b.Run(name+"AfterASpawn", func(b *testing.B) {
			for b.Loop() {
				w.Despawn(ecs.Spawn(w, ownedPlace{Owner: components.Owner{Client: 3}}))
				w.Netcode().SimulateOnly(50)
			}
		})
	}
}
