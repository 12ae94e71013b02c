package roll

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type member struct{ first, second int }

// A roll is the slice of which one deletes, for members of two rolls too.
func TestRollIsASliceOfWhichOneDeletes(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		a, b := New(func(m *member) *int { return &m.first }), New(func(m *member) *int { return &m.second })
		var wantA, wantB []*member
		for step := range 2000 {
			switch r.IntN(5) {
			case 0, 1:
				m := new(member)
				a.Add(m)
				wantA = append(wantA, m)
				if r.IntN(2) == 0 {
					b.Add(m)
					wantB = append(wantB, m)
				}
			case 2, 3:
				if len(wantA) == 0 {
					continue
				}
				m := wantA[r.IntN(len(wantA))]
				if !a.Remove(m) || a.Remove(m) {
					t.Fatalf("seed %d, step %d: it is not on the list, or still is", seed, step)
				}
				if in := slices.Contains(wantB, m); b.Remove(m) != in {
					t.Fatalf("seed %d, step %d: on the other list: %v", seed, step, in)
				}
				is := func(x *member) bool { return x == m }
				wantA, wantB = slices.DeleteFunc(wantA, is), slices.DeleteFunc(wantB, is)
			default:
				if !slices.Equal(a.All(), wantA) || !slices.Equal(b.All(), wantB) {
					t.Fatalf("seed %d, step %d: %v and %v, want %v and %v", seed, step, a.All(), b.All(), wantA, wantB)
				}
			}
			if a.Len() != len(wantA) || b.Len() != len(wantB) {
				t.Fatalf("seed %d, step %d: %d and %d, want %d and %d", seed, step, a.Len(), b.Len(), len(wantA), len(wantB))
			}
		}
		if len(a.list) > len(wantA)+2000 || a.Remove(new(member)) {
			t.Errorf("seed %d: a stranger was on the list", seed)
		}
	}
}
