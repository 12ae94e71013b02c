package schema

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

func TestTextIsRepaired(t *testing.T) {
	table := compile[num[text[[9]byte]]](t, nil)
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"näh\x00 €", "näh\x00 €"},
		{"\xff", "?"},
		{"a\xe2\x82", "a??"},
		{"\xe2\x82\xacx", "€x"},
		{"\xed\xa0\x80", "???"}, // half of a surrogate pair
		{"\xf0\x9f\x98\x80\x80", "😀?"},
		{"123456789", "123456789"},
	} {
		var v, got num[text[[9]byte]]
		v.V.set(c.in)
		if rest, err := table.ReadRaw(table.AppendRaw(nil, at(&v)), at(&got)); err != nil || len(rest) != 0 || string(got.V.bytes()[:got.V.n]) != c.want {
			t.Errorf("%q arrives raw as %q, %v", c.in, got.V.bytes()[:got.V.n], err)
		}
		q := make([]int32, table.Words)
		clamped := table.Quantize(q, table.Words, at(&v), 1)
		table.Dequantize(at(&got), q, table.Words, 1)
		if string(got.V.bytes()[:got.V.n]) != c.want || (clamped == 0) != utf8.ValidString(c.in) {
			t.Errorf("%q arrives as %q, clamped %d", c.in, got.V.bytes()[:got.V.n], clamped)
		}
		if q[0] != int32(len(c.want)) || len(c.want) > 0 && byte(q[1]) != c.want[0] {
			t.Errorf("%q has the words %v", c.in, q)
		}
	}
	long := num[text[[9]byte]]{text[[9]byte]{n: 200}}
	if _, clamped := words4(compile[num[text[[2]byte]]](t, nil), at(&num[text[[2]byte]]{text[[2]byte]{n: 3}})); clamped != 1 {
		t.Error("a length beyond the array is not counted")
	}
	if table.Snap(at(&long)); long.V.n != 9 {
		t.Errorf("length %d", long.V.n)
	}
}

// Memory after the end of a list or a text has no effect on any operation.
func TestPastTheEndIsNothing(t *testing.T) {
	table := compile[forms](t, nil)
	rng := rand.New(rand.NewPCG(53, 54))
	for range 3000 {
		var a, b forms
		scribble(rng, &a)
		table.Snap(at(&a))
		b = a
		for i := range b.Bag.items {
			if i >= int(b.Bag.n) {
				b.Bag.items[i] = slot{999, 255}
			}
		}
		for i := range b.Name.b {
			if i >= int(b.Name.n) {
				b.Name.b[i] = 0xff
			}
		}
		for i := range b.Lines.items {
			l := &b.Lines.items[i]
			if i >= int(b.Lines.n) {
				l.Dirs.n, l.From.n = 2, 5
				l.Dirs.items[0].X = math.NaN()
			} else if l.Dirs.n < 2 {
				l.Dirs.items[1].Y = math.Inf(1)
			}
		}
		p, q := at(&a), at(&b)
		if table.Compare(p, q) != -1 || table.Hash64(p) != table.Hash64(q) || !bytes.Equal(table.AppendRaw(nil, p), table.AppendRaw(nil, q)) {
			t.Fatal("memory past the end of a list is seen")
		}
		if row, field := table.FirstClamped(q, 1); row >= 0 {
			t.Fatalf("%s is clamped", table.Fields[field].Path)
		}
		if table.Snap(q); a != b {
			t.Fatal("memory past the end of a list stays")
		}
	}
}

func TestListLerp(t *testing.T) {
	type marks struct {
		V list[int16, [3]int16] `net:"-500..500 step 10"`
	}
	table := compile[marks](t, nil)
	list3 := func(v ...int16) (m marks) {
		m.V.n = uint16(copy(m.V.items[:], v))
		return m
	}
	for _, c := range []struct {
		a, b marks
		f    float64
		want marks
	}{
		{list3(0, 100), list3(100, 300), 0.5, list3(50, 200)},
		{list3(0, 100), list3(100), 0.5, list3(0, 100)},
		{list3(0, 100), list3(100), 1, list3(100)},
		{list3(), list3(1, 2, 3), 0.9, list3()},
		{list3(), list3(1, 2, 3), 1, list3(1, 2, 3)},
	} {
		got := list3(7, 7, 7)
		table.Lerp(at(&got), at(&c.a), at(&c.b), c.f)
		if got != c.want {
			t.Errorf("between %v and %v at %v: %v", c.a, c.b, c.f, got)
		}
	}
}

func TestFormInputs(t *testing.T) {
	type input struct {
		Weapon  uint8  `net:"enum 5 edge"`
		Stance  uint8  `net:"enum 3"`
		Press   uint8  `net:"flags 6 edge"`
		Held    uint8  `net:"flags 6"`
		Target  uint32 `net:"ref edge"`
		Charge  int16  `net:"256..1024 step 128 edge"`
		Presses list[bool, [2]bool]
	}
	table := compile[input](t, Fields{"Presses": "edge"})
	in := input{Weapon: 9, Stance: 2, Press: 0xff, Held: 0xc1, Target: 77, Charge: 650}
	in.Presses.n, in.Presses.items = 1, [2]bool{true, true}
	q := make([]int32, table.Words)
	if n := table.Quantize(q, table.Words, at(&in), 1); n != 3 {
		t.Errorf("%d clamped", n)
	}
	table.Snap(at(&in))
	want := input{Weapon: 4, Stance: 2, Press: 63, Held: 1, Target: 77, Charge: 640}
	want.Presses.n, want.Presses.items = 1, [2]bool{true, false}
	if in != want {
		t.Errorf("snapped: %+v", in)
	}
	table.ClearEdges(at(&in))
	want = input{Stance: 2, Held: 1, Charge: 256}
	want.Presses.n = 1
	if in != want {
		t.Errorf("repeated: %+v", in)
	}
}

func TestFlagsCompareByWhatTravels(t *testing.T) {
	table := compile[num[uint16]](t, Fields{"V": "flags 6"})
	a, b, c := num[uint16]{5}, num[uint16]{5 | 1<<9}, num[uint16]{7}
	if table.Compare(at(&a), at(&b)) != -1 || table.Hash64(at(&a)) != table.Hash64(at(&b)) || table.Compare(at(&a), at(&c)) != 0 {
		t.Error("bits that do not travel count")
	}
	wide := compile[num[uint64]](t, Fields{"V": "flags 33"})
	v := num[uint64]{1<<63 | 1<<32 | 1<<31 | 1}
	if q, clamped := quantizeOne(wide, at(&v)); clamped != 1 || q != [2]int32{-1<<31 + 1, 1} {
		t.Errorf("%v, clamped %d", q, clamped)
	}
	if wide.Snap(at(&v)); v.V != 1<<32|1<<31|1 {
		t.Errorf("%#x", v.V)
	}
}
