package rangecoder

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Everything that was written is read back, with any chances.
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
		code := func(r *Coder, check bool) {
			var a, b Row
			var l Lot
			for _, row := range [][]Chance{a[:], b[:], l[:]} {
				for i := range row {
					row[i] = Chance{P: 1 << 15}
				}
			}
			sign := Chance{P: 1}
			for i, v := range values {
				in, out := v.v, int32(0)
				if check {
					in = 0
				}
				switch v.kind {
				case 0:
					v.v &= 1
					out = int32(r.Bit(&a[3], uint32(in&1)))
				case 1:
					v.v &= 1
					out = int32(r.Pair(&a[3], &l[4], uint32(in&1)))
				case 2:
					mask := uint32(1<<v.bits - 1)
					v.v = int32(uint32(v.v) & mask)
					out = int32(r.Even(uint32(in)&mask, v.bits))
				default:
					out = r.Number(&a, &b, &l, &sign, in)
				}
				if check && out != v.v {
					t.Fatalf("value %d of %d, kind %d: %d instead of %d", i, n, v.kind, out, v.v)
				}
			}
		}
		var w, r Coder
		w.Write([]byte("before"))
		code(&w, false)
		body := w.Finish()
		if string(body[:6]) != "before" {
			t.Fatalf("what stood before became %q", body[:6])
		}
		r.Read(body[6:])
		code(&r, true)
		if err := r.End(); err != nil {
			t.Fatalf("%d values: %v", n, err)
		}
	}
}

// A bit costs what its chance implies, down to a thousandth of a bit.
func TestLikelyBitsAreCheap(t *testing.T) {
	var r Coder
	r.Write(nil)
	var c Chance
	c.P = 1 << 15
	for range 100_000 {
		r.Bit(&c, 0)
	}
	if n := len(r.Finish()); n > 20 {
		t.Errorf("100,000 bits that are all the same: %d bytes", n)
	}
}

// A chance stays within 1..65,535, whatever bits it is updated with.
func TestChancesStayInRange(t *testing.T) {
	for _, start := range []Chance{{1, 0}, {65535, 0}, {1, MostSeen}, {65535, MostSeen}, {32768, 63}} {
		for _, up := range []bool{false, true} {
			c := start
			for range 1000 {
				if up {
					c.One()
				} else {
					c.Zero()
				}
				if c.P == 0 {
					t.Fatalf("from %v, %t", start, up)
				}
			}
		}
	}
}

// A chance moves, and remembers, as docs/spec/wire-blocks.md says.
func TestChancesGoTheirWay(t *testing.T) {
	for n, s := range strides {
		if want := 655360 / (10*min(n, 39) + 16); int(s.step) != want || int(s.next) != min(n+1, 39) {
			t.Errorf("a chance that saw %d goes %d and has seen %d", n, s.step, s.next)
		}
	}
}
