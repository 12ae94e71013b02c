package delta

import (
	"math"
	"testing"
)

// motionBytes returns the length of a block with n entities in it, which build
// makes at sends 8 (second baseline), 9 (baseline) and 12.
func motionBytes(t *testing.T, second bool, n int, l *Layout, build func(send int, slot int, rec []int32)) int {
	t.Helper()
	m := NewModel(l, nil)
	mask := uint64(1)<<l.Components() - 1
	var gs [3]Group
	for i, send := range []int{8, 9, 12} {
		gs[i].Reset(uint32(send))
		for k := range GroupSize {
			if k >= n {
				gs[i].Clear(k, false)
				continue
			}
			rec := gs[i].Put(k, uint32(k+1), mask, l.RecordWords(mask))
			clear(rec)
			build(send, k, rec)
		}
	}
	p := Part{Cur: &gs[2], Base: &gs[1], Slots: math.MaxUint64}
	if second {
		p.Base2 = &gs[0]
	}
	parts := []Part{p}
	body := new(Encoder).appendRange(nil, m, parts)
	reads(t, new(Decoder), m, parts, body, Range)
	return len(body)
}

// What moves as its tags say costs next to nothing: an entity is a fraction of a
// bit.
func TestWhatMovesAsExpectedIsCheap(t *testing.T) {
	quat := newQuatGrid(12)
	about := func(angle float64) rotation { // around y
		return rotation{0, int64(one * math.Sin(angle/2)), 0, int64(one * math.Cos(angle/2))}
	}
	put := func(rec []int32, r rotation) {
		missing, _, _ := r.largest()
		rec[0] = missing
		rec[1], rec[2], rec[3] = quat.words(&r, missing)
	}
	for _, c := range []struct {
		name   string
		second bool
		most   int
		layout *Layout
		build  func(send, slot int, rec []int32)
	}{
		{"linear", true, 16, tablesOf(t, motionPlace{}), func(send, slot int, rec []int32) {
			rec[0], rec[1], rec[2] = int32(1000+slot*send), int32(5000-3*send), int32(slot)
		}},
		{"rate", false, 16, tablesOf(t, motionPlace{}, motionRate{}), func(send, slot int, rec []int32) {
			// 20 units a second are 1 unit, 16 words, a send.
			rec[0], rec[1] = int32(1000+16*send), int32(9000-8*send)
			rec[3], rec[4] = (64+20)*16, (64-10)*16
		}},
		{"angle", true, 16, tablesOf(t, motionPhase{}), func(send, slot int, rec []int32) {
			rec[0] = int32(1000+10*send+slot) % 1024
		}},
		{"attached", true, 60, tablesOf(t, motionPlace{}, motionTurn{}, motionParent{}), func(send, slot int, rec []int32) {
			// The last one is the parent of all others, which are two units away.
			angle := float64(send) / 10
			put(rec[3:], about(angle))
			px, pz := float64(4000+40*send), float64(4000-20*send)
			if slot < 39 {
				a := angle + float64(slot)
				px, pz = px+32*math.Cos(a), pz-32*math.Sin(a)
				rec[7] = 40
			}
			rec[0], rec[1], rec[2] = int32(math.Round(px)), 500, int32(math.Round(pz))
		}},
	} {
		if n := motionBytes(t, c.second, 40, c.layout, c.build); n > c.most {
			t.Errorf("%s: %d bytes, want at most %d", c.name, n, c.most)
		}
	}
}

// The rotation that follows from two, and the words of rotations, are those of the
// trigonometry behind them.
func TestRotations(t *testing.T) {
	about := func(angle float64) rotation {
		return rotation{int64(one * math.Sin(angle/2)), 0, 0, int64(one * math.Cos(angle/2))}
	}
	for _, step := range []float64{0, 0.01, -0.2, 0.7} {
		for _, n := range []int{1, 2, 6, 30} {
			p, q, want := about(0.3), about(0.3+step), about(0.3+step*float64(n+1))
			got := extrapolate(&p, &q, n)
			dot := 0.0
			for i := range got {
				dot += float64(got[i]) * float64(want[i]) / one / one
			}
			if math.Abs(math.Abs(dot)-1) > 1e-5*float64(1+n*n) {
				t.Errorf("%d steps of %g: %v, want %v", n, step, got, want)
			}
		}
	}
	for bits := 4; bits <= 20; bits++ {
		g := newQuatGrid(bits)
		top := int32(g.top)
		for missing := range int32(4) {
			for _, w := range [][]int32{{missing, top / 2, top / 3, top / 5 * 4}, {missing, top * 2 / 5, top/2 + 1, top * 3 / 5}} {
				r := g.rotation(w)
				a, b, c := g.words(&r, missing)
				for i, v := range []int32{a, b, c} {
					if d := v - w[i+1]; d < -1 || d > 1 {
						t.Errorf("%d bits: %v became %d %d %d", bits, w, a, b, c)
					}
				}
			}
		}
	}
}
