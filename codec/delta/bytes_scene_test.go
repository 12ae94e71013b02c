package delta

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tactusgo/tactus/codec/schema"
)

// The components of the scenes that the tests of the byte coders play.
type (
	scenePlace struct {
		X, Y float32 `net:"-512..512 step 0.0625"`
		Z    float32 `net:"-512..512 step 0.0625"`
	}
	sceneTurn struct {
		Q struct{ X, Y, Z, W float32 } `net:"quat 9"`
	}
	sceneFlight struct {
		X     float32 `net:"-1000..1000 step 0.00390625 axis x lines 0.0625"`
		Y     float32 `net:"-1000..1000 step 0.00390625 axis y lines 0.0625"`
		Angle uint8   `net:"0..255 angle along"`
	}
	sceneMood struct {
		Mood   uint8  `net:"enum 5"`
		Keys   uint64 `net:"flags 40"`
		Health uint8  `net:"0..100"`
		Alive  bool
		Clock  float32 `net:"degrees 0.5"`
	}
	sceneName struct {
		N     uint8    `net:"count"`
		Bytes [16]byte `net:"text"`
		Seed  uint64   `net:"raw"`
	}
	sceneLink struct {
		To uint32 `net:"ref parent"`
	}
)

// sceneLayout is a layout with every kind of field, and a component without any.
func sceneLayout(t testing.TB) *Layout {
	t.Helper()
	place := schema.Fields{
		"X": "-512..512 step 0.0625 axis x", "Y": "-512..512 step 0.0625 axis y", "Z": "-512..512 step 0.0625 axis z",
	}
	return NewLayout([]*schema.Table{
		sceneTable(t, scenePlace{}, place), sceneTable(t, sceneTurn{}, nil), nil, sceneTable(t, sceneFlight{}, nil),
		sceneTable(t, sceneMood{}, nil), sceneTable(t, sceneName{}, nil), sceneTable(t, sceneLink{}, nil),
	}, 3, 20)
}

func sceneTable(t testing.TB, v any, over schema.Fields) *schema.Table {
	t.Helper()
	table, err := schema.Compile(reflect.TypeOf(v), over)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// The component masks that entities of a scene have.
var sceneMasks = []uint64{1<<0 | 1<<1 | 1<<6, 1<<3 | 1<<4, 1<<0 | 1<<2, 1<<5 | 1<<3, 1 << 2, 0, 1<<7 - 1}

// scene is a world of groups that changes at random from one send to the next.
type scene struct {
	layout *Layout
	rng    *rand.Rand
	rate   float64 // chance that an entity has news at a send
	groups []Group
	next   uint32
}

func newScene(t testing.TB, seed uint64, groups int, rate float64) *scene {
	s := &scene{layout: sceneLayout(t), rng: rand.New(rand.NewPCG(seed, 7)), rate: rate, groups: make([]Group, groups), next: 1}
	for g := range s.groups {
		s.groups[g].Send = 1
		for k := range GroupSize {
			s.spawn(g, k)
		}
	}
	return s
}

func (s *scene) spawn(g, k int) {
	switch s.rng.IntN(10) {
	case 0:
		s.groups[g].Clear(k, false)
		return
	case 1:
		s.groups[g].Clear(k, true)
		return
	}
	mask := sceneMasks[(g+s.rng.IntN(20)/19)%len(sceneMasks)]
	rec := s.groups[g].Put(k, s.next, mask, s.layout.RecordWords(mask))
	s.next += 1 + s.rng.Uint32N(2)
	s.fill(mask, rec)
}

// fill gives a record words that quantizing could have made.
func (s *scene) fill(mask uint64, rec []int32) {
	at := 0
	for ; mask != 0; mask &= mask - 1 {
		c := bits.TrailingZeros64(mask)
		if t := s.layout.tables[c]; t != nil {
			for k := range t.Words {
				rec[at+k] = s.word(t, k)
			}
			at += t.Words
		}
	}
}

// word is any value of a word.
func (s *scene) word(t *schema.Table, k int) int32 {
	for i := range t.Fields {
		f := &t.Fields[i]
		switch j := k - f.Word; {
		case j < 0 || j >= f.Words:
		case f.Ref:
			return int32(s.rng.Uint32N(s.next))
		case f.Form == schema.FormQuat && j == 0:
			return s.rng.Int32N(4)
		case f.Lines > 0 && j == 1:
			return s.rng.Int32N(200) - 100
		case f.Form == schema.FormGrid:
			return int32(s.rng.Uint32N(uint32((f.Max-f.Min)/f.Step + 1)))
		}
	}
	return int32(s.rng.Uint64() & (1<<t.WordBits(k) - 1))
}

// step makes the next send: lines go on, and some entities have news.
func (s *scene) step() {
	old := s.groups
	s.groups = make([]Group, len(old))
	for g := range old {
		was, now := &old[g], &s.groups[g]
		now.Send, now.Known, now.Hidden = was.Send+1, was.Known, was.Hidden
		for m := was.Alive; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			rec := now.Put(k, was.IDs[k], was.Masks[k], len(was.Record(k)))
			copy(rec, was.Record(k))
			s.move(was.Masks[k], rec)
		}
		for k := range GroupSize {
			if s.rng.Float64() < s.rate/10 {
				s.spawn(g, k)
			}
		}
	}
}

