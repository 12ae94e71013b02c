package delta

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Everything that was written is read, whatever the chances were.
func TestRangerReadsWhatItWrote(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 300 {
		type value struct {
			kind int
			v    int32
			bits int
		}
		values := make([]value, n)
		for i := range values {
			v := value{kind: rng.IntN(4), v: int32(rng.Uint32()) >> rng.IntN(32), bits: rng.IntN(33)}
			if rng.IntN(20) == 0 {
				v.v = []int32{math.MinInt32, math.MaxInt32, 0, -1}[rng.IntN(4)]
			}
			values[i] = v
		}
		code := func(r *rangeCoder, check bool) {
			var a, b row
			var l lot
			for _, row := range [][]chance{a[:], b[:], l[:]} {
				for i := range row {
					row[i] = chance{p: 1 << 15}
				}
			}
			sign := chance{p: 1}
			for i, v := range values {
				in, out := v.v, int32(0)
				if check {
					in = 0
				}
				switch v.kind {
				case 0:
					v.v &= 1
					out = int32(r.bit(&a[3], uint32(in&1)))
				case 1:
					v.v &= 1
					out = int32(r.pair(&a[3], &l[4], uint32(in&1)))
				case 2:
					mask := uint32(1<<v.bits - 1)
					v.v = int32(uint32(v.v) & mask)
					out = int32(r.even(uint32(in)&mask, v.bits))
				default:
					out = r.number(&a, &b, &l, &sign, in)
				}
				if check && out != v.v {
					t.Fatalf("value %d of %d, kind %d: %d instead of %d", i, n, v.kind, out, v.v)
				}
			}
		}
		var w, r rangeCoder
		w.write([]byte("before"))
		code(&w, false)
		body := w.finish()
		if string(body[:6]) != "before" {
			t.Fatalf("what stood before became %q", body[:6])
		}
		r.read(body[6:])
		code(&r, true)
		if err := r.end(); err != nil {
			t.Fatalf("%d values: %v", n, err)
		}
	}
}

// A bit costs about what its chance says, down to a thousandth of a bit.
func TestLikelyBitsAreCheap(t *testing.T) {
	var r rangeCoder
	r.write(nil)
	var c chance
	c.p = 1 << 15
	for range 100_000 {
		r.bit(&c, 0)
	}
	if n := len(r.finish()); n > 20 {
		t.Errorf("100,000 bits that are all the same: %d bytes", n)
	}
}

// A chance stays within 1..65,535, whatever it sees.
func TestChancesStayInRange(t *testing.T) {
	for _, start := range []chance{{1, 0}, {65535, 0}, {1, mostSeen}, {65535, mostSeen}, {32768, 63}} {
		for _, up := range []bool{false, true} {
			c := start
			for range 1000 {
				if up {
					c.one()
				} else {
					c.zero()
				}
				if c.p == 0 {
					t.Fatalf("from %v, %t", start, up)
				}
			}
		}
	}
}
