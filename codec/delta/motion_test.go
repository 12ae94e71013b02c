package delta

import (
	"math"
	"testing"

	"github.com/tactusgo/tactus/codec/internal/whole"
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

// An entity that moves as its tags predict costs a fraction of a bit.
func TestWhatMovesAsExpectedIsCheap(t *testing.T) {
	quat := whole.NewQuatGrid(12)
	about := func(angle float64) whole.Rotation { // around y
		return whole.Rotation{0, int64(whole.One * math.Sin(angle/2)), 0, int64(whole.One * math.Cos(angle/2))}
	}
	put := func(rec []int32, r whole.Rotation) {
		missing, _, _ := r.Largest()
		rec[0] = missing
		rec[1], rec[2], rec[3] = quat.Words(&r, missing)
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
