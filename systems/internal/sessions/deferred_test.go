package sessions

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Deferred work runs client by client, whichever workers deferred it, and the lists are empty afterwards.
func TestLaterIsTheSameForEveryWorker(t *testing.T) {
	var want []string
	for workers := 1; workers <= 4; workers++ {
		r, which := rand.New(rand.NewPCG(5, 1)), rand.New(rand.NewPCG(uint64(workers), 2))
		l, nth := NewDeferred[int](workers), make([]int, 7)
		var got []string
		for round := range 3 {
			clear(nth)
			for range 100 {
				place := r.IntN(len(nth))
				l.Add(which.IntN(workers), place, nth[place], round, fmt.Append(nil, place, nth[place]))
				nth[place]++
			}
			l.Run(func(is int, bytes []byte) { got = append(got, fmt.Sprint(is, string(bytes))) })
			l.Run(func(int, []byte) { t.Error("it is done twice") })
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) || len(got) != 300 {
			t.Errorf("%d workers: %d of 300 are done, or in another order", workers, len(got))
		}
	}
	for i := range want[1:99] {
		if want[i] > want[i+1] && len(want[i]) == len(want[i+1]) {
			t.Errorf("%s stands before %s", want[i], want[i+1])
		}
	}
}
