package window

import (
	"math/rand/v2"
	"testing"
)

// entry is a packet of the tests: its full number, where 0 is none, and whether the window keeps it.
type entry struct {
	number int
	keep   bool
}

func kept(x *entry) bool { return x.keep }

// A window finds what a complete list finds, over many wraps and with any gaps, kept entries and ring sizes: kept entries as
// long as the window, others as long as the ring.
func TestWindowAgainstModel(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		most := 1 + r.IntN(1200)
		w := New(most, kept)
		all := map[int]*entry{}
		end, room, low := 0, least, 0 // what is not kept is gone below low
		for range 30_000 {
			switch r.IntN(200) {
			case 0:
				end += r.IntN(3 * most)
			case 1:
				end += r.IntN(1 << 16)
			case 2:
				room = max(room, min(r.IntN(2*most), most))
				w.Room(room)
			case 3:
				if need := 1 + r.IntN(most); len(w.ring) > usual && 4*need <= len(w.ring) {
					room = min(room, max(need, usual))
					w.Fit(need)
				} else {
					n := len(w.ring)
					if w.Fit(need); len(w.ring) != n {
						t.Fatalf("seed %d: a ring of %d for %d became one of %d", seed, n, need, len(w.ring))
					}
				}
				low = max(low, end-max(room, least))
			}
			seq := end
			if end > 0 && r.IntN(10) == 0 {
				seq-- // the newest begins anew
			}
			end = seq + 1
			low = max(low, end-room)
			*w.Open(uint16(seq)) = entry{seq + 1, r.IntN(4) == 0}
			all[seq] = &entry{seq + 1, w.Find(uint16(seq)).keep}
			delete(all, seq-1<<16)

			back := r.IntN(most + 10)
			got, want := w.Find(uint16(seq-back)), all[seq-back]
			switch {
			case back >= most:
				if got != nil {
					t.Fatalf("seed %d: %d back is found in a window of %d", seed, back, most)
				}
			case want != nil && (want.keep || seq-back >= low):
				if got == nil || *got != *want {
					t.Fatalf("seed %d: %d back is %v, want %v", seed, back, got, *want)
				}
			case got != nil && *got != (entry{}) && (want == nil || *got != *want):
				t.Fatalf("seed %d: %d back is %v, want %v", seed, back, *got, want)
			}
			if r.IntN(100) == 0 {
				oldest := 0
				for back := most - 1; back >= 0 && oldest == 0; back-- {
					if x := all[seq-back]; x != nil && x.keep {
						oldest = x.number
					}
				}
				if got := w.Oldest(kept); (got == nil) != (oldest == 0) || got != nil && got.number != oldest {
					t.Fatalf("seed %d: the oldest is %v, want %d", seed, got, oldest)
				}
			}
		}
	}
}

// Kept entries take at most twice the memory of the window, and the ring no more than was requested. When both have grown,
// nothing allocates.
func TestWindowIsBounded(t *testing.T) {
	const most = 1024
	w, seq := New(most, kept), uint16(0)
	next := func() {
		*w.Open(seq) = entry{1, true}
		seq++
	}
	for range 5 * most {
		next()
	}
	if len(w.ring) != least || cap(w.kept) > 2*most+least {
		t.Errorf("a ring of %d and a list of %d", len(w.ring), cap(w.kept))
	}
	w.Room(1 << 20)
	if len(w.ring) != most {
		t.Errorf("a ring of %d", len(w.ring))
	}
	for range 5 * most {
		next()
	}
	if n := testing.AllocsPerRun(5*most, next); n > 0 {
		t.Errorf("%v allocations a packet", n)
	}
	w = New(most, kept)
	lost := func() {
		*w.Open(seq) = entry{1, seq%7 == 0}
		seq++
	}
	for range 5 * most {
		lost()
	}
	if n := testing.AllocsPerRun(5*most, lost); n > 0 || cap(w.kept) > most/2 {
		t.Errorf("%v allocations a packet, a list of %d", n, cap(w.kept))
	}
}

// After an outage the additional memory is released.
func TestWindowGivesBack(t *testing.T) {
	w := New(1024, kept)
	w.Room(1024)
	for seq := range uint16(5000) {
		*w.Open(seq) = entry{1, seq < 2000}
	}
	if w.Fit(10); len(w.ring) != usual || cap(w.kept) > usual {
		t.Errorf("a ring of %d and a list of %d", len(w.ring), cap(w.kept))
	}
	w = New(1024, kept)
	for seq := range uint16(5000) {
		if *w.Open(seq) = (entry{1, seq < 2000}); seq == 2000 && len(w.kept) < 1000 {
			t.Errorf("a list of %d", len(w.kept))
		}
	}
	if len(w.ring) != least || cap(w.kept) > usual {
		t.Errorf("a ring of %d and a list of %d", len(w.ring), cap(w.kept))
	}
}
