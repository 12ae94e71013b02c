package traffic

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// states holds the newest states of a world of 150 entities. Some of them walk and change color.
type states struct {
	comps  []*ecs.Component
	layout *delta.Layout
	model  *delta.Model
	rng    *rand.Rand
	words  [150][3]int32
	sends  [8][]delta.Group
	send   uint32
}

func newStates() *states {
	p := testgame.Stage(func(p *ecs.Protocol) {
		ecs.Replicate[testgame.Place](p, ecs.Interpolated)
		ecs.Replicate[testgame.Tint](p, 0)
	})
	s := &states{comps: p.Replicated(), rng: rand.New(rand.NewPCG(1, 1))}
	tables := make([]*schema.Table, len(s.comps))
	for i := range 2 {
		last := len(s.comps) - 1 - i
		tables[last] = s.comps[last].Schema
	}
	s.layout = delta.NewLayout(tables, 3, 20)
	s.model = delta.NewModel(s.layout, nil)
	for n := range s.words {
		s.words[n] = [3]int32{int32(51200 + 100*n), 51300, int32(n)}
	}
	return s
}

// walk adds a number of states.
func (s *states) walk(sends int) {
	for range sends {
		for range 30 {
			e := &s.words[s.rng.IntN(40)]
			e[0] += int32(s.rng.IntN(5)) * 10
			if s.rng.IntN(10) == 0 {
				e[2] ^= 1
			}
		}
		s.send++
		groups := make([]delta.Group, 3)
		for g := range groups {
			groups[g].Reset(s.send)
			groups[g].Known = ^uint64(0)
		}
		for n := range s.words {
			copy(groups[n/64].Put(n%64, uint32(n+1), 0b11<<(len(s.comps)-2), 3), s.words[n][:])
		}
		s.sends[s.send%8] = groups
	}
}

// delta returns the parts of the newest state against the state age sends earlier.
func (s *states) delta(age uint32) (parts []delta.Part) {
	now, base := s.sends[s.send%8], s.sends[(s.send-age)%8]
	for g := range base {
		parts = append(parts, delta.Part{Cur: &now[g], Base: &base[g], Slots: ^uint64(0)})
	}
	return parts
}

// draw returns random choices for a block.
func (s *states) draw() uint64 { return s.rng.Uint64() }

// meter returns a meter with its accounts.
func (s *states) meter() (*Accounts, *Meter) {
	var a Accounts
	a.Begin(s.layout, s.comps)
	return &a, &Meter{}
}

// The measured costs of a block have an error of at most a tenth of a bit per value. Their sum is at most the size of the
// block plus the eight bytes with which the coder ends it.
func TestFieldsTakeWhatBlocksTake(t *testing.T) {
	s := newStates()
	a, m := s.meter()
	m.all = true
	s.walk(20)
	var sum, rest int64
	for n := range 100 {
		s.walk(1)
		before := slices.Clone(a.lots[1].fields)
		took := int64(0)
		_, _, size, costs := m.Block(a, a, nil, s.model, s.delta(1), s.draw())
		if costs < 0 {
			t.Fatal("a block was not measured")
		}
		for i := range before {
			took += a.lots[1].fields[i].encoded - before[i].encoded
		}
		if took > int64(size+8)*byteParts {
			t.Errorf("block %d of %d bytes: its fields take %.1f", n, size, float64(took)/byteParts)
		}
		sum += int64(size) * byteParts
		rest += int64(size)*byteParts - took
	}
	if sum == 0 || rest < 0 || 10*rest > 7*sum {
		t.Errorf("%d of %d belong to no field", rest, sum)
	}
}

// Measuring one delta in eight gives the same result as measuring all, whatever they contain.
func TestSamplesSpeakForAll(t *testing.T) {
	s := newStates()
	s.walk(20)
	each, all := s.meter()
	all.all = true
	some, one := s.meter()
	measured := 0
	const blocks = 2000
	for n := range blocks {
		s.walk(1)
		parts := s.delta(uint32(1 + n%4))
		if n%3 == 0 { // blocks of one group now and then
			parts = parts[n%len(parts):][:1]
		}
		all.Block(each, each, nil, s.model, parts, s.draw())
		if _, _, _, costs := one.Block(some, some, nil, s.model, parts, s.draw()); costs >= 0 {
			measured++
		}
	}
	if measured < blocks/10 || measured > blocks/6 {
		t.Errorf("%d of %d blocks were measured", measured, blocks)
	}
	x, y := &each.lots[1], &some.lots[1]
	for i := range x.fields {
		want := float64(x.fields[i].encoded) * x.encoded.scale()
		got := float64(y.fields[i].encoded) * y.encoded.scale()
		if math.Abs(want-got) > 0.02*float64(x.encoded.all) {
			t.Errorf("field %d took %.0f bytes of %d, the samples say %.0f", i, want, x.encoded.all, got)
		}
	}
}
