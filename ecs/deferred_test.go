package ecs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
)

// Spawns, despawns and changes of components in a system take effect at the end of the stage. The handle and the values of a
// spawn can be used at once.
func TestDecision8_ChangesWaitForTheEndOfTheStage(t *testing.T) {
	var made, doomed, naked, dressed, cancelled ecs.Entity
	shape := func(w *ecs.World) string {
		each, all := count(w)
		var s []string
		for _, e := range []ecs.Entity{doomed, naked, dressed} {
			switch {
			case !w.Alive(e):
				s = append(s, "dead")
			case ecs.Has[hat](w, e):
				s = append(s, "hat")
			default:
				s = append(s, "plain")
			}
		}
		return fmt.Sprint(strings.Join(s, " "), " of ", each, " and ", all)
	}
	var during []string
	w := newServer(rule("f", func(w *ecs.World) {
		walked := 0
		for e, r := range ecs.Each[placeRow](w) { // changes do not disturb the walk
			walked++
			switch e {
			case doomed:
				w.Despawn(e)
				w.Despawn(e)
				ecs.Add(w, e, speed{}) // dies before it comes
				ecs.Add(w, e, place{5, 5})
				ecs.Remove[place](w, e)
				equal(t, "the doomed", at(w, e), place{5, 5})
			case naked:
				ecs.Add(w, e, hat{Feathers: 2})
				ecs.Remove[hat](w, e)
				ecs.Add(w, e, hat{Feathers: 3})
			case dressed:
				ecs.Remove[hat](w, e)
			}
			r.Place.X++
			if walked == 1 {
				made = w.Spawn(place{X: 40}, hat{Feathers: 1})
				equal(t, "mask", w.Netcode().Mask(made), maskOf(ecs.ComponentOf[place](w.Protocol())))
				ecs.Get[place](w, made).X = 41
				ecs.Add(w, made, speed{Y: 4})
				ecs.Get[speed](w, made).Y = 5
				ecs.Remove[hat](w, made)
				ecs.Remove[hat](w, made)
				cancelled = w.Spawn(place{})
				w.Despawn(cancelled)
				w.Despawn(cancelled)
				ecs.Add(w, cancelled, hat{}) // void, but no mistake
				equal(t, "alive before the end of the stage", w.Alive(cancelled), true)
			}
			during = append(during, shape(w))
		}
		equal(t, "rows walked", walked, 3)
		found, _ := w.ByNetID(4)
		if !w.Alive(made) || found != made || at(w, made).X != 41 || ecs.Get[speed](w, made) == nil || ecs.Has[flag](w, made) {
			t.Errorf("the handle of what is spawned is not usable: place %v", at(w, made))
		}
	}))
	doomed, naked, dressed = w.Spawn(place{}), w.Spawn(place{}), w.Spawn(place{}, hat{})
	before := shape(w)
	simulate(w)
	for _, s := range during {
		equal(t, "during the stage", s, before)
	}
	equal(t, "before the stage", before, "plain plain hat of 3 and 3")
	equal(t, "after the stage", shape(w), "dead hat plain of 3 and 3")
	equal(t, "what was spawned", imageOf(w, made), image{place: place{X: 41}, speed: speed{Y: 5}})
	_, known := w.ByNetID(5)
	equal(t, "cancelled, but there or known", w.Alive(cancelled) || known, false)
	equal(t, "what was given", *ecs.Get[hat](w, naked), hat{Feathers: 3})
	equal(t, "what comes next has a speed", ecs.Has[speed](w, w.Spawn(hat{})), false) // under the number of the doomed
}

// One world and stage after the other: nothing of one waits in the next.
func TestCommandsTakeEffectInOrder(t *testing.T) {
	w := newServer()
	e := w.Spawn(place{1, 2})
	for _, hatted := range []bool{false, true} {
		for did, want := range map[string]int{ // −1: no hat, else its feathers
			"1": 1, "12": 2, "1-": -1, "-1": 1, "-13": 3, "--": -1, "-1-": -1, "1fs'-": -1,
		} {
			ecs.Remove[hat](w, e)
			if hatted {
				ecs.Add(w, e, hat{9})
			}
			system(w, func(w *ecs.World) {
				for _, c := range did {
					switch c {
					case '-':
						ecs.Remove[hat](w, e)
					case 'f':
						ecs.Add(w, e, flag{})
					case 's':
						ecs.Add(w, e, speed{})
					case '\'':
						ecs.Remove[flag](w, e)
					default:
						ecs.Add(w, e, hat{uint16(c - '0')})
					}
				}
				if !hatted && ecs.Has[hat](w, e) {
					t.Errorf("%s: the hat is there before the end of the stage", did)
				}
			})
			got := -1
			if h := ecs.Get[hat](w, e); h != nil {
				got = int(h.Feathers)
			}
			if got != want || at(w, e) != (place{1, 2}) || ecs.Has[flag](w, e) {
				t.Errorf("%s, hat before: %v: got %d, want %d", did, hatted, got, want)
			}
		}
	}
}

