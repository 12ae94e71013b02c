package ecs_test

import (
	"runtime/debug"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
)

type stressed struct {
	Place place
	Odd   odd
}

// Storage moves components as bytes behind the collector's back. With the
// collector at work all the time and entities on the move between archetypes, at
// once in one round and at the end of a stage in the next,
// every value must stay what it is.
func TestCollectorAndMoves(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	w := newServer()
	h := ecs.NewHistory(w, 16)
	n, rounds := 4000, 30
	if testing.Short() || race.Enabled {
		n, rounds = 800, 10
	}
	type known struct {
		e    ecs.Entity
		hat  int // −1: none
		made int32
	}
	var all []known
	for i := range n {
		all = append(all, known{w.Spawn(place{int32(i), 0}, odd{1, uint64(i), 2}), -1, 0})
	}
	r := w.Rand(ecs.Entity{})
	var garbage [][]byte
	for round := range int32(rounds) {
		garbage = garbage[:0]
		churn := func(w *ecs.World) {
			for range n {
				i := r.IntN(n)
				k := &all[i]
				switch r.IntN(5) {
				case 0:
					ecs.Add(w, k.e, hat{uint16(round)})
					k.hat = int(round)
				case 1:
					ecs.Remove[hat](w, k.e)
					k.hat = -1
				case 2:
					ecs.Add(w, k.e, flag{})
				case 3:
					ecs.Remove[flag](w, k.e)
				case 4:
					w.Despawn(k.e)
					e := ecs.Spawn(w, stressed{place{int32(i), round}, odd{1, uint64(i), 2}})
					*k = known{e, -1, round}
				}
				garbage = append(garbage, make([]byte, 256))
			}
		}
		if round%2 == 0 {
			system(w, churn)
		} else {
			churn(w)
		}
		h.Capture(uint32(round))
		for i, k := range all {
			if at(w, k.e) != (place{int32(i), k.made}) || *ecs.Get[odd](w, k.e) != (odd{1, uint64(i), 2}) {
				t.Fatalf("round %d: entity %d holds %v and %v", round, i, at(w, k.e), ecs.Get[odd](w, k.e))
			}
			if p := ecs.Get[hat](w, k.e); (p != nil) != (k.hat >= 0) || p != nil && int(p.Feathers) != k.hat {
				t.Fatalf("round %d: hat of entity %d is %v, want %d", round, i, p, k.hat)
			}
		}
		visits := 0
		for e, row := range ecs.Each[struct {
			Place *place
			Odd   *odd
		}](w) {
			visits++
			if uint64(row.Place.X) != row.Odd.B || all[row.Place.X].e != e {
				t.Fatalf("round %d: the row of %v holds %v and %v", round, e, *row.Place, *row.Odd)
			}
		}
		equal(t, "rows", visits, n)
		h.Restore(uint32(round))
	}
}
