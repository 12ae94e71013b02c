package codec

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// packet is a list of entities with the baselines that its receiver holds.
type packet struct {
	layout *Layout
	ents   []Entity
	held   map[[2]uint32]Entity // by id and age
}

// base is what a receiver gives to Decode.
func (p *packet) base(id, age uint32) (uint64, []int32, bool) {
	b, ok := p.held[[2]uint32{id, age}]
	return b.Mask, b.Base, ok
}

func (p *packet) add(e Entity) {
	if e.Op == OpSame || e.Op == OpDelta {
		p.held[[2]uint32{e.ID, e.Age}] = e
	}
	p.ents = append(p.ents, e)
}

func newPacket(words ...int) *packet {
	return &packet{layout: NewLayout(words), held: map[[2]uint32]Entity{}}
}

// randomPacket draws a packet of up to n entities over a random layout.
func randomPacket(rng *rand.Rand, n int) *packet {
	words := make([]int, rng.IntN(8))
	if rng.IntN(10) == 0 {
		words = make([]int, 33+rng.IntN(32))
	}
	for i := range words {
		words[i] = rng.IntN(5)
		if rng.IntN(20) == 0 {
			words[i] = rng.IntN(100)
		}
	}
	p := newPacket(words...)
	value := func() int32 { return int32(rng.Uint32()) >> rng.IntN(32) }
	id := uint32(0)
	mask := rng.Uint64()
	if rng.IntN(20) == 0 {
		id = 1<<32 - 1 - uint32(n)*1000
	}
	for range rng.IntN(n + 1) {
		id++
		if rng.IntN(3) == 0 {
			id += rng.Uint32N(999)
		}
		if rng.IntN(4) == 0 {
			mask = rng.Uint64()
		}
		e := Entity{ID: id, Op: Op(rng.IntN(4)), Mask: mask & p.layout.known}
		switch e.Op {
		case OpGone:
			p.add(Entity{ID: id, Op: OpGone})
			continue
		case OpSame, OpDelta:
			e.Age = 3
			if rng.IntN(4) == 0 {
				e.Age = 1 + rng.Uint32()>>rng.IntN(32)%(1<<31)
			}
		}
		e.Cur = make([]int32, p.layout.RecordWords(e.Mask))
		for i := range e.Cur {
			e.Cur[i] = value()
		}
		if e.Op != OpFull {
			e.Base = slices.Clone(e.Cur)
		}
		if e.Op == OpDelta {
			for i := range e.Base {
				if rng.IntN(3) == 0 {
					e.Base[i] -= value()
				}
			}
		}
		p.add(e)
	}
	return p
}

// sameEntity compares what was sent with what arrived. An OpDelta without a
// difference arrives as OpSame.
func sameEntity(sent, got *Entity) error {
	op := sent.Op
	if op == OpDelta && slices.Equal(sent.Cur, sent.Base) {
		op = OpSame
	}
	switch {
	case got.Op != op:
		return fmt.Errorf("op %v, want %v", got.Op, op)
	case got.ID != sent.ID || got.Age != sent.Age || got.Mask != sent.Mask:
		return fmt.Errorf("id %d age %d mask %#x, want %d %d %#x", got.ID, got.Age, got.Mask, sent.ID, sent.Age, sent.Mask)
	case !slices.Equal(got.Cur, sent.Cur):
		return fmt.Errorf("entity %d: record %v, want %v", sent.ID, got.Cur, sent.Cur)
	}
	return nil
}

func TestPacketsRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var enc Encoder
	var dec Decoder
	for round := range 3000 {
		p := randomPacket(rng, 1+round%60)
		bound := PacketOverhead
		for i := range p.ents {
			bound += enc.Size(p.layout, &p.ents[i])
		}
		b := enc.Append([]byte("head"), p.layout, p.ents)[4:]
		if len(b) > bound {
			t.Fatalf("round %d: %d bytes, sizes add up to %d", round, len(b), bound)
		}
		i := 0
		err := dec.Decode(b, p.layout, p.base, func(e *Entity) error {
			i++
			return sameEntity(&p.ents[i-1], e)
		})
		if err != nil || i != len(p.ents) {
			t.Fatalf("round %d: %d of %d entities: %v", round, i, len(p.ents), err)
		}
	}
}

// Residuals are taken modulo 2^32, so no pair of values is out of reach.
func TestResidualsWrap(t *testing.T) {
	p := newPacket(3)
	p.add(Entity{ID: 1, Op: OpDelta, Age: 1, Mask: 1,
		Cur: []int32{1<<31 - 1, -1 << 31, 0}, Base: []int32{-1 << 31, 1<<31 - 1, -1 << 31}})
	b := new(Encoder).Append(nil, p.layout, p.ents)
	if err := new(Decoder).Decode(b, p.layout, p.base, func(e *Entity) error {
		return sameEntity(&p.ents[0], e)
	}); err != nil {
		t.Fatal(err)
	}
	// The two ends of the range are neighbours.
	if len(b) > 5+1+1+1+5 {
		t.Errorf("%d bytes", len(b))
	}
}

