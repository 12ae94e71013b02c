package delta

import (
	"math/bits"
	"reflect"
	"testing"

	"github.com/tactusgo/tactus/codec/schema"
)

// The components of scenes.
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

// sceneLayout returns a layout with every kind of field, and a component without any.
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

// tablesOf returns the layout of components with their own tags.
func tablesOf(t testing.TB, components ...any) *Layout {
	t.Helper()
	var tables []*schema.Table
	for _, c := range components {
		tables = append(tables, sceneTable(t, c, nil))
	}
	return NewLayout(tables, 3, 20)
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
	film
	rate float64 // chance that an entity has news at a send
	id   uint32  // the next one
}

func newScene(t testing.TB, seed uint64, groups int, rate float64) *scene {
	s := &scene{film: newFilm(sceneLayout(t), seed, 7, groups), rate: rate, id: 1}
	for g := range s.now() {
		for k := range GroupSize {
			s.spawn(&s.now()[g], g, k)
		}
	}
	return s
}

// news returns a scene after a step, with the parts of a block of it against the send before.
func news(t testing.TB, seed uint64, groups int, rate float64) (*scene, *Model, []Part) {
	s := newScene(t, seed, groups, rate)
	s.step()
	return s, NewModel(s.layout, nil), s.parts(1, 0, nil)
}

func (s *scene) spawn(now *Group, g, k int) {
	if n := s.rng.IntN(10); n < 2 {
		now.Clear(k, n == 1)
		return
	}
	mask := sceneMasks[(g+s.rng.IntN(20)/19)%len(sceneMasks)]
	rec := now.Put(k, s.id, mask, s.layout.RecordWords(mask))
	s.id += 1 + s.rng.Uint32N(2)
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

// word returns any value of a word.
func (s *scene) word(t *schema.Table, k int) int32 {
	for i := range t.Fields {
		f := &t.Fields[i]
		switch j := k - f.Word; {
		case j < 0 || j >= f.Words:
		case f.Ref:
			return int32(s.rng.Uint32N(s.id))
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
	_, groups := s.next()
	for g := range groups {
		now := &groups[g]
		for _, k := range wireSlots(now.Alive) {
			s.move(now.Masks[k], now.Record(k))
		}
		for k := range GroupSize {
			if s.rng.Float64() < s.rate/10 {
				s.spawn(now, g, k)
			}
		}
	}
}

// teach passes blocks of the next sends to add.
func (s *scene) teach(sends int, add func([]Part)) {
	for range sends {
		s.step()
		add(s.parts(1, 0, nil))
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
				if at := s.rng.IntN(4); news && at < 3 {
					v = s.word(t, f.Word+1)
					w[0] += int32(bend(w[1], v, at, 3, 3))
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
