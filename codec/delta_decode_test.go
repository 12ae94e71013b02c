package codec

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
)

// refuse decodes b and fails if an entity was visited or the error is another.
func refuse(t *testing.T, name string, d *Decoder, p *packet, b []byte, want error) {
	t.Helper()
	n := 0
	err := d.Decode(b, p.layout, p.base, func(*Entity) error { n++; return nil })
	if !errors.Is(err, want) || n != 0 {
		t.Errorf("%s: %d visits, %v, want %v", name, n, err, want)
	}
}

func TestDecoderRefuses(t *testing.T) {
	p := newPacket(1, 2, 40)
	p.add(Entity{ID: 1, Op: OpSame, Age: 1, Mask: 0b011, Base: make([]int32, 3)})
	p.add(Entity{ID: 2, Op: OpSame, Age: 1, Mask: 0b001, Base: make([]int32, 1)})
	p.add(Entity{ID: 3, Op: OpSame, Age: 1, Mask: 0b001, Base: make([]int32, 2)})
	p.add(Entity{ID: 4, Op: OpSame, Age: 1, Mask: 0b1000, Base: nil})
	const same, delta, full, gone = 0, 1, 2, 3
	for _, c := range []struct {
		name string
		b    []byte
		want error
	}{
		{"nothing", nil, ErrShort},
		{"no ops", []byte{1}, ErrShort},
		{"too many", AppendUvarint(nil, DefaultMaxEntities+1), ErrTooLarge},
		{"far too many", AppendUvarint(nil, 1<<63), ErrTooLarge},
		{"run of ops too long", []byte{1, 1<<2 | gone, 0}, ErrMalformed},
		{"huge run of ops", AppendUvarint([]byte{1}, 1<<64-1), ErrMalformed},
		{"run of ops cut in two", []byte{2, gone, gone, 0, 1}, ErrMalformed},
		{"ids end", []byte{2, 1<<2 | gone, 0}, ErrShort},
		{"id beyond 32 bits", append(AppendUvarint([]byte{2, 1<<2 | gone}, (1<<32-1)<<1), 0), ErrMalformed},
		{"gap beyond 32 bits", AppendUvarint([]byte{1, gone}, 1<<33), ErrMalformed},
		{"column begins with a run", []byte{1, gone, 1}, ErrMalformed},
		{"column repeats without a run", []byte{2, 1<<2 | gone, 0, 0}, ErrMalformed},
		{"run to the end spelled out", []byte{3, 2<<2 | gone, 0, 2<<1 | 1}, ErrMalformed},
		{"run too long", []byte{3, 2<<2 | gone, 0, 9<<1 | 1}, ErrMalformed},
		{"no age", []byte{1, same, 0}, ErrShort},
		{"age beyond 32 bits", AppendUvarint([]byte{1, same, 0}, (1<<32-1)<<1), ErrMalformed},
		{"no baseline", []byte{1, same, 0, 1 << 1}, ErrBaseline},
		{"no such entity", []byte{1, same, 9 << 1, 0}, ErrBaseline},
		{"baseline of another length", []byte{1, same, 2 << 1, 0}, ErrBaseline},
		{"baseline of unknown components", []byte{1, same, 3 << 1, 0}, ErrBaseline},
		{"mask of unknown components", []byte{1, full, 0, 8 << 1}, ErrMalformed},
		{"full record too long for the packet", []byte{1, full, 0, 4 << 1, 0, 0, 0}, ErrShort},
		{"nothing changed", []byte{1, delta, 0, 0, 0}, ErrMalformed},
		{"an absent component changed", []byte{1, delta, 0, 0, 4 << 1}, ErrMalformed},
		{"no word of it changed", []byte{1, delta, 0, 0, 2 << 1, 0}, ErrMalformed},
		{"an unknown word changed", []byte{1, delta, 0, 0, 2 << 1, 4 << 1, 2}, ErrMalformed},
		{"changed by nothing", []byte{1, delta, 0, 0, 1 << 1, 0}, ErrMalformed},
		{"residual beyond 32 bits", AppendUvarint([]byte{1, delta, 0, 0, 1 << 1}, 1<<32), ErrMalformed},
		{"residual missing", []byte{1, delta, 0, 0, 1 << 1}, ErrShort},
		{"over-long residual", []byte{1, delta, 0, 0, 1 << 1, 0x80, 0}, ErrMalformed},
		{"a byte left over", []byte{1, delta, 0, 0, 1 << 1, 2, 0}, ErrMalformed},
		{"a byte after no entities", []byte{0, 0}, ErrMalformed},
	} {
		refuse(t, c.name, new(Decoder), p, c.b, c.want)
	}
	n := 0
	if err := new(Decoder).Decode([]byte{1, delta, 0, 0, 1 << 1, 2}, p.layout, p.base, func(*Entity) error { n++; return nil }); err != nil || n != 1 {
		t.Errorf("the good one of these: %d visits, %v", n, err)
	}
	if err := new(Decoder).Decode([]byte{1, same, 0, 0}, p.layout, nil, nil); !errors.Is(err, ErrBaseline) {
		t.Errorf("no base function: %v", err)
	}
}