func TestCost(t *testing.T) {
	var enc Encoder
	still := newPacket(2, 1)
	for i := range uint32(500) {
		still.add(Entity{ID: 100 + i, Op: OpSame, Age: 4, Mask: 3, Base: make([]int32, 3)})
	}
	if n := len(enc.Append(nil, still.layout, still.ents)); n > 10 {
		t.Errorf("500 unchanged neighbours cost %d bytes", n)
	}

	moving := newPacket(2, 1)
	for i := range uint32(100) {
		moving.add(Entity{ID: 1 + i, Op: OpDelta, Age: 4, Mask: 3, Cur: []int32{1, 2, 0}, Base: []int32{0, 0, 0}})
	}
	if n := len(enc.Append(nil, moving.layout, moving.ents)); n > 200+14 {
		t.Errorf("100 moving neighbours cost %d bytes, of which 200 are residuals", n)
	}

	// An equal age costs nothing but its two bytes.
	one := len(enc.Append(nil, still.layout, still.ents[:1]))
	empty := len(enc.Append(nil, still.layout, nil))
	if empty != 1 || one > 5 {
		t.Errorf("no entity %d bytes, one %d", empty, one)
	}
}

func TestLayout(t *testing.T) {
	l := NewLayout([]int{2, 0, 40, 1})
	if l.Components() != 4 || l.Words(2) != 40 || l.RecordWords(0b1101) != 43 || l.Offset(0b1101, 3) != 42 || l.Offset(0b1001, 3) != 2 {
		t.Error("wrong shape")
	}
	if !l.Known(0b1111) || l.Known(0b10000) || NewLayout(nil).Known(1) || !NewLayout(make([]int, 64)).Known(1<<63) {
		t.Error("wrong components")
	}
	for _, words := range [][]int{make([]int, 65), {-1}} {
		mustPanic(t, fmt.Sprint(words), func() { NewLayout(words) })
	}
}

func mustPanic(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", name)
		}
	}()
	f()
}

func TestEncoderRefusesMisuse(t *testing.T) {
	l := NewLayout([]int{1, 2})
	ok := Entity{ID: 5, Op: OpFull, Mask: 1, Cur: []int32{1}}
	for name, ents := range map[string][]Entity{
		"id zero":           {{Op: OpGone}},
		"id twice":          {ok, ok},
		"unknown op":        {{ID: 1, Op: 4}},
		"unknown component": {{ID: 1, Op: OpFull, Mask: 4}},
		"short record":      {{ID: 1, Op: OpFull, Mask: 3, Cur: []int32{1}}},
		"no age":            {{ID: 1, Op: OpSame, Mask: 1}},
		"short baseline":    {{ID: 1, Op: OpDelta, Age: 1, Mask: 2, Cur: []int32{1, 2}, Base: []int32{1}}},
	} {
		mustPanic(t, name, func() { new(Encoder).Append(nil, l, ents) })
	}
}

func TestPacketsAllocateNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	p := newPacket(3, 1, 2)
	for id := uint32(1); id < 300; id += 1 + rng.Uint32N(3) {
		e := Entity{ID: id, Op: Op(rng.IntN(4)), Age: 2, Mask: 0b101, Cur: make([]int32, 5), Base: make([]int32, 5)}
		for i := range e.Cur {
			e.Cur[i] = int32(rng.IntN(3))
		}
		if e.Op == OpSame {
			e.Cur = e.Base
		}
		p.add(e)
	}
	var enc Encoder
	var dec Decoder
	var b []byte
	sum := int32(0)
	work := func() {
		n := 0
		for i := range p.ents {
			n += enc.Size(p.layout, &p.ents[i])
		}
		b = enc.Append(b[:0], p.layout, p.ents)
		if err := dec.Decode(b, p.layout, p.base, func(e *Entity) error {
			for _, v := range e.Cur {
				sum += v
			}
			return nil
		}); err != nil || n == 0 {
			t.Fatal(err)
		}
	}
	work()
	if n := testing.AllocsPerRun(50, work); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestVisitErrorEndsDecode(t *testing.T) {
	p := newPacket(1)
	p.add(Entity{ID: 1, Op: OpGone})
	p.add(Entity{ID: 2, Op: OpGone})
	b := new(Encoder).Append(nil, p.layout, p.ents)
	stop := errors.New("stop")
	n := 0
	if err := new(Decoder).Decode(b, p.layout, nil, func(*Entity) error { n++; return stop }); err != stop || n != 1 {
		t.Errorf("%d visits, %v", n, err)
	}
}
