package wire

import (
	"math/rand/v2"
	"testing"
)

// A base is found by its packet while it is among the newest, in whatever order packets arrive, and never under another
// packet.
func TestInputBasesAreOfTheirPacket(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		b := NewInputBases(1)
		first := r.IntN(1 << 16)
		put := map[int]bool{}
		newest := first
		for range 3000 {
			at := newest + r.IntN(6) - 2
			switch r.IntN(100) {
			case 0:
				at = newest + r.IntN(3*baseRing)
			case 1:
				at = newest + r.IntN(1<<15-1)
			case 2:
				at = newest - r.IntN(2*baseRing)
			}
			if at = max(at, first); len(put) == 0 {
				at = first
			}
			b.Put(uint16(at), &Input{Newest: uint16(at / 7)}, []uint32{uint32(at), 0})
			put[at], newest = true, max(newest, at)
			if p := newest - r.IntN(baseRing); put[p] && (b.at(uint16(p)) == nil || b.state(uint16(p))[0] != uint32(p)) {
				t.Fatalf("seed %d: packet %d of %d is not there", seed, p, newest)
			}
			for range 4 {
				p := newest - r.IntN(1<<16-baseRing)
				if e := b.at(uint16(p)); e != nil && (b.state(uint16(p))[0] != uint32(p) || e.newest != uint16(p/7) || p <= newest-baseRing) {
					t.Fatalf("seed %d: packet %d in the place of %d; the newest is %d", seed, b.state(uint16(p))[0], p, newest)
				}
			}
		}
	}
}
