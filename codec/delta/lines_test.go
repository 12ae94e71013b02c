package delta

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/codec/schema"
)

type (
	walkerPlace struct {
		X float32 `net:"0..2000 step 0.00390625 axis x lines 0.0625"`
		Y float32 `net:"0..2000 step 0.00390625 axis y lines 0.0625"`
	}
	walkerFace struct {
		Angle uint16 `net:"0..65535 angle along lines"`
	}
	walkerDepth struct {
		Z float32 `net:"-100..100 step 0.01 lines 0.1"`
	}
	walkerHealth struct {
		N uint8 `net:"0..100"`
	}
)

const walkerSteps = 3 // simulation steps of a send

func walkerLayout(t testing.TB) *Layout {
	return NewLayout([]*schema.Table{
		sceneTable(t, walkerPlace{}, nil), sceneTable(t, walkerFace{}, nil), sceneTable(t, walkerHealth{}, nil), sceneTable(t, walkerDepth{}, nil),
	}, walkerSteps, 20)
}

// walkers are entities whose lines bend at times, exactly: half of them walk along
// a heading that jumps, the others in eight directions and turn at a rate.
type walkers struct {
	layout *Layout
	rng    *rand.Rand
	sends  [][]Group
}

func newWalkers(t testing.TB, seed uint64, groups int) *walkers {
	w := &walkers{layout: walkerLayout(t), rng: rand.New(rand.NewPCG(seed, 3))}
	now := make([]Group, groups)
	for g := range now {
		now[g].Send = 1
		mask := uint64(7)
		if g%2 != 0 {
			mask = 15
		}
		for k := range GroupSize {
			rec := now[g].Put(k, uint32(g*GroupSize+k+1), mask, w.layout.RecordWords(mask))
			clear(rec)
			rec[0], rec[2], rec[6] = 100000+w.rng.Int32N(300000), 100000+w.rng.Int32N(300000), 100
		}
	}
	w.sends = append(w.sends, now)
	return w
}

// step makes the next send, at which one of so many lines bends.
func (w *walkers) step(of int) {
	was := w.sends[len(w.sends)-1]
	now := make([]Group, len(was))
	for g := range was {
		now[g].Send = was[g].Send + 1
		for k := range GroupSize {
			b := was[g].Record(k)
			rec := now[g].Put(k, was[g].IDs[k], was[g].Masks[k], len(b))
			copy(rec, b)
			at := 0
			if w.rng.IntN(of) == 0 {
				at = w.rng.IntN(walkerSteps)
				if g%2 == 0 {
					rec[4] = int32(uint16(rec[4] + 256*(w.rng.Int32N(65)-32)))
					rec[1], rec[3] = Toward(1280, uint32(rec[4])<<16)
				} else {
					rec[1], rec[3] = Toward(2560, w.rng.Uint32N(8)<<29)
					rec[5] = 819 * (w.rng.Int32N(3) - 1)
					rec[8] = w.rng.Int32N(7) - 3
				}
			}
			for _, i := range []int{0, 2, 4, 7} {
				if i+1 < len(rec) {
					rec[i] += int32(Bend(b[i+1], rec[i+1], at, walkerSteps, walkerSteps))
				}
			}
			rec[4] = int32(uint16(rec[4]))
		}
	}
	w.sends = append(w.sends, now)
}

// Lines come out as they went in, from states of any age, and when they bent more
// than once since.
func TestLinesAreExact(t *testing.T) {
	var enc Encoder
	var dec Decoder
	for seed := range uint64(4) {
		w := newWalkers(t, seed, 4)
		m := NewModel(w.layout, nil)
		for range 130 {
			w.step(10)
		}
		last := len(w.sends) - 1
		for _, age := range []int{1, 2, 3, 4, 8, 24, 64, 120} {
			for _, slots := range []uint64{math.MaxUint64, w.rng.Uint64(), 1 << 5} {
				parts := sceneParts(w.sends[last], w.sends[last-age], nil, func(int) uint64 { return slots })
				body := enc.appendRange(nil, m, parts)
				got := sceneEmpty(parts)
				if err := dec.Decode(body, Range, m, got); err != nil {
					t.Fatalf("seed %d, age %d: %v", seed, age, err)
				}
				sceneSame(t, parts, got)
			}
		}
	}
}

