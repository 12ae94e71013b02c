package ecs_test

import (
	"runtime/debug"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
)

// Storage moves components as bytes, which the garbage collector does not see. The collector runs all the time, and entities
// change archetypes, in one round immediately and in the next at the end of a stage. Every value is unchanged.
func TestCollectorAndMoves(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	type stressed struct {
		Place place
		Odd   odd
	}
	type stressedRow struct {
		Place *place
		Odd   *odd
	}
	w := newServer()
	h := ecs.NewHistory(w, 16)
	n, rounds := 4000, uint32(20)
	if testing.Short() || race.Enabled {
		n, rounds = 800, 10
	}
	all, want := make([]ecs.Entity, n), make([]image, n)
	spawn := func(i int, round uint32) {
		s := stressed{place{int32(i), int32(round)}, odd{1, uint64(i), 2}}
		all[i], want[i] = ecs.Spawn(w, s), image{place: s.Place, odd: s.Odd}
	}
	for i := range n {
		spawn(i, 0)
	}
	r := w.Rand(ecs.Entity{})
	var garbage [][]byte
	for round := range rounds {
		garbage = garbage[:0]
		churn := func(w *ecs.World) {
			for range n {
				i := r.IntN(n)
				switch r.IntN(5) {
				case 0:
					want[i].hat = hat{uint16(round)}
					ecs.Add(w, all[i], want[i].hat)
				case 1:
					ecs.Remove[hat](w, all[i])
					want[i].hat = hat{}
				case 2:
					ecs.Add(w, all[i], flag{})
				case 3:
					ecs.Remove[flag](w, all[i])
				case 4:
					w.Despawn(all[i])
					spawn(i, round)
				}
				garbage = append(garbage, make([]byte, 256))
			}
		}
		if round%2 == 0 {
			system(w, churn)
		} else {
			churn(w)
		}
		h.Capture(round)
		for i, e := range all {
			if got := imageOf(w, e); got != want[i] {
				t.Fatalf("round %d: entity %d holds %+v, want %+v", round, i, got, want[i])
			}
		}
		for e, row := range ecs.Each[stressedRow](w) {
			if uint64(row.Place.X) != row.Odd.B || all[row.Place.X] != e {
				t.Fatalf("round %d: the row of %v holds %v and %v", round, e, *row.Place, *row.Odd)
			}
		}
		equal(t, "rows", length(ecs.Each[stressedRow](w)), n)
		h.Restore(round)
	}
}