// move changes a record as a send would.
func (s *scene) move(mask uint64, rec []int32) {
	news := s.rng.Float64() < s.rate
	at := 0
	for ; mask != 0; mask &= mask - 1 {
		t := s.layout.tables[bits.TrailingZeros64(mask)]
		if t == nil {
			continue
		}
		for i := range t.Fields {
			f := &t.Fields[i]
			w := rec[at+f.Word:][:f.Words]
			switch {
			case f.Lines > 0:
				v := w[1]
				if bend := s.rng.IntN(4); news && bend < 3 {
					v = s.word(t, f.Word+1)
					w[0] += int32(Bend(w[1], v, bend, 3, 3))
				} else {
					w[0] += v
				}
				w[1] = v
			case !news || s.rng.IntN(3) > 0:
			case f.Axis > 0 || f.Form == schema.FormQuat:
				for j := range w {
					if f.Axis > 0 || j > 0 {
						w[j] = min(max(w[j]+s.rng.Int32N(9)-4, 0), 511)
					}
				}
			default:
				for j := range w {
					w[j] = s.word(t, f.Word+j)
				}
			}
		}
		at += t.Words
	}
}

// parts are those of a block that codes groups against bases, which may be nil.
func sceneParts(cur, base, base2 []Group, slots func(g int) uint64) []Part {
	var parts []Part
	for g := range cur {
		p := Part{Cur: &cur[g], Slots: slots(g)}
		if base != nil {
			p.Base = &base[g]
		}
		if base2 != nil {
			p.Base2 = &base2[g]
		}
		parts = append(parts, p)
	}
	return parts
}

// sceneEmpty returns the same parts with groups of which nothing is known.
func sceneEmpty(parts []Part) []Part {
	out := make([]Part, len(parts))
	for i, p := range parts {
		out[i] = p
		out[i].Cur = &Group{Send: p.Cur.Send}
	}
	return out
}

// sceneSame fails the test unless the slots of both parts are the same.
func sceneSame(t testing.TB, want, got []Part) {
	t.Helper()
	for i := range want {
		a, b, s := want[i].Cur, got[i].Cur, want[i].Slots
		if b.Known != s || (a.Alive^b.Alive)&s != 0 || (a.Hidden^b.Hidden)&s != 0 {
			t.Fatalf("part %d: known %x, alive %x, hidden %x; want %x, %x, %x", i, b.Known, b.Alive, b.Hidden, s, a.Alive&s, a.Hidden&s)
		}
		for s &= a.Alive; s != 0; s &= s - 1 {
			k := bits.TrailingZeros64(s)
			if a.IDs[k] != b.IDs[k] || a.Masks[k] != b.Masks[k] || !equal(a.Record(k), b.Record(k)) {
				t.Fatalf("part %d, slot %d: entity %d, mask %x, %v; want %d, %x, %v", i, k,
					b.IDs[k], b.Masks[k], b.Record(k), a.IDs[k], a.Masks[k], a.Record(k))
			}
		}
	}
}

// eachScene visits scenes that are coded with no baseline, one and two, of any age,
// for all slots and for some.
func eachScene(t *testing.T, visit func(where string, m *Model, parts []Part)) {
	for seed := range uint64(12) {
		rate := []float64{0.01, 0.1, 0.5, 1}[seed%4]
		s := newScene(t, seed, 1+int(seed), rate)
		m := NewModel(s.layout, nil)
		sends := [][]Group{s.groups}
		for range 16 {
			s.step()
			sends = append(sends, s.groups)
		}
		for age := range 14 {
			for _, some := range []bool{false, true} {
				var base, base2 []Group
				at := len(sends) - 1
				if age > 0 {
					base = sends[at-age]
					if age%3 > 0 {
						base2 = sends[at-age-age%3]
					}
				}
				slots := allSlots
				if some {
					slots = func(int) uint64 { return s.rng.Uint64() & s.rng.Uint64() }
				}
				visit(fmt.Sprintf("seed %d, age %d", seed, age), m, sceneParts(sends[at], base, base2, slots))
			}
		}
	}
}