// A line that goes on costs next to nothing, and one that bends about what there is
// to say: where to, and when.
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
	last := len(w.sends) - 1
	if n := len(enc.appendRange(nil, m, sceneParts(w.sends[last], w.sends[last-6], nil, allSlots))); n > 8 {
		t.Errorf("no news of 256 entities: %d bytes", n)
	}
	bytes, bends := 0, 0
	for range 100 {
		w.step(10)
		last := len(w.sends) - 1
		base := w.sends[last-1]
		bytes += len(enc.appendRange(nil, m, sceneParts(w.sends[last], base, nil, allSlots)))
		for g := range base {
			for k := range GroupSize {
				if a, b := base[g].Record(k), w.sends[last][g].Record(k); a[1] != b[1] || a[3] != b[3] {
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

// Whatever stands in the records, and whatever a line is, it comes out as it went in.
func TestLinesOfAnyWordsAreExact(t *testing.T) {
	var enc Encoder
	var dec Decoder
	rng := rand.New(rand.NewPCG(5, 6))
	l := walkerLayout(t)
	m := NewModel(l, nil)
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
		body := enc.appendRange(nil, m, parts)
		got := sceneEmpty(parts)
		if err := dec.Decode(body, Range, m, got); err != nil {
			t.Fatal(err)
		}
		sceneSame(t, parts, got)
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
		if got := Bend(c.v, c.w, c.at, c.steps, c.n); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	// A send more before the bend or after it is a change more.
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		v, w, n := rng.Int32N(5000)-2500, rng.Int32N(5000)-2500, 1+rng.IntN(6)
		steps := n * (1 + rng.IntN(20))
		at := rng.IntN(steps)
		if Bend(v, w, at+n, steps+n, n) != Bend(v, w, at, steps, n)+int64(v) || Bend(v, w, at, steps+n, n) != Bend(v, w, at, steps, n)+int64(w) {
			t.Fatalf("%d, %d at %d of %d, %d a send", v, w, at, steps, n)
		}
	}
}

func TestToward(t *testing.T) {
	for _, length := range []int32{0, 1, 100, 1280, 1 << 20, 1 << 24} {
		for turn := range uint64(1000) {
			turn *= 1 << 32 / 1000
			x, y := Toward(length, uint32(turn))
			sin, cos := math.Sincos(float64(turn) * (2 * math.Pi / (1 << 32)))
			if dx, dy := math.Abs(float64(x)-float64(length)*cos), math.Abs(float64(y)-float64(length)*sin); max(dx, dy) > 1.5 || length < 1<<16 && max(dx, dy) > 0.51 {
				t.Errorf("%d toward %d: %d, %d", length, turn, x, y)
			}
		}
	}
	for i, want := range [][2]int32{{1280, 0}, {905, 905}, {0, 1280}, {-905, 905}, {-1280, 0}, {-905, -905}, {0, -1280}, {905, -905}} {
		if x, y := Toward(1280, uint32(i)<<29); x != want[0] || y != want[1] {
			t.Errorf("%d eighths: %d, %d", i, x, y)
		}
	}
}

// Bytes from anywhere, and baselines made of them, are refused or read.
func FuzzLines(f *testing.F) {
	w := newWalkers(f, 1, 2)
	m := NewModel(w.layout, nil)
	for range 12 {
		w.step(4)
	}
	var enc Encoder
	for _, age := range []int{1, 3, 12} {
		f.Add(uint8(age), enc.appendRange(nil, m, sceneParts(w.sends[12], w.sends[12-age], nil, allSlots)))
	}
	f.Fuzz(func(t *testing.T, age uint8, body []byte) {
		var dec Decoder
		base := w.sends[0]
		for range 2 {
			cur := make([]Group, len(base))
			for i := range cur {
				cur[i].Send = base[i].Send + uint32(age)
			}
			parts := sceneParts(cur, base, nil, allSlots)
			if err := dec.Decode(body, Range, m, parts); err != nil {
				if !named(err) {
					t.Fatal(err)
				}
				return
			}
			words := 0
			for i := range cur {
				words += len(cur[i].Words)
				for s := cur[i].Alive; s != 0; s &= s - 1 {
					k := bits.TrailingZeros64(s)
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
