package ecs_test

import (
	"testing"

	"github.com/tactusgo/tactus/ecs"
)

func TestSpawnIsDeferredAndItsHandleUsable(t *testing.T) {
	w := newServer()
	var e ecs.Entity
	system(w, func(w *ecs.World) {
		e = w.Spawn(place{1, 1}, hat{2})
		if each, all := count(w); each != 0 || all != 0 {
			t.Errorf("walks show %d and %d before the end of the stage", each, all)
		}
		if !w.Alive(e) || w.NetID(e) != 1 || ecs.Has[speed](w, e) {
			t.Error("the handle is not usable")
		}
		if got, ok := w.ByNetID(1); !ok || got != e {
			t.Error("ByNetID does not find it")
		}
		equal(t, "mask", w.Netcode().Mask(e), maskOf(ecs.ComponentOf[place](w.Protocol())))
		equal(t, "staged", at(w, e), place{1, 1})
		ecs.Get[place](w, e).X = 7
		ecs.Add(w, e, speed{3, 3})
		ecs.Get[speed](w, e).Y = 4
		ecs.Add(w, e, hat{8})
		ecs.Remove[hat](w, e)
		ecs.Remove[hat](w, e)
		ecs.Add(w, e, flag{})
	})
	equal(t, "place", at(w, e), place{7, 1})
	equal(t, "speed", *ecs.Get[speed](w, e), speed{3, 4})
	if ecs.Has[hat](w, e) || !ecs.Has[flag](w, e) {
		t.Error("hat or flag is wrong")
	}
	if each, all := count(w); each != 1 || all != 1 {
		t.Errorf("walks show %d and %d after it", each, all)
	}
}

func TestDespawnOfWhatIsBeingSpawned(t *testing.T) {
	w := newServer()
	var e, f ecs.Entity
	system(w, func(w *ecs.World) {
		e = w.Spawn(place{1, 1})
		w.Despawn(e)
		w.Despawn(e)
		if !w.Alive(e) {
			t.Error("dead before the end of the stage")
		}
		ecs.Add(w, e, hat{}) // void, but no mistake
		f = w.Spawn(place{2, 2})
	})
	if w.Alive(e) || e == f {
		t.Error("the cancelled entity came")
	}
	equal(t, "the other", at(w, f), place{2, 2})
	if _, ok := w.ByNetID(1); ok {
		t.Error("its NetID is still known")
	}
}

func TestDespawnIsDeferred(t *testing.T) {
	w := newServer()
	e := w.Spawn(place{1, 1})
	system(w, func(w *ecs.World) {
		w.Despawn(e)
		w.Despawn(e)
		ecs.Add(w, e, hat{1}) // dies before it comes
		ecs.Add(w, e, place{5, 5})
		ecs.Remove[place](w, e)
		if !w.Alive(e) || at(w, e) != (place{5, 5}) {
			t.Error("gone before the end of the stage")
		}
	})
	if w.Alive(e) {
		t.Error("alive after it")
	}
	// Its number serves again; what waited for the old one did not reach it.
	f := w.Spawn(place{2, 2})
	if ecs.Has[hat](w, f) {
		t.Error("the successor got the hat")
	}
}

func TestCommandsTakeEffectInOrder(t *testing.T) {
	type outcome struct {
		name string
		do   func(w *ecs.World, e ecs.Entity)
		want int // −1: no hat, else its feathers
	}
	for _, hatted := range []bool{false, true} {
		for _, c := range []outcome{
			{"add", func(w *ecs.World, e ecs.Entity) { ecs.Add(w, e, hat{1}) }, 1},
			{"add add", func(w *ecs.World, e ecs.Entity) { ecs.Add(w, e, hat{1}); ecs.Add(w, e, hat{2}) }, 2},
			{"add remove", func(w *ecs.World, e ecs.Entity) { ecs.Add(w, e, hat{1}); ecs.Remove[hat](w, e) }, -1},
			{"remove add", func(w *ecs.World, e ecs.Entity) { ecs.Remove[hat](w, e); ecs.Add(w, e, hat{1}) }, 1},
			{"remove add add", func(w *ecs.World, e ecs.Entity) {
				ecs.Remove[hat](w, e)
				ecs.Add(w, e, hat{1})
				ecs.Add(w, e, hat{3})
			}, 3},
			{"remove remove", func(w *ecs.World, e ecs.Entity) { ecs.Remove[hat](w, e); ecs.Remove[hat](w, e) }, -1},
			{"remove add remove", func(w *ecs.World, e ecs.Entity) {
				ecs.Remove[hat](w, e)
				ecs.Add(w, e, hat{1})
				ecs.Remove[hat](w, e)
			}, -1},
			{"others between", func(w *ecs.World, e ecs.Entity) {
				ecs.Add(w, e, hat{1})
				ecs.Add(w, e, flag{})
				ecs.Add(w, e, speed{})
				ecs.Remove[flag](w, e)
				ecs.Remove[hat](w, e)
			}, -1},
		} {
			w := newServer()
			e := w.Spawn(place{1, 2})
			if hatted {
				ecs.Add(w, e, hat{9})
			}
			system(w, func(w *ecs.World) {
				c.do(w, e)
				if !hatted && ecs.Has[hat](w, e) {
					t.Errorf("%s: the hat is there before the end of the stage", c.name)
				}
			})
			got := -1
			if h := ecs.Get[hat](w, e); h != nil {
				got = int(h.Feathers)
			}
			if got != c.want || at(w, e) != (place{1, 2}) {
				t.Errorf("%s, hat before: %v: got %d, want %d", c.name, hatted, got, c.want)
			}
		}
	}
}

