package delta

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A line that continues costs almost nothing. A line that bends costs about its information: the target and the time.
func TestLinesAreShort(t *testing.T) {
	var enc Encoder
	w := newWalkers(t, 1, 4)
	m := NewModel(w.layout, nil)
	for range 30 {
		w.step(10)
	}
	for range 6 {
		w.step(math.MaxInt)
	}
	if n := len(enc.appendRange(nil, m, w.parts(6, 0, nil))); n > 8 {
		t.Errorf("no news of 256 entities: %d bytes", n)
	}
	bytes, bends := 0, 0
	for range 100 {
		w.step(10)
		parts := w.parts(1, 0, nil)
		bytes += len(enc.appendRange(nil, m, parts))
		for _, p := range parts {
			for k := range GroupSize {
				if a, b := p.Base.Record(k), p.Cur.Record(k); a[1] != b[1] || a[3] != b[3] {
					bends++
				}
			}
		}
	}
	// Which ones: 4.7 bits for each; when: 1.6; where to: 6.0 and, in the other half,
	// 3 for the direction, 1.6 for the turn and 2.8 for the depth.
	if mean := 8 * float64(bytes) / float64(bends); mean > 19 {
		t.Errorf("%.1f bits for each bend", mean)
	}
}

// Records and lines with any words are decoded exactly.
func TestLinesOfAnyWordsAreExact(t *testing.T) {
	var enc Encoder
	var dec Decoder
	rng := rand.New(rand.NewPCG(5, 6))
	m := NewModel(newWalkers(t, 1, 0).layout, nil)
	words := []int32{0, 1, -1, math.MaxInt32, math.MinInt32, 1 << 20, -1 << 30}
	for range 2000 {
		var cur, base Group
		cur.Reset(2 + rng.Uint32N(200))
		base.Reset(1)
		for k := range 4 {
			a, b := base.Put(k, uint32(k+1), 15, 9), cur.Put(k, uint32(k+1), 15, 9)
			for i := range a {
				a[i], b[i] = words[rng.IntN(len(words))], words[rng.IntN(len(words))]
				if rng.IntN(2) == 0 {
					b[i] = a[i]
				}
			}
			a[4], b[4] = int32(uint16(a[4])), int32(uint16(b[4])) // an angle is within its turn
		}
		parts := []Part{{Cur: &cur, Base: &base, Slots: 15}}
		reads(t, &dec, m, parts, enc.appendRange(nil, m, parts), Range)
	}
}

func TestBend(t *testing.T) {
	for _, c := range []struct {
		v, w         int32
		at, steps, n int
		want         int64
	}{
		{0, 0, 0, 3, 3, 0},
		{3, 9, 0, 3, 3, 9},
		{3, 9, 3, 3, 3, 3},
		{3, 9, 1, 3, 3, 7},
		{1, 0, 1, 3, 3, 0},
		{-1, 0, 1, 3, 3, -1}, // down, not towards zero
		{-1, 0, 4, 9, 3, -2},
		{-1, 0, 6, 9, 3, -2},
		{math.MaxInt32, math.MinInt32, 360, 720, 6, -60},
	} {
		if got := bend(c.v, c.w, c.at, c.steps, c.n); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	// A send more before the bend or after it is a change more.
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		v, w, n := rng.Int32N(5000)-2500, rng.Int32N(5000)-2500, 1+rng.IntN(6)
		steps := n * (1 + rng.IntN(20))
		at := rng.IntN(steps)
		if bend(v, w, at+n, steps+n, n) != bend(v, w, at, steps, n)+int64(v) || bend(v, w, at, steps+n, n) != bend(v, w, at, steps, n)+int64(w) {
			t.Fatalf("%d, %d at %d of %d, %d a send", v, w, at, steps, n)
		}
	}
}

// bend returns the change of a line over simulation steps, n of which are a unit, from a multiple of the unit.
func bend(v, w int32, at, steps, n int) int64 {
	l := Layout{steps: n, unit: 1}
	return l.Span(7, 7+uint32(steps/n)).Bend(v, w, at)
}

// A line that bent has the same place at a send, whichever older sends before the bend it is predicted from, and whichever sends after
// the bend are left out, also if these are not multiples of the unit. It is at most a step of the grid from where it would be exactly.
func TestLinesBetweenUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		l := Layout{steps: 1 + rng.IntN(3), unit: 1 + rng.IntN(6)}
		n := l.LineSteps()
		v, w := rng.Int32N(5000)-2500, rng.Int32N(5000)-2500
		a := rng.Uint32N(1000)
		b, c := a+rng.Uint32N(20), a+20+rng.Uint32N(20)
		d := c + rng.Uint32N(20)
		first := int(b-a) * l.steps
		at := first + rng.IntN(int(c-b)*l.steps)
		want := l.Span(a, d).Bend(v, w, at)
		if got := l.Span(a, b).Straight(v) + l.Span(b, c).Bend(v, w, at-first) + l.Span(c, d).Straight(w); got != want {
			t.Fatalf("%+v: from %d by %d and %d to %d: %d, at once %d", l, a, b, c, d, got, want)
		}
		exact := (float64(v)*float64(at) + float64(w)*float64(int(d-a)*l.steps-at)) / float64(n)
		if math.Abs(float64(want)-exact) > 2 {
			t.Fatalf("%+v: from %d to %d: %d, exactly %v", l, a, d, want, exact)
		}
	}
}

// FuzzLines decodes any bytes, also with baselines made of them. They are decoded or refused.
func FuzzLines(f *testing.F) {
	w := newWalkers(f, 1, 2)
	m := NewModel(w.layout, nil)
	for range 12 {
		w.step(4)
	}
	var enc Encoder
	for _, age := range []int{1, 3, 12} {
		f.Add(uint8(age), enc.appendRange(nil, m, w.parts(age, 0, nil)))
	}
	f.Fuzz(func(t *testing.T, age uint8, body []byte) {
		var dec Decoder
		base := w.sends[0]
		for range 2 {
			cur := make([]Group, len(base))
			for i := range cur {
				cur[i].Send = base[i].Send + uint32(age)
			}
			parts := (&film{sends: [][]Group{base, cur}}).parts(1, 0, nil)
			if err := dec.Decode(body, Range, m, parts); err != nil {
				refused(t, err)
				return
			}
			words := 0
			for i := range cur {
				words += len(cur[i].Words)
				for _, k := range wireSlots(cur[i].Alive) {
					if len(cur[i].Record(k)) != w.layout.RecordWords(cur[i].Masks[k]) {
						t.Fatalf("%d words", len(cur[i].Record(k)))
					}
				}
			}
			if words > 2*len(base)*GroupSize*w.layout.RecordWords(15) {
				t.Fatalf("%d words", words)
			}
			base = cur // whatever stands in there
		}
	})
}
