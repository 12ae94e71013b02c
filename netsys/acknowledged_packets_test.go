package netsys

import (
	"math/rand/v2"
	"testing"
)

// Each acknowledged packet is reported as fresh exactly once, although headers repeat it and arrive out of order.
func TestAcknowledgedOnce(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var acked acknowledgedPackets
		seen := map[int]bool{}
		newest := rng.IntN(1 << 17)
		for range 3000 {
			newest += rng.IntN(4)
			if rng.IntN(50) == 0 {
				newest += rng.IntN(100)
			}
			ack, bits := newest, rng.Uint32()
			if rng.IntN(5) == 0 {
				ack -= rng.IntN(31) // overtaken
			}
			fresh := acked.add(uint16(ack), bits)
			for back := range 64 {
				named := back == 0 || back <= 32 && bits>>(back-1)&1 != 0
				want := named && !seen[ack-back]
				if got := fresh>>back&1 != 0; got != want {
					t.Fatalf("seed %d: %d, %d before the one that is named: fresh %v, want %v", seed, ack, back, got, want)
				}
				if named {
					seen[ack-back] = true
				}
			}
		}
	}
}
