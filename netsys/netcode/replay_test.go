package netcode

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The window against its definition, with all that was ever received remembered.
func TestReplayWindow(t *testing.T) {
	for _, base := range []uint64{0, 1000, 1<<16 - 300, 1<<63 - 500, math.MaxUint64 - 3000} {
		rng := rand.New(rand.NewPCG(1, base))
		var w window
		received := map[uint64]bool{}
		most := uint64(0)
		for n := range 20000 {
			at := base + uint64(n)/8
			sequence := at - min(at, uint64(rng.IntN(300))) + uint64(rng.IntN(4))
			if rng.IntN(500) == 0 {
				sequence += uint64(rng.IntN(400))
			}
			if sequence < base && base > 1<<60 {
				continue // the test's own arithmetic went round
			}
			want := DropNone
			if most >= windowSize && sequence <= most-windowSize {
				want = DropStale
			} else if received[sequence] {
				want = DropReplay
			}
			if got := w.check(sequence); got != want {
				t.Fatalf("base %d: %d after %d: %v, want %v", base, sequence, most, got, want)
			}
			if want == DropNone && rng.IntN(10) != 0 {
				w.advance(sequence)
				received[sequence] = true
				most = max(most, sequence)
			}
		}
	}
}

func TestReplayWindowAtTheEnd(t *testing.T) {
	var w window
	for back := uint64(255); back > 0; back-- {
		sequence := math.MaxUint64 - back
		if drop := w.check(sequence); drop != DropNone {
			t.Fatalf("%d before the end: %v", back, drop)
		}
		w.advance(sequence)
	}
	if drop := w.check(math.MaxUint64); drop != DropNone {
		t.Fatalf("the last: %v", drop)
	}
	w.advance(math.MaxUint64)
	for back, want := range map[uint64]DropReason{0: DropReplay, 255: DropReplay, 256: DropStale, math.MaxUint64: DropStale} {
		if drop := w.check(math.MaxUint64 - back); drop != want {
			t.Errorf("%d before the end: %v, want %v", back, drop, want)
		}
	}
}
