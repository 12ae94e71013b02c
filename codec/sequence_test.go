package codec

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestNewerAndDiffAcrossTheWrap(t *testing.T) {
	for _, c := range []struct {
		a, b  uint16
		newer bool
		diff  int
	}{
		{0, 0, false, 0},
		{1, 0, true, 1},
		{0, 65535, true, 1},
		{65535, 0, false, -1},
		{5, 65530, true, 11},
		{32767, 0, true, 32767},
		{32768, 0, false, -32768},
		{0, 32768, false, -32768},
		{32769, 0, false, -32767},
	} {
		if Newer(c.a, c.b) != c.newer || Diff(c.a, c.b) != c.diff {
			t.Errorf("%d against %d: %v %d, want %v %d", c.a, c.b, Newer(c.a, c.b), Diff(c.a, c.b), c.newer, c.diff)
		}
	}
}

func TestLiftFindsTheNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		near := rng.Uint64() >> rng.IntN(64)
		d := int64(rng.IntN(65535)) - 32767
		if d < 0 && uint64(-d) > near || d > 0 && near > math.MaxUint64-uint64(d) {
			continue
		}
		full := near + uint64(d)
		if got := Lift(uint16(full), near); got != full {
			t.Fatalf("Lift(%d, %d) = %d, want %d", uint16(full), near, got, full)
		}
		if near>>31 == 0 && Lift(uint16(full), uint32(near)) != uint32(full) {
			t.Fatalf("32 bits: Lift(%d, %d)", uint16(full), near)
		}
	}
}

func TestLiftStaysWithinItsType(t *testing.T) {
	for _, c := range []struct {
		wire       uint16
		near, want uint32
	}{
		{65535, 0, 65535},
		{65535, 32767, 65535},
		{65535, 32768, 65535},
		{32768, 0, 32768},
		{10, 65530, 65546},
		{0, math.MaxUint32, math.MaxUint32 - 65535},
		{65530, 65536 + 5, 65530},
		{32768, 65536, 32768},
	} {
		if got := Lift(c.wire, c.near); got != c.want {
			t.Errorf("Lift(%d, %d) = %d, want %d", c.wire, c.near, got, c.want)
		}
	}
}
