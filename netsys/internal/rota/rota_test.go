package rota

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

type thing struct {
	name, at int
	due      time.Duration
}

func (t *thing) Placed(at int) { t.at = at }
func (t *thing) Touch() byte   { return byte(t.at) }

// Whatever is added, removed and woken: those are visited whose time has come, in their order, and no others.
func TestRotaAgainstList(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var r Rota[*thing]
		var list []*thing
		for step := range 500 {
			at := time.Duration(step)
			switch n := rng.IntN(4); {
			case n == 0 || len(list) == 0:
				x := &thing{name: step}
				r.Add(x)
				list = append(list, x)
			case n == 1 && rng.IntN(2) == 0:
				i := rng.IntN(len(list))
				gone := list[i]
				r.Remove(i)
				if list = slices.Delete(list, i, i+1); gone.at != -1 {
					t.Fatalf("seed %d: what is gone is at %d", seed, gone.at)
				}
				r.Wake(gone.at)
			case n == 2:
				x := list[rng.IntN(len(list))]
				r.Wake(x.at)
				x.due = 0
			}
			var want, got []int
			for i, x := range list {
				if x.at != i {
					t.Fatalf("seed %d: the thing at %d says %d", seed, i, x.at)
				}
				if at >= x.due {
					want = append(want, x.name)
				}
			}
			r.Due(at, func(x *thing) time.Duration {
				got = append(got, x.name)
				if rng.IntN(3) == 0 {
					return -1
				}
				x.due = at + time.Duration(rng.IntN(20))
				return x.due
			})
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, step %d: visited %v, want %v", seed, step, got, want)
			}
		}
	}
}