// Components can be added to a waiting spawn, or removed from it, whichever form of Spawn made it.
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
		names := [...]string{"health", "place", "flag", "odd", "cooldown", "hat"}
		for e, want := range map[ecs.Entity]string{
			first: "place flag odd cooldown", last: "health place flag odd", middle: "health place flag cooldown hat", all: "place", plain: "health place flag odd cooldown",
		} {
			var got []string
			for i, has := range []bool{ecs.Has[health](w, e), ecs.Has[place](w, e), ecs.Has[flag](w, e), ecs.Has[odd](w, e), ecs.Has[cooldown](w, e), ecs.Has[hat](w, e)} {
				if has {
					got = append(got, names[i])
				}
			}
			equal(t, name, strings.Join(got, " "), want)
		}
		equal(t, name+": place", at(w, all), place{3, 4})
		equal(t, name+": place", at(w, middle), place{1, 2})
	}
}

// Storage holds 64 rows at first. Growing it inside a loop, or moving rows, must not
// leave the loop with the old columns, and visits each row once.
func TestChangesInALoopLoseNoWrites(t *testing.T) {
	w := newServer()
	const n = 64
	for range n {
		w.Spawn(place{})
	}
	visits := 0
	system(w, func(w *ecs.World) {
		for e, r := range ecs.Each[placeRow](w) {
			visits++
			w.Spawn(place{100, 0})
			r.Place.X++
			ecs.Add(w, e, flag{})
		}
	})
	equal(t, "visits", visits, n)
	seen := map[int32]int{}
	for e, v := range ecs.All[placeValue](w) {
		seen[v.Place.X]++
		equal(t, "flag", ecs.Has[flag](w, e), v.Place.X == 1)
	}
	equal(t, "written and spawned", fmt.Sprint(seen), fmt.Sprintf("map[1:%d 100:%d]", n, n))
}

// The changes of a nested stage take effect at its end, before those of the outer stage. It may amend spawns of the outer
// stage without resetting their values. If an entity dies in it, the waiting changes of that entity are dropped, even if
// another one gets its number.
func TestNestedStagesFlushTheirOwn(t *testing.T) {
	w := newServer()
	var outer, inner ecs.Entity
	doomed, lived := w.Spawn(hat{7}), w.Spawn(hat{8})
	nested := ecs.NewStage("inner", ecs.System{Name: "in", Run: func(w *ecs.World) {
		inner = ecs.Spawn(w, ownedPlace{Place: place{2, 2}})
		ecs.Get[place](w, outer).Y = 5 // waits for the outer stage
		ecs.Add(w, outer, odd{1, 2, 3})
		w.Despawn(doomed)
		ecs.Add(w, lived, speed{2, 2})
	}})
	ecs.NewStage("outer", ecs.System{Name: "before", Run: func(w *ecs.World) {
		outer = ecs.Spawn(w, ownedPlace{Place: place{1, 1}})
		ecs.Add(w, doomed, cooldown{1})
		ecs.Remove[hat](w, lived)
	}}).Nest(nested).Nest(nested).Add(ecs.System{Name: "after", Run: func(w *ecs.World) {
		each, _ := count(w)
		equal(t, "rows after the inner stages, their own ones", each, 2)
		equal(t, "inner", at(w, inner), place{2, 2})
		equal(t, "what the outer stage takes is there", ecs.Has[hat](w, lived), true)
		ecs.Add(w, outer, hat{1})
		for range 50 {
			ecs.Spawn(w, spawned{Odd: odd{9, 9, 9}})
		}
	}}).Run(w)
	equal(t, "outer", imageOf(w, outer), image{place: place{1, 5}, odd: odd{1, 2, 3}, hat: hat{1}})
	equal(t, "inner's and outer's", imageOf(w, lived), image{speed: speed{2, 2}})
	number := func(e ecs.Entity) string { return strings.Split(e.String(), ".")[0] }
	equal(t, "the second of inner's has the number of the doomed", number(inner), number(doomed))
	if ecs.Has[cooldown](w, inner) || w.Alive(doomed) {
		t.Error("the dead handle names its heir")
	}
	_, all := count(w)
	equal(t, "entities", all, 53)
}

// A panic in a system ends the stage. Earlier changes take effect, and the world remains usable.
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