// Storage holds 64 rows at first. Growing it inside a loop must not leave the
// loop with the old columns.
func TestSpawningInALoopLosesNoWrites(t *testing.T) {
	w := newServer()
	const n = 64
	for range n {
		w.Spawn(place{})
	}
	system(w, func(w *ecs.World) {
		for _, r := range ecs.Each[placeRow](w) {
			w.Spawn(place{100, 0})
			r.Place.X++
		}
	})
	ones, hundreds := 0, 0
	for _, v := range ecs.All[placeValue](w) {
		switch v.Place.X {
		case 1:
			ones++
		case 100:
			hundreds++
		}
	}
	if ones != n || hundreds != n {
		t.Errorf("%d written, %d spawned, want %d each", ones, hundreds, n)
	}
}

func TestAddingInALoopVisitsOnce(t *testing.T) {
	w := newServer()
	for range 100 {
		w.Spawn(place{})
	}
	visits := 0
	system(w, func(w *ecs.World) {
		for e, r := range ecs.Each[placeRow](w) {
			visits++
			r.Place.X++
			ecs.Add(w, e, flag{})
		}
	})
	equal(t, "visits", visits, 100)
	for e, v := range ecs.All[placeValue](w) {
		if v.Place.X != 1 || !ecs.Has[flag](w, e) {
			t.Fatalf("%v: %v", e, v)
		}
	}
}

func TestNestedStagesFlushTheirOwn(t *testing.T) {
	w := newServer()
	var outer, inner ecs.Entity
	nested := ecs.NewStage("inner", ecs.System{Name: "in", Run: func(w *ecs.World) {
		inner = w.Spawn(place{2, 2})
		ecs.Get[place](w, outer).Y = 5 // waits for the outer stage
	}})
	stage := ecs.NewStage("outer", ecs.System{Name: "before", Run: func(w *ecs.World) {
		outer = w.Spawn(place{1, 1})
	}}).Nest(nested).Add(ecs.System{Name: "after", Run: func(w *ecs.World) {
		if each, _ := count(w); each != 1 {
			t.Errorf("after the inner stage %d are there, want its own one", each)
		}
		equal(t, "inner", at(w, inner), place{2, 2})
		ecs.Add(w, outer, hat{1})
	}})
	stage.Run(w)
	equal(t, "outer", at(w, outer), place{1, 5})
	if each, _ := count(w); each != 2 || !ecs.Has[hat](w, outer) {
		t.Errorf("%d at the end", each)
	}
}

// A panic in a system ends the stage: what was asked for before it holds, and
// the world goes on.
func TestAPanicEndsTheStage(t *testing.T) {
	w := newServer()
	w.Spawn(place{1, 1})
	var e ecs.Entity
	refused(t, func() {
		system(w, func(w *ecs.World) {
			e = w.Spawn(place{2, 2})
			for range ecs.Each[placeRow](w) {
				for range ecs.EachInOrder[placeRow](w) {
					panic("boom")
				}
			}
		})
	}, "boom")
	equal(t, "spawned before it", at(w, e), place{2, 2})
	w.Despawn(e) // at once: no system runs
	if w.Alive(e) {
		t.Error("the world believes that a system runs")
	}
	if each, all := count(w); each != 1 || all != 1 {
		t.Errorf("walks show %d and %d", each, all)
	}
}
