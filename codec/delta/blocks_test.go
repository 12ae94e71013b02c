package delta

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/internal/race"
)

// named reports whether err is one of the errors that [Decoder.Decode] documents.
func named(err error) bool {
	for _, e := range []error{codec.ErrShort, codec.ErrMalformed, codec.ErrTooLarge, codec.ErrBaseline} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// refused fails the test when err is not one that hostile bytes may give.
func refused(t *testing.T, err error) {
	t.Helper()
	if !named(err) {
		t.Fatal(err)
	}
}

// readers are the coders of blocks with baselines of any age, and the decoder of the document.
type readers struct {
	*testing.T
	tables    *wireTables
	any, zstd Encoder
	dec       Decoder
	used      map[Coder]int
}

// read encodes a block with the smallest coder, with zstd or raw, and with the range coder, and decodes it. The document
// covers second baselines of the send before the first only.
func (r *readers) read(where string, m *Model, parts []Part, gap int) {
	r.Helper()
	check := func(body []byte, coder Coder, documented bool) {
		r.Helper()
		got := sceneEmpty(parts)
		if err := r.dec.Decode(body, coder, m, got); err != nil {
			r.Fatalf("%s, coder %d: %v", where, coder, err)
		}
		sceneSame(r, parts, got)
		if !documented {
			return
		}
		got = sceneEmpty(parts)
		if err := readWire(r.tables, body, coder, m.layout, got); err != nil {
			r.Fatalf("%s, coder %d, by the document: %v", where, coder, err)
		}
		sceneSame(r, parts, got)
	}
	for _, e := range []*Encoder{&r.any, &r.zstd} {
		body, coder := e.Append([]byte("head"), m, parts)
		r.used[coder]++
		check(body[4:], coder, gap < 2 && e == &r.zstd)
	}
	check(r.any.appendRange(nil, m, parts), Range, gap < 2)
}

// Blocks of randomly changing worlds are decoded to what was encoded, by the package and by decoders written from the
// document: with zero, one and two baselines of any age, for all slots and for some, in any state of the encoder.
func TestBlocksAreRead(t *testing.T) {
	r := &readers{T: t, tables: readWireTables(t), used: map[Coder]int{}}
	r.zstd.Only = ZstdOnly
	for seed := range uint64(8) {
		s := newScene(t, seed, 1+int(seed%8), []float64{0.01, 0.1, 0.5, 1}[seed%4])
		m := NewModel([]*Layout{s.layout, NewLayout(s.layout.tables, 1, 60)}[seed/4], nil)
		for range 16 {
			s.step()
		}
		for age := range 14 {
			where := fmt.Sprintf("scene %d, age %d", seed, age)
			r.read(where, m, s.parts(age, age%3, nil), age%3)
			gap := min(age%3, 1)
			r.read(where, m, s.parts(age, gap, func(int) uint64 { return s.rng.Uint64() & s.rng.Uint64() }), gap)
			r.read(where, m, s.parts(age, gap, slotsOf(1<<seed)), gap)
		}
	}
	for seed := range uint64(2) {
		w := newWalkers(t, seed, 4)
		m := NewModel([]*Layout{w.layout, NewLayout(w.layout.tables, 1, 60)}[seed], nil) // the second has units of three sends
		for range 130 {
			w.step(10)
		}
		for _, age := range []int{0, 1, 2, 3, 4, 5, 8, 24, 64, 120} {
			for _, slots := range []uint64{math.MaxUint64, w.rng.Uint64(), 1 << 5} {
				r.read(fmt.Sprintf("walkers %d, age %d", seed, age), m, w.parts(age, 0, slotsOf(slots)), 0)
			}
		}
	}
	for seed := range uint64(3) {
		w := newRiders(t, seed, 3)
		for range 44 {
			w.step()
		}
		m, full := NewModel(w.layout, nil), NewModel(NewRawLayout(w.layout.tables, 3, 20), nil)
		for _, age := range []int{0, 1, 2, 3, 5, 8, 24, 40} {
			where, gap := fmt.Sprintf("riders %d, age %d", seed, age), min(age%4, 1)
			parts := w.parts(age, gap, nil)
			r.read(where, m, parts, gap)
			r.read("full precision, "+where, full, w.full(full.layout, parts), gap)
		}
	}
	// Entities that stood still begin to move with their parents.
	w := newRiders(t, 1, 1)
	w.apart = 0
	for m := NewModel(w.layout, nil); len(w.sends) < 60; w.step() {
		if len(w.sends) > 9 {
			for _, age := range []int{2, 5, 3} {
				r.read(fmt.Sprintf("together, send %d, age %d", len(w.sends), age), m, w.parts(age, 1, nil), 1)
			}
		}
	}
	if r.used[Raw] == 0 || r.used[Zstd] == 0 || r.used[Range] == 0 {
		t.Errorf("coders used: %v", r.used)
	}
}

// Raw layouts are decoded exactly, whatever their words contain.
func TestRawLayoutsAreExact(t *testing.T) {
	s := newScene(t, 3, 1, 0.5)
	l := NewRawLayout(s.layout.tables, 3, 20)
	var base, cur Group
	base.Reset(1)
	cur.Reset(2)
	for k := range 6 {
		mask := uint64(1<<k | 1<<6)
		n := l.RecordWords(mask)
		a, b := base.Put(k, uint32(k+1), mask, n), cur.Put(k, uint32(k+1), mask, n)
		for i := range a {
			a[i] = int32(s.rng.Uint32())
			if b[i] = a[i]; s.rng.IntN(2) == 0 {
				b[i] += s.rng.Int32N(1000)
			}
		}
	}
	r := &readers{T: t, tables: readWireTables(t), used: map[Coder]int{}}
	for _, b := range []*Group{nil, &base} {
		r.read("raw", NewModel(l, nil), []Part{{Cur: &cur, Base: b, Slots: 0x3f}}, 0)
	}
}

// Slots that the decoder already knows keep their values, whatever the block contains.
func TestKnownSlotsStay(t *testing.T) {
	s, m, _ := news(t, 4, 3, 0.5)
	var e Encoder
	var d Decoder
	var got []Part
	for _, slots := range []uint64{0xffff, 0xffffff00} {
		parts := s.parts(1, 0, slotsOf(slots))
		if got == nil {
			got = sceneEmpty(parts)
		}
		body, coder := e.Append(nil, m, parts)
		for i := range got {
			got[i].Slots = slots
		}
		if err := d.Decode(body, coder, m, got); err != nil {
			t.Fatal(err)
		}
	}
	sceneSame(t, s.parts(1, 0, slotsOf(0xffffffff)), got)
}

func TestBlocksAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("zstd's pools drop buffers at random under the race detector")
	}
	s, m, _ := news(t, 3, 3, 0.3)
	s.step()
	for name, parts := range map[string][]Part{"full": s.parts(0, 0, nil), "delta": s.parts(1, 0, nil), "second": s.parts(1, 1, nil)} {
		for _, only := range []Coders{AnyCoder, ZstdOnly} {
			enc := Encoder{Account: true, Only: only}
			var dec Decoder
			var costs []Cost
			got := sceneEmpty(parts)
			body := make([]byte, 0, 1<<16)
			code := func() {
				var coder Coder
				body, coder = enc.Append(body[:0], m, parts)
				for i := range got {
					got[i].Cur.Reset(parts[i].Cur.Send)
				}
				if err := dec.Decode(body, coder, m, got); err != nil {
					t.Fatal(err)
				}
				costs = enc.Costs(costs[:0])
			}
			for range 8 {
				code()
			}
			if n := testing.AllocsPerRun(100, code); n != 0 {
				t.Errorf("%s, %d: %v allocations", name, only, n)
			}
		}
	}
}

