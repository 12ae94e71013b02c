package netsys

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec"
)

// The history agrees with a plain set of everything ever received, over wraps, gaps and jumps of any size.
func TestReceivedPacketsAgainstModel(t *testing.T) {
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 0))
		h := newReceivedPackets(new(sequenceGaps))
		seen := make(map[int]bool) // by full number
		newest := -1
		for step := range 20_000 {
			at := time.Duration(step) * time.Millisecond
			var full int
			switch random.IntN(100) {
			case 0:
				full = newest + 1 + random.IntN(1200)
			case 1:
				full = newest + 1 + random.IntN(30_000)
			case 2, 3:
				full = max(0, newest-random.IntN(1000))
			default:
				full = max(0, newest-8+random.IntN(20))
			}
			got, drop := h.add(uint16(full), at)
			want := DropNone
			switch {
			case newest-full >= receiveWindow:
				want = DropStale
			case seen[full]:
				want = DropDuplicate
			}
			if drop != want || drop == DropNone && got != (full > newest) {
				t.Fatalf("seed %d: %d after %d: newest %v, %v; want %v", seed, full, newest, got, drop, want)
			}
			if drop == DropNone {
				seen[full] = true
				newest = max(newest, full)
			}
			if h.newest != uint16(newest) {
				t.Fatalf("newest %d, want %d", h.newest, uint16(newest))
			}
			for i := range 32 {
				if bit := h.bits>>i&1 == 1; bit != (newest-1-i >= 0 && seen[newest-1-i]) {
					t.Fatalf("seed %d: bit %d of the acknowledgement is %v at %d", seed, i, bit, newest)
				}
			}
			h.update(at)
			if d := codec.Diff(h.newest, h.counted); d < -1 || d >= receiveWindow {
				t.Fatalf("%d not counted", d)
			}
		}
	}
}

// Every sequence is counted once, as received or as lost.
func TestLossInCountsEachPacketOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	h := newReceivedPackets(new(sequenceGaps))
	sent, lost := 0, 0
	for i := range 300 {
		at := time.Duration(i) * time.Second / 60
		sent++
		if random.IntN(10) == 0 {
			lost++
			continue
		}
		if _, drop := h.add(uint16(i), at); drop != DropNone {
			t.Fatal(drop)
		}
		h.update(at)
	}
	last := int(h.newest) + 1
	h.update(6 * time.Second)
	if counted, missing := h.gaps.loss.totals(6 * time.Second); counted != uint64(last) || missing != uint64(lost-(sent-last)) {
		t.Errorf("%d counted, %d missing; sent %d, lost %d", counted, missing, last, lost)
	}
}

// The kept memory follows from the durations of the gaps. A peer that skips as many numbers as it can makes it no larger than
// the receive window. Steady gaps allocate nothing.
func TestReceivedPacketsGrowWithTheGaps(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	h, i := newReceivedPackets(new(sequenceGaps)), 0
	step := func() {
		at := time.Duration(i) * time.Second / 60
		if random.IntN(50) > 0 {
			h.add(uint16(i), at)
		}
		h.update(at)
		i++
	}
	for range 5000 {
		step()
	}
	if n := testing.AllocsPerRun(5000, step); n > 0 {
		t.Errorf("%v allocations a packet", n)
	}
	if cap(h.gaps.open) > 16 {
		t.Errorf("memory for %d gaps, of half a second", cap(h.gaps.open))
	}
	for range 100 {
		for range receiveWindow / 2 {
			h.add(h.newest+2, time.Duration(i)*time.Second/60)
		}
		h.add(h.newest+receiveWindow-1, time.Duration(i)*time.Second/60)
	}
	if cap(h.gaps.open) > receiveWindow {
		t.Errorf("memory for %d gaps of a peer that skips", cap(h.gaps.open))
	}
}

// A missing packet counts as lost half a second after a newer one arrived. The gaps of one window time out separately, and a
// packet that arrives before its own timeout is not lost.
func TestGapsAreCountedOneByOne(t *testing.T) {
	h := newReceivedPackets(new(sequenceGaps))
	at := func(ms int) time.Duration { return time.Duration(ms) * time.Millisecond }
	h.add(0, 0)
	h.add(3, at(100)) // 1 and 2 are missing
	h.add(5, at(300)) // and 4
	h.add(2, at(350))
	for _, c := range []struct{ ms, counted, lost int }{{400, 1, 0}, {599, 1, 0}, {600, 4, 1}, {799, 4, 1}, {800, 6, 2}, {2000, 6, 2}} {
		h.update(at(c.ms))
		if counted, lost := h.gaps.loss.totals(at(c.ms)); counted != uint64(c.counted) || lost != uint64(c.lost) {
			t.Errorf("after %d ms %d are counted and %d lost, want %d and %d", c.ms, counted, lost, c.counted, c.lost)
		}
	}
	if len(h.gaps.open) != 0 {
		t.Errorf("%d gaps are kept that are counted", len(h.gaps.open))
	}
}
