package order

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBy(t *testing.T) {
	type thing struct {
		key  uint8
		name int
	}
	r := rand.New(rand.NewPCG(1, 2))
	var x Scratch
	for range 1000 {
		s := make([]thing, r.IntN(40))
		for i := range s {
			s[i] = thing{uint8(r.IntN(1 + r.IntN(60))), i}
		}
		want := slices.Clone(s)
		slices.SortStableFunc(want, func(a, b thing) int { return cmp.Compare(a.key, b.key) })
		if By(&x, s, func(a *thing) uint64 { return uint64(a.key) }); !slices.Equal(s, want) {
			t.Fatalf("%v, want %v", s, want)
		}
	}
	s := make([]thing, 30)
	if n := testing.AllocsPerRun(100, func() {
		for i := range s {
			s[i].key = uint8(i * 7)
		}
		By(&x, s, func(a *thing) uint64 { return uint64(a.key) })
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
