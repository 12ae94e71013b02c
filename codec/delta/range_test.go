package delta

import (
	"errors"
	"math"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/internal/race"
)

// named reports whether err is one of those that [Decoder.Decode] promises.
func named(err error) bool {
	for _, e := range []error{codec.ErrShort, codec.ErrMalformed, codec.ErrTooLarge, codec.ErrBaseline, ErrDictionary} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// Every scene comes out as it went in, coded by whatever is the smallest, and by the
// range coder.
func TestBlocksAreExact(t *testing.T) {
	var enc, only Encoder
	only.Only = ZstdOnly
	var dec Decoder
	used := map[Coder]int{}
	eachScene(t, func(where string, m *Model, parts []Part) {
		decode := func(body []byte, coder Coder) {
			got := sceneEmpty(parts)
			if err := dec.Decode(body, coder, m, got); err != nil {
				t.Fatalf("%s, coder %d: %v", where, coder, err)
			}
			sceneSame(t, parts, got)
		}
		for _, e := range []*Encoder{&enc, &only} {
			body, coder := e.Append([]byte("head"), m, parts)
			used[coder]++
			decode(body[4:], coder)
		}
		decode(enc.appendRange(nil, m, parts), Range)
	})
	if used[Range] == 0 || used[Raw]+used[Zstd] == 0 {
		t.Errorf("coders used: %v", used)
	}
}

// Raw layouts come out as they went in too.
func TestRawLayoutsAreExact(t *testing.T) {
	s := newScene(t, 3, 1, 0.5)
	l := NewRawLayout(s.layout.tables, 3, 20)
	m := NewModel(l, nil)
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
	for _, b := range []*Group{nil, &base} {
		parts := []Part{{Cur: &cur, Base: b, Slots: 0x3f}}
		var e Encoder
		body, coder := e.Append(nil, m, parts)
		got := sceneEmpty(parts)
		if err := new(Decoder).Decode(body, coder, m, got); err != nil {
			t.Fatal(err)
		}
		sceneSame(t, parts, got)
	}
}

// Slots that are known already keep what they have, whatever a block says.
func TestKnownSlotsStay(t *testing.T) {
	s := newScene(t, 4, 3, 0.5)
	m := NewModel(s.layout, nil)
	base := s.groups
	s.step()
	first := sceneParts(s.groups, base, nil, func(int) uint64 { return 0xffff })
	second := sceneParts(s.groups, base, nil, func(int) uint64 { return 0xffffff00 })
	got := sceneEmpty(first)
	var e Encoder
	var d Decoder
	for _, parts := range [][]Part{first, second} {
		body, coder := e.Append(nil, m, parts)
		for i := range got {
			got[i].Slots = parts[i].Slots
		}
		if err := d.Decode(body, coder, m, got); err != nil {
			t.Fatal(err)
		}
	}
	both := sceneParts(s.groups, base, nil, func(int) uint64 { return 0xffffffff })
	sceneSame(t, both, got)
}

func TestBlocksAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("zstd's pools drop buffers at random under the race detector")
	}
	s := newScene(t, 3, 10, 0.3)
	m := NewModel(s.layout, nil)
	base2 := s.groups
	s.step()
	base := s.groups
	s.step()
	for name, parts := range map[string][]Part{
		"delta":  sceneParts(s.groups, base, nil, allSlots),
		"second": sceneParts(s.groups, base, base2, allSlots),
		"full":   sceneParts(s.groups, nil, nil, allSlots),
	} {
		enc := Encoder{Account: true}
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
		for range 2 * tryEvery {
			code()
		}
		if n := testing.AllocsPerRun(100, code); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// Every cut of a body, and every bit of it turned over, is refused by a named
// error or decoded to something else, without a panic.
func TestRangeDamaged(t *testing.T) {
	s := newScene(t, 5, 2, 0.3)
	m := NewModel(s.layout, nil)
	base := s.groups
	s.step()
	parts := sceneParts(s.groups, base, nil, allSlots)
	var enc Encoder
	var dec Decoder
	body := enc.appendRange(nil, m, parts)
	accepted := 0
	try := func(b []byte) {
		err := dec.Decode(b, Range, m, sceneEmpty(parts))
		if err == nil {
			accepted++
		} else if !named(err) {
			t.Fatal(err)
		}
	}
	for n := range body {
		try(body[:n])
	}
	bad := make([]byte, len(body))
	for i := range len(body) * 8 {
		copy(bad, body)
		bad[i/8] ^= 1 << (i % 8)
		try(bad)
	}
	try(append(body, 0))
	if most := len(body); accepted > most {
		t.Errorf("%d of %d damaged bodies were accepted", accepted, 9*len(body)+1)
	}
}

// A world at rest costs next to nothing.
func TestAWorldAtRest(t *testing.T) {
	s := newScene(t, 1, 15, 0)
	m := NewModel(s.layout, nil)
	base := s.groups
	s.step()
	parts := sceneParts(s.groups, base, nil, allSlots)
	var e Encoder
	if body := e.appendRange(nil, m, parts); len(body) > 24 {
		t.Errorf("%d bytes for %d groups", len(body), len(parts))
	}
}

func TestBaselinesMustKnowTheSlots(t *testing.T) {
	s := newScene(t, 6, 1, 0.3)
	m := NewModel(s.layout, nil)
	base := s.groups
	s.step()
	parts := sceneParts(s.groups, base, base, allSlots)
	var e Encoder
	body, coder := e.Append(nil, m, parts)
	for _, second := range []bool{false, true} {
		got := sceneEmpty(parts)
		if second {
			got[0].Base2 = &Group{Send: 1}
		} else {
			got[0].Base = &Group{Send: 1}
		}
		if err := new(Decoder).Decode(body, coder, m, got); !errors.Is(err, codec.ErrBaseline) {
			t.Errorf("against an empty baseline: %v", err)
		}
	}
	if err := new(Decoder).Decode(body, Range+1, m, sceneEmpty(parts)); !errors.Is(err, codec.ErrMalformed) {
		t.Errorf("a coder that there is not: %v", err)
	}
}

// The costs of all fields together are the length of the blocks.
func TestCostsAddUp(t *testing.T) {
	s := newScene(t, 8, 4, 0.5)
	m := NewModel(s.layout, nil)
	e := Encoder{Account: true}
	e.AccountEntities(true)
	bytes, blocks := 0, 0
	for range 20 {
		base := s.groups
		s.step()
		bytes += len(e.appendRange(nil, m, sceneParts(s.groups, base, nil, allSlots)))
		blocks++
	}
	sum, rest := 0.0, 0.0
	for _, c := range e.Costs(nil) {
		sum += c.Bits
		if c.Component < 0 {
			rest += c.Bits
		}
	}
	if math.Abs(sum/8-float64(bytes)) > float64(blocks) {
		t.Errorf("%.1f bytes in the account, %d on the wire", sum/8, bytes)
	}
	on := 0.0
	for id := range s.next {
		on += e.CostOf(id)
	}
	if math.Abs(on-(sum-rest)) > 1 {
		t.Errorf("%.1f bits by entity, %.1f by field", on, sum-rest)
	}
}

// Arbitrary bytes are refused or decoded, and what is decoded is the body that the
// encoder writes for it.
func FuzzDecodeRange(f *testing.F) {
	s := newScene(f, 2, 2, 0.3)
	m := NewModel(s.layout, nil)
	base2 := s.groups
	s.step()
	base := s.groups
	s.step()
	var enc Encoder
	variants := [][]Part{
		sceneParts(s.groups, nil, nil, allSlots),
		sceneParts(s.groups, base, nil, allSlots),
		sceneParts(s.groups, base, base2, allSlots),
		sceneParts(s.groups, base, base2, func(int) uint64 { return 0x00ff_0ff0_f0f0_3333 }),
	}
	for i, parts := range variants {
		f.Add(uint8(i), enc.appendRange(nil, m, parts))
	}
	f.Add(uint8(0), []byte{})
	f.Fuzz(func(t *testing.T, variant uint8, body []byte) {
		parts := variants[int(variant)%len(variants)]
		got := sceneEmpty(parts)
		d := Decoder{Account: true}
		if err := d.Decode(body, Range, m, got); err != nil {
			if !named(err) {
				t.Fatal(err)
			}
			return
		}
		again := sceneEmpty(parts)
		if err := new(Decoder).Decode(new(Encoder).appendRange(nil, m, got), Range, m, again); err != nil {
			t.Fatal(err)
		}
		sceneSame(t, got, again)
	})
}