func TestDecoderLimit(t *testing.T) {
	p := newPacket(1)
	for id := range uint32(10) {
		p.add(Entity{ID: id + 1, Op: OpGone})
	}
	b := new(Encoder).Append(nil, p.layout, p.ents)
	refuse(t, "limit 9", &Decoder{MaxEntities: 9}, p, b, ErrTooLarge)
	if err := (&Decoder{MaxEntities: 10}).Decode(b, p.layout, nil, func(*Entity) error { return nil }); err != nil {
		t.Errorf("limit 10: %v", err)
	}
}

// A packet that lost its end anywhere is refused whole.
func TestDecoderRefusesEveryPrefix(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	var d Decoder
	for range 50 {
		p := randomPacket(rng, 20)
		b := new(Encoder).Append(nil, p.layout, p.ents)
		for n := range b {
			err := d.Decode(b[:n], p.layout, p.base, func(*Entity) error {
				t.Fatal("visited")
				return nil
			})
			if !errors.Is(err, ErrShort) && !errors.Is(err, ErrMalformed) {
				t.Fatalf("%d of %d bytes: %v", n, len(b), err)
			}
		}
	}
}

// fuzzBase holds a baseline for any entity and age: mask and record are functions
// of the two.
func fuzzBase(l *Layout, id, age uint32) (uint64, []int32, bool) {
	if id%7 == 6 {
		return 0, nil, false
	}
	mask := (uint64(id)*0x9e3779b97f4a7c15 + uint64(age)) & l.known
	rec := make([]int32, l.RecordWords(mask))
	for i := range rec {
		rec[i] = int32(id*31 + age*7 + uint32(i))
	}
	return mask, rec, true
}

// Any bytes either are refused or are exactly what the encoder writes for the
// entities that they decode to.
func FuzzDecode(f *testing.F) {
	layouts := []*Layout{
		NewLayout(nil),
		NewLayout([]int{2}),
		NewLayout([]int{1, 3, 0, 2}),
		NewLayout([]int{40, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}),
	}
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		l := layouts[int(which)%len(layouts)]
		d := Decoder{MaxEntities: 300}
		var ents []Entity
		err := d.Decode(b, l, func(id, age uint32) (uint64, []int32, bool) {
			return fuzzBase(l, id, age)
		}, func(e *Entity) error {
			ents = append(ents, *e)
			return nil
		})
		if err != nil {
			if len(ents) != 0 {
				t.Fatalf("%d entities visited before %v", len(ents), err)
			}
			return
		}
		again := new(Encoder).Append(nil, l, ents)
		if !bytes.Equal(again, b) {
			t.Fatalf("% x\nis written as\n% x\nfor %+v", b, again, ents)
		}
	})
}
