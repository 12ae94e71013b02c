package histogram

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Shares of a histogram are those of the sorted durations, within a thirty-second or a microsecond.
func TestSharesAgreeWithSorting(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		h, other := new(Histogram[uint64]), new(Histogram[uint64])
		var all []time.Duration
		for range 1 + r.IntN(5000) {
			d := time.Duration(r.ExpFloat64() * float64(time.Millisecond) * float64(seed+1))
			all = append(all, d)
			if r.IntN(2) == 0 {
				h.Add(d)
			} else {
				other.Add(d)
			}
		}
		h.Merge(other)
		slices.Sort(all)
		for _, q := range []float64{0, 0.5, 0.99, 0.999} {
			want := all[int(q*float64(len(all)))]
			if got := h.Quantile(q); got < want-time.Microsecond || got > want+want/32+time.Microsecond {
				t.Errorf("seed %d: %v of %d is %v, want %v", seed, q, len(all), got, want)
			}
		}
		if h.Count() != uint64(len(all)) || h.Longest() != all[len(all)-1] {
			t.Errorf("seed %d: %d, the longest %v", seed, h.Count(), h.Longest())
		}
	}
	var none Histogram[uint32]
	if none.Quantile(0.5) != 0 || none.Longest() != 0 {
		t.Error("nothing has a share")
	}
	none.Add(-time.Second)
	none.Add(1 << 62)
	if none.Quantile(0) != 0 || none.Longest() != 1<<62 {
		t.Errorf("%v, %v", none.Quantile(0), none.Longest())
	}
}

// A window forgets a duration after 50 to 60 s. Its memory does not grow with the number of durations.
func TestWindowForgets(t *testing.T) {
	w := new(Window)
	w.Add(5*time.Second, time.Second)
	for s := range 100 {
		at := 5*time.Second + time.Duration(s)*time.Second
		w.Add(at, time.Millisecond)
		switch most := w.Read().Longest(); {
		case s < 50 && most != time.Second:
			t.Fatalf("forgotten after %d s", s)
		case s >= 60 && most != time.Millisecond:
			t.Fatalf("there after %d s", s)
		}
	}
	if n := w.Read().Count(); n < 50 || n > 60 {
		t.Errorf("%d of a minute", n)
	}
	at := time.Duration(1 << 60)
	if w.Add(at, time.Second); w.Read().Count() != 1 {
		t.Errorf("%d of long ago", w.Read().Count())
	}
	if n := testing.AllocsPerRun(1000, func() { at += time.Second; w.Add(at, time.Second); w.Read() }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