// Every cut of a body, and every bit of it turned over, is refused by a named error or decoded to
// something else, without a panic. Cuts of zstd and raw are refused.
func TestDamagedBlocks(t *testing.T) {
	_, m, parts := news(t, 5, 2, 0.3)
	var dec Decoder
	decodes := func(body []byte, c Coder) bool {
		err := dec.Decode(body, c, m, sceneEmpty(parts))
		if err != nil {
			refused(t, err)
		}
		return err == nil
	}
	ranged := new(Encoder).appendRange(nil, m, parts)
	packed, with := (&Encoder{Only: ZstdOnly}).Append(nil, m, parts)
	accepted := 0
	for _, body := range [][]byte{ranged, packed} {
		for n := range body {
			if decodes(body[:n], Range) {
				accepted++
			}
			if decodes(packed[:min(n, len(packed)-1)], with) {
				t.Errorf("%d of %d bytes are accepted", n, len(packed))
			}
		}
		bad := make([]byte, len(body))
		for i := range len(body) * 8 {
			copy(bad, body)
			bad[i/8] ^= 1 << (i % 8)
			for c := Raw; c <= Range; c++ {
				if decodes(bad, c) && c == Range {
					accepted++
				}
			}
		}
	}
	if decodes(append(ranged, 0), Range) || accepted > len(ranged) {
		t.Errorf("%d of %d damaged bodies were accepted", accepted, 9*(len(ranged)+len(packed))+1)
	}
}

// A world at rest costs almost nothing with any coder, because lines predict that entities stay where they are.
func TestAWorldAtRest(t *testing.T) {
	_, m, parts := news(t, 1, 15, 0)
	if body := new(Encoder).appendRange(nil, m, parts); len(body) > 24 {
		t.Errorf("%d bytes for %d groups", len(body), len(parts))
	}
	if body, coder := (&Encoder{Only: ZstdOnly}).Append(nil, m, parts); len(body) > 4 {
		t.Errorf("%d bytes for %d groups, coder %d", len(body), len(parts), coder)
	}
}

// Baselines must be there and know the slots.
func TestBlocksNeedTheirBaselines(t *testing.T) {
	s, m, _ := news(t, 6, 1, 0.3)
	s.step()
	parts := s.parts(1, 1, nil)
	for _, e := range []Encoder{{}, {Only: ZstdOnly}} {
		body, coder := e.Append(nil, m, parts)
		for name, change := range map[string]func(*Part){
			"an empty baseline": func(p *Part) { p.Base = &Group{Send: 1} }, "an empty second": func(p *Part) { p.Base2 = &Group{Send: 1} },
			"no baseline": func(p *Part) { p.Base, p.Base2 = nil, nil },
		} {
			got := sceneEmpty(parts)
			change(&got[0])
			if err := new(Decoder).Decode(body, coder, m, got); !errors.Is(err, codec.ErrBaseline) && got[0].Base != nil {
				t.Errorf("coder %d, %s: %v", coder, name, err)
			}
		}
		if err := new(Decoder).Decode(body, Range+1, m, sceneEmpty(parts)); !errors.Is(err, codec.ErrMalformed) {
			t.Errorf("a coder that there is not: %v", err)
		}
	}
}
