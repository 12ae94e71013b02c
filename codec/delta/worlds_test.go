package delta

import (
	"math"
	"testing"

	"github.com/tactusgo/tactus/codec/internal/whole"
)

// The components of walkers, and of riders.
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

	motionPlace struct {
		X float32 `net:"-512..512 step 0.0625 axis x"`
		Y float32 `net:"-512..512 step 0.0625 axis y"`
		Z float32 `net:"-512..512 step 0.0625 axis z"`
	}
	motionRate struct {
		X float32 `net:"-64..64 step 0.0625 rate x"`
		Y float32 `net:"-64..64 step 0.0625 rate y"`
	}
	motionTurn struct {
		Q [4]float32 `net:"quat 12"`
	}
	motionParent struct {
		To uint32 `net:"ref parent"`
	}
	motionPhase struct {
		A uint16 `net:"0..65535 step 64 angle linear"`
	}
)

// walkers are entities whose lines bend at times, exactly: half of them walk along
// a heading that jumps, the others in eight directions and turn at a rate.
type walkers struct{ film }

const walkerSteps = 3 // simulation steps of a send

func newWalkers(t testing.TB, seed uint64, groups int) *walkers {
	w := &walkers{newFilm(tablesOf(t, walkerPlace{}, walkerFace{}, walkerHealth{}, walkerDepth{}), seed, 3, groups)}
	for g := range w.now() {
		mask := uint64(7)
		if g%2 != 0 {
			mask = 15
		}
		for k := range GroupSize {
			rec := w.now()[g].Put(k, uint32(g*GroupSize+k+1), mask, w.layout.RecordWords(mask))
			clear(rec)
			rec[0], rec[2], rec[6] = 100000+w.rng.Int32N(300000), 100000+w.rng.Int32N(300000), 100
		}
	}
	return w
}

// step makes the next send, in which one line in of bends.
func (w *walkers) step(of int) {
	was, now := w.next()
	for g := range was {
		for k := range GroupSize {
			b, rec := was[g].Record(k), now[g].Record(k)
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
					rec[i] += int32(bend(b[i+1], rec[i+1], at, walkerSteps, walkerSteps))
				}
			}
			rec[4] = int32(uint16(rec[4]))
		}
	}
}

// riders are entities that move and turn now and then, and others that ride on them,
// one on the other.
type riders struct {
	film
	apart int // sends from where one begins to move to where the next does
}

const (
	riderMask  = 1<<0 | 1<<1 | 1<<3 // place, turn, parent
	leaderMask = 1<<0 | 1<<1 | 1<<2 | 1<<4
)

func newRiders(t testing.TB, seed uint64, groups int) *riders {
	r := &riders{newFilm(tablesOf(t, motionPlace{}, motionTurn{}, motionRate{}, motionParent{}, motionPhase{}), seed, 5, groups), 1}
	for g := range r.now() {
		for k := range GroupSize {
			mask, id := uint64(leaderMask), uint32(g*GroupSize+k+1)
			if k%4 != 3 {
				mask = riderMask
			}
			rec := r.now()[g].Put(k, id, mask, r.layout.RecordWords(mask))
			clear(rec)
			rec[0], rec[1], rec[2] = 5000+r.rng.Int32N(3000), 5000+r.rng.Int32N(3000), 5000+r.rng.Int32N(100)
			rec[3], rec[4], rec[5], rec[6] = 3, 2047, 2047, 2047
			if mask == riderMask {
				rec[7] = int32(id + 1) // the one behind it
			} else {
				rec[7], rec[8] = 1024, 1024 // at rest
			}
		}
	}
	return r
}

// step makes the next send. Riders move and turn with their carriers.
func (r *riders) step() {
	was, now := r.next()
	grid := whole.NewQuatGrid(12)
	for g := range was {
		var v [3]int32
		spin := whole.Rotation{0, 0, 0, whole.One}
		var from, to [3]int32
		for k := GroupSize - 1; k >= 0; k-- {
			b, rec := was[g].Record(k), now[g].Record(k)
			if was[g].Masks[k] == leaderMask {
				r.lead(rec, k, &v, &spin)
				from, to = [3]int32(b), [3]int32(rec)
			} else {
				m := spin.Matrix()
				x, y, z := m.Turn(int64(b[0]-from[0]), int64(b[1]-from[1]), int64(b[2]-from[2]))
				rec[0], rec[1], rec[2] = to[0]+int32(x), to[1]+int32(y), to[2]+int32(z)
				if r.rng.IntN(20) == 0 {
					rec[r.rng.IntN(3)] += r.rng.Int32N(40) - 20
				}
				if r.rng.IntN(60) == 0 {
					rec[7] = int32(r.rng.Uint32N(70))
				}
			}
			q := grid.Rotation(b[3:])
			q = spin.Times(&q)
			missing, _, _ := q.Largest()
			rec[3] = missing
			rec[4], rec[5], rec[6] = grid.Words(&q, missing)
		}
	}
}

// lead moves one that is no rider: for eight sends of every sixteen, its own way.
func (r *riders) lead(rec []int32, k int, v *[3]int32, spin *whole.Rotation) {
	*v, *spin = [3]int32{}, whole.Rotation{0, 0, 0, whole.One}
	if (len(r.sends)-1+k*r.apart)%16 < 8 {
		rec[7], rec[8] = 1024, 1024
		return
	}
	*v = [3]int32{int32(k) - 32, 7, int32(k % 3)}
	angle := float64(k%5) / 50
	*spin = whole.Rotation{0, int64(whole.One * math.Sin(angle)), 0, int64(whole.One * math.Cos(angle))}
	for i := range v {
		rec[i] += v[i]
	}
	rec[7], rec[8] = 1024+20*v[0], 1024+20*v[1]
	rec[9] = (rec[9] + int32(k)) % 1024
}

// full are parts at full precision: words that look like floats.
func (r *riders) full(l *Layout, parts []Part) []Part {
	groups := map[*Group]*Group{}
	raw := func(g *Group) *Group {
		if g == nil || groups[g] != nil {
			return groups[g]
		}
		out := &Group{Send: g.Send, Known: g.Known}
		for _, k := range wireSlots(g.Alive) {
			rec := out.Put(k, g.IDs[k], g.Masks[k], l.RecordWords(g.Masks[k]))
			for i := range rec {
				rec[i] = int32(math.Float32bits(float32(g.Record(k)[i]) / 16))
			}
		}
		groups[g] = out
		return out
	}
	out := make([]Part, len(parts))
	for i, p := range parts {
		out[i] = Part{Cur: raw(p.Cur), Base: raw(p.Base), Base2: raw(p.Base2), Slots: p.Slots}
	}
	return out
}
