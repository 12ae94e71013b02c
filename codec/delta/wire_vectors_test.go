package delta

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/codec/schema"
)

// A decoder that is written from the document reads what the encoder writes: with no
// baseline, one and two, of any age, for all slots and for some, of entities that
// change at random.
func TestWireDecoderOfTheDocument(t *testing.T) {
	tables := readWireTables(t)
	for seed := range uint64(24) {
		rate := []float64{0.01, 0.1, 0.5, 1}[seed%4]
		s := newScene(t, seed, 1+int(seed%8), rate)
		m := NewModel(s.layout, nil)
		sends := [][]Group{s.groups}
		for range 16 {
			s.step()
			sends = append(sends, s.groups)
		}
		for age := range 14 {
			slots := allSlots
			if seed%3 == 0 {
				slots = func(int) uint64 { return s.rng.Uint64() | 1 }
			}
			wireAgrees(t, tables, m, wireParts(sends, age, age%3 > 0, slots), fmt.Sprintf("seed %d, age %d", seed, age))
		}
	}
}

// The same of lines, of entities attached to others, and at full precision.
func TestWireDecoderOfTheDocumentInMotion(t *testing.T) {
	tables := readWireTables(t)
	w := newWalkers(t, 1, 4)
	for range 130 {
		w.step(10)
	}
	m := NewModel(w.layout, nil)
	for _, age := range []int{0, 1, 2, 3, 5, 8, 24, 64, 120} {
		wireAgrees(t, tables, m, wireParts(w.sends, age, false, allSlots), fmt.Sprintf("lines, age %d", age))
	}
	for seed := range uint64(6) {
		r := newRiders(t, seed, 3)
		for range 44 {
			r.step()
		}
		m := NewModel(r.layout, nil)
		full := NewModel(NewRawLayout(r.layout.tables, 3, 20), nil)
		for _, age := range []int{0, 1, 2, 3, 5, 8, 24, 40} {
			parts := wireParts(r.sends, age, age%4 > 0, allSlots)
			wireAgrees(t, tables, m, parts, fmt.Sprintf("riders, seed %d, age %d", seed, age))
			wireAgrees(t, tables, full, wireRawParts(r, full.layout, parts), fmt.Sprintf("full precision, seed %d, age %d", seed, age))
		}
	}
}

// A block does not depend on those that its encoder wrote before, even when an entity
// that stood still begins to move with its parent.
func TestWireBlocksStandAlone(t *testing.T) {
	r := newRiders(t, 1, 1)
	r.apart = 0
	m := NewModel(r.layout, nil)
	var enc Encoder
	for range 60 {
		r.step()
		if at := len(r.sends) - 1; at > 8 {
			for _, age := range []int{2, 5, 3} {
				parts := wireParts(r.sends, age, true, allSlots)
				body := enc.appendRange(nil, m, parts)
				got := sceneEmpty(parts)
				if err := new(Decoder).Decode(body, Range, m, got); err != nil {
					t.Fatalf("send %d, age %d: %v", at, age, err)
				}
				sceneSame(t, parts, got)
			}
		}
	}
}

// wireAgrees checks that a body of the range coder is read as it was written.
func wireAgrees(t *testing.T, tables *wireTables, m *Model, parts []Part, what string) {
	t.Helper()
	body := new(Encoder).appendRange(nil, m, parts)
	got := sceneEmpty(parts)
	if err := decodeWire(tables, body, m.layout, got); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	sceneSame(t, parts, got)
}

// wireParts are those of the last send against one so many sends older, and with it
// the one before that.
func wireParts(sends [][]Group, age int, second bool, slots func(int) uint64) []Part {
	at := len(sends) - 1
	var base, base2 []Group
	if age > 0 {
		base = sends[at-age]
		if second {
			base2 = sends[at-age-1]
		}
	}
	return sceneParts(sends[at], base, base2, slots)
}

// riders are entities that move and turn now and then, and others that ride on them,
// one on the other.
type riders struct {
	layout *Layout
	rng    *rand.Rand
	apart  int // sends from where one begins to move to where the next does
	sends  [][]Group
}

const (
	riderMask  = 1<<0 | 1<<1 | 1<<3 // place, turn, parent
	leaderMask = 1<<0 | 1<<1 | 1<<2 | 1<<4
)

func newRiders(t testing.TB, seed uint64, groups int) *riders {
	r := &riders{apart: 1, rng: rand.New(rand.NewPCG(seed, 5))}
	r.layout = NewLayout([]*schema.Table{
		sceneTable(t, motionPlace{}, nil), sceneTable(t, motionTurn{}, nil), sceneTable(t, motionRate{}, nil),
		sceneTable(t, motionParent{}, nil), sceneTable(t, motionPhase{}, nil),
	}, 3, 20)
	now := make([]Group, groups)
	for g := range now {
		now[g].Reset(1)
		for k := range GroupSize {
			mask, id := uint64(leaderMask), uint32(g*GroupSize+k+1)
			if k%4 != 3 {
				mask = riderMask
			}
			rec := now[g].Put(k, id, mask, r.layout.RecordWords(mask))
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
	r.sends = append(r.sends, now)
	return r
}

// step makes the next send. What rides moves with what it rides on, turning around it.
func (r *riders) step() {
	was := r.sends[len(r.sends)-1]
	now := make([]Group, len(was))
	grid := newQuatGrid(12)
	for g := range was {
		now[g].Send = was[g].Send + 1
		var v [3]int32
		spin := rotation{0, 0, 0, one}
		var from, to [3]int32
		for k := GroupSize - 1; k >= 0; k-- {
			b := was[g].Record(k)
			rec := now[g].Put(k, was[g].IDs[k], was[g].Masks[k], len(b))
			copy(rec, b)
			if was[g].Masks[k] == leaderMask {
				r.lead(rec, k, &v, &spin)
				from, to = [3]int32(b), [3]int32(rec)
			} else {
				m := spin.matrix()
				x, y, z := m.turn(int64(b[0]-from[0]), int64(b[1]-from[1]), int64(b[2]-from[2]))
				rec[0], rec[1], rec[2] = to[0]+int32(x), to[1]+int32(y), to[2]+int32(z)
				if r.rng.IntN(20) == 0 {
					rec[r.rng.IntN(3)] += r.rng.Int32N(40) - 20
				}
				if r.rng.IntN(60) == 0 {
					rec[7] = int32(r.rng.Uint32N(70))
				}
			}
			q := grid.rotation(b[3:])
			q = spin.times(&q)
			missing, _, _ := q.largest()
			rec[3] = missing
			rec[4], rec[5], rec[6] = grid.words(&q, missing)
		}
	}
	r.sends = append(r.sends, now)
}

// lead moves one that is no rider: for eight sends of every sixteen, its own way.
func (r *riders) lead(rec []int32, k int, v *[3]int32, spin *rotation) {
	*v, *spin = [3]int32{}, rotation{0, 0, 0, one}
	if (len(r.sends)+k*r.apart)%16 < 8 {
		rec[7], rec[8] = 1024, 1024
		return
	}
	*v = [3]int32{int32(k) - 32, 7, int32(k % 3)}
	angle := float64(k%5) / 50
	*spin = rotation{0, int64(one * math.Sin(angle)), 0, int64(one * math.Cos(angle))}
	for i := range v {
		rec[i] += v[i]
	}
	rec[7], rec[8] = 1024+20*v[0], 1024+20*v[1]
	rec[9] = (rec[9] + int32(k)) % 1024
}

// wireRawParts are parts at full precision: words that look like floats.
func wireRawParts(r *riders, l *Layout, parts []Part) []Part {
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
