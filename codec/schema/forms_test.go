package schema

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
)

// Text and list are what package components has under these names; it is out of
// reach from here.
type text[A any] struct {
	n uint8 `net:"count"`
	b A     `net:"text"`
}

type list[T, A any] struct {
	n     uint16 `net:"count"`
	_     [0]T
	items A
}

func (t *text[A]) bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&t.b)), unsafe.Sizeof(t.b))
}

func (t *text[A]) set(s string) { t.n = uint8(copy(t.bytes(), s)) }

type vec3 struct{ X, Y, Z float64 }

type rotation struct{ X, Y, Z, W float32 }

type line struct {
	From text[[5]byte]
	Dirs list[vec3, [2]vec3] `net:"unit 7"`
}

// forms has every form, alone, in arrays and in lists of lists.
type forms struct {
	Mood  int8       `net:"enum 5"`
	Keys  uint16     `net:"flags 6 edge"`
	Doors uint64     `net:"flags 40"`
	Aim   float32    `net:"degrees 0.1"`
	Yaw   float64    `net:"degrees 0.5"`
	Flat  [2]float32 `net:"unit 10"`
	Up    vec3       `net:"unit 9 tol 0.1"`
	Spin  rotation   `net:"quat 9"`
	Old   [4]float64 `net:"quat 12 hold"`
	Mass  float64    `net:"-512..512 step 0.0625"`
	Prey  uint32     `net:"ref"`
	Name  text[[9]byte]
	Tags  [2]text[[3]byte]
	Bag   list[slot, [3]slot]
	Marks list[int16, [2]int16] `net:"-50..50 step 10"`
	Lines list[line, [2]line]
	Count uint8    `net:"count"`
	Sides [2]uint8 `net:"enum 3"`
	Chat  uint16   `net:"count"`
	Said  [6]byte  `net:"text"`
}

func TestFormsLine(t *testing.T) {
	table := compile[forms](t, nil)
	want := "forms{" + strings.Join([]string{
		"Mood int8 enum 5", "Keys uint16 flags 6 edge", "Doors uint64 flags 40",
		"Aim float32 degrees 0.1", "Yaw float64 degrees 0.5",
		"Flat [2]float32 unit 10", "Up [3]float64 unit 9", "Spin [4]float32 quat 9", "Old [4]float64 quat 12 hold",
		"Mass float64 -512..512 step 0.0625", "Prey uint32 ref",
		"Name [9]uint8 text", "Tags[0] [3]uint8 text", "Tags[1] [3]uint8 text",
		"Bag uint16 count 3",
		"Bag[0].Item uint16 0..500", "Bag[0].Count uint8 0..99", "Bag[1].Item uint16 0..500",
		"Bag[1].Count uint8 0..99", "Bag[2].Item uint16 0..500", "Bag[2].Count uint8 0..99",
		"Marks uint16 count 2", "Marks[0] int16 -50..50 step 10", "Marks[1] int16 -50..50 step 10",
		"Lines uint16 count 2",
		"Lines[0].From [5]uint8 text", "Lines[0].Dirs uint16 count 2", "Lines[0].Dirs[0] [3]float64 unit 7", "Lines[0].Dirs[1] [3]float64 unit 7",
		"Lines[1].From [5]uint8 text", "Lines[1].Dirs uint16 count 2", "Lines[1].Dirs[0] [3]float64 unit 7", "Lines[1].Dirs[1] [3]float64 unit 7",
		"Count uint8 count 2", "Sides[0] uint8 enum 3", "Sides[1] uint8 enum 3",
		"Said [6]uint8 text",
	}, "; ") + "}"
	if table.Line() != want {
		t.Errorf("got\n%s\nwant\n%s", table.Line(), want)
	}
	words, raw := 0, 0
	for i := range table.Fields {
		f := &table.Fields[i]
		if f.Word != words || f.rawAt != raw {
			t.Errorf("%s at word %d, byte %d, want %d, %d", f.Path, f.Word, f.rawAt, words, raw)
		}
		sum := 0
		for k := range f.Words {
			sum += table.WordBits(f.Word + k)
		}
		if sum != f.Bits || f.Words < 1 || f.Words > maxFieldWords {
			t.Errorf("%s: %d words of %d bits, together %d", f.Path, f.Words, f.Bits, sum)
		}
		words, raw = words+f.Words, raw+f.rawSize
	}
	if table.Words != words || table.RawSize() != raw || table.WordBits(words) != 0 {
		t.Errorf("%d words, %d raw bytes, want %d, %d", table.Words, table.RawSize(), words, raw)
	}
	for path, want := range map[string][4]int{ // words, bits, len, hold
		"Mood": {1, 3, 1, 1}, "Keys": {1, 6, 1, 1}, "Doors": {2, 40, 1, 1}, "Aim": {1, 12, 1, 0}, "Flat": {1, 10, 2, 0},
		"Up": {2, 18, 3, 0}, "Spin": {4, 29, 4, 0}, "Old": {4, 38, 4, 1}, "Mass": {1, 15, 1, 0}, "Prey": {1, 32, 1, 1},
		"Name": {4, 76, 9, 1}, "Bag": {1, 2, 1, 1}, "Said": {3, 51, 6, 1},
	} {
		f := fieldOf(t, table, path)
		if got := [4]int{f.Words, f.Bits, f.Len, int(map[bool]int{true: 1}[f.Hold])}; got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	if f := fieldOf(t, table, "Mass"); f.Min != -512 || f.Max != 512 || f.Step != 0.0625 || f.Tolerance != 0.0625 {
		t.Errorf("a range: %+v", f)
	}
	if f := fieldOf(t, table, "Prey"); !f.Ref || !f.Raw || f.Form != FormRef {
		t.Errorf("ref: %+v", f)
	}
	if f := fieldOf(t, table, "Yaw"); f.Min != 0 || f.Max != 359.5 || f.Step != 0.5 || !f.Angle {
		t.Errorf("degrees: %+v", f)
	}
}

func fieldOf(t testing.TB, table *Table, path string) *Field {
	t.Helper()
	for i := range table.Fields {
		if table.Fields[i].Path == path {
			return &table.Fields[i]
		}
	}
	t.Fatalf("no field %s", path)
	return nil
}

// scribble fills a component with anything at all, in half of the cases with the
// counts and the flags of a component that is in order.
func scribble(rng *rand.Rand, p *forms) {
	b := unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
	for i := range b {
		b[i] = byte(rng.Uint32())
		if rng.IntN(3) == 0 {
			b[i] = 0
		}
	}
	if rng.IntN(2) == 0 {
		p.Bag.n, p.Marks.n, p.Lines.n, p.Count = uint16(rng.IntN(4)), uint16(rng.IntN(3)), uint16(rng.IntN(3)), uint8(rng.IntN(3))
		p.Keys, p.Doors, p.Mood = p.Keys&63, p.Doors&(1<<40-1), p.Mood&3
		for i := range p.Lines.items {
			p.Lines.items[i].Dirs.n = uint16(rng.IntN(3))
		}
		p.Name.set("näh\x00 €")
		p.Spin = rotation{float32(rng.NormFloat64()), float32(rng.NormFloat64()), float32(rng.NormFloat64()), float32(rng.NormFloat64())}
		p.Flat = [2]float32{float32(rng.NormFloat64()), float32(rng.NormFloat64())}
	}
}

// checkForms holds one record of words against what must be true of any.
func checkForms(t *testing.T, table *Table, words []int32) {
	t.Helper()
	var v, again forms
	for i, b := 0, unsafe.Slice((*byte)(at(&again)), unsafe.Sizeof(again)); i < len(b); i++ {
		b[i] = 0xa5
	}
	table.Dequantize(at(&v), words, table.Words, 1)
	table.Dequantize(at(&again), words, table.Words, 1)
	if a, b := table.AppendRaw(nil, at(&v)), table.AppendRaw(nil, at(&again)); !bytes.Equal(a, b) || len(a) != table.RawSize() {
		t.Fatalf("what memory held before is in\n% x\n% x", a, b)
	} else if _, err := table.ReadRaw(a, at(&again)); err != nil {
		t.Fatalf("words give a component that a peer may not send: %v", err)
	}
	first := make([]int32, table.Words)
	if n := table.Quantize(first, table.Words, at(&v), 1); n != 0 {
		_, field := table.FirstClamped(at(&v), 1)
		t.Fatalf("what words give is clamped: %s is %s", table.Fields[field].Path, table.Format(field, at(&v)))
	}
	for k, w := range first {
		if bits := table.WordBits(k); bits < 32 && uint32(w)>>bits != 0 {
			t.Fatalf("word %d is %d, of %d bits", k, w, bits)
		}
	}
	table.Dequantize(at(&again), first, table.Words, 1)
	second := make([]int32, table.Words)
	table.Quantize(second, table.Words, at(&again), 1)
	for k := range first {
		if first[k] != second[k] {
			t.Fatalf("word %d is %d, then %d", k, first[k], second[k])
		}
	}
	if k := table.Compare(at(&v), at(&again)); k >= 0 {
		t.Fatalf("%s: %s and %s differ", table.Fields[k].Path, table.Format(k, at(&v)), table.Format(k, at(&again)))
	}
	// Two values of the same words are the same thing twice.
	var twice forms
	table.Dequantize(at(&twice), first, table.Words, 1)
	if table.Hash64(at(&twice)) != table.Hash64(at(&again)) {
		t.Fatal("two values of the same words hash differently")
	}
}

func TestFormsFromAnyWords(t *testing.T) {
	table := compile[forms](t, nil)
	rng := rand.New(rand.NewPCG(31, 32))
	words := make([]int32, table.Words)
	for range rounds(20000) {
		for k := range words {
			words[k] = int32(rng.Uint32())
			if bits := table.WordBits(k); rng.IntN(4) > 0 && bits < 32 {
				words[k] &= 1<<bits - 1
			}
		}
		checkForms(t, table, words)
	}
}

func TestFormsFromAnyMemory(t *testing.T) {
	table := compile[forms](t, nil)
	rng := rand.New(rand.NewPCG(33, 34))
	words := make([]int32, table.Words)
	counted := 0
	for range rounds(20000) {
		var v, got forms
		scribble(rng, &v)
		clamped := table.Quantize(words, table.Words, at(&v), 1)
		row, field := table.FirstClamped(at(&v), 1)
		if (clamped > 0) != (row == 0) || (row < 0) != (field < 0) {
			t.Fatalf("%d clamped, first in row %d, field %d", clamped, row, field)
		}
		counted += clamped
		checkForms(t, table, words)
		raw := table.AppendRaw(nil, at(&v))
		if rest, err := table.ReadRaw(raw, at(&got)); err != nil || len(rest) != 0 {
			t.Fatal(err)
		}
		if again := table.AppendRaw(nil, at(&got)); !bytes.Equal(again, raw) {
			t.Fatalf("% x\n% x", raw, again)
		}
		var mid forms
		table.Lerp(at(&mid), at(&v), at(&got), rng.Float64())
		table.AppendRaw(nil, at(&mid))
		if clamped > 0 {
			continue
		}
		// A component in order arrives as it is, as far as it goes.
		if k := table.Compare(at(&v), at(&got)); k >= 0 {
			t.Fatalf("%s: %s arrives as %s", table.Fields[k].Path, table.Format(k, at(&v)), table.Format(k, at(&got)))
		}
	}
	if counted == 0 {
		t.Error("nothing was clamped")
	}
}

// Rows with gaps between their words, whose lists differ in length, come out as they do alone, and fields
// that are not replicated stay.
func TestRows(t *testing.T) {
	t.Run("forms", func(t *testing.T) {
		rowsAlone(t, func(rng *rand.Rand, _ *Table, p *forms) { scribble(rng, p) }, nil)
	})
	t.Run("numbers", func(t *testing.T) {
		back := rowsAlone(t, drawAll, func(v *everything) { v.cache, v.Scrap.Item = 7, 8 })
		for i := range back {
			if back[i].cache != 7 || back[i].Scrap.Item != 8 {
				t.Errorf("row %d: fields that are not replicated were written", i)
			}
		}
	})
}

// drawAll fills a component with random values, most of them in their ranges.
func drawAll(rng *rand.Rand, table *Table, p *everything) {
	for k := range table.Fields {
		draw(rng, &table.Fields[k], at(p))
	}
}

// rowsAlone checks that columns do as single rows do, and returns the rows as a receiver sees them.
func rowsAlone[T any](t *testing.T, fill func(*rand.Rand, *Table, *T), before func(*T)) []T {
	table := compile[T](t, nil)
	rng := rand.New(rand.NewPCG(35, 36))
	const n = 40
	stride := table.Words + 3
	rows, back := make([]T, n), make([]T, n)
	for i := range rows {
		fill(rng, table, &rows[i])
		if before != nil {
			before(&back[i])
		}
	}
	words := make([]int32, n*stride)
	for i := range words {
		words[i] = -99
	}
	clamped := table.Quantize(words, stride, at(&rows[0]), n)
	table.Dequantize(at(&back[0]), words, stride, n)
	for i := range rows {
		one := make([]int32, table.Words)
		clamped -= table.Quantize(one, table.Words, at(&rows[i]), 1)
		if got := words[i*stride:][:stride]; !slices.Equal(got[:table.Words], one) || got[table.Words] != -99 {
			t.Fatalf("row %d: %v, want %v", i, got, one)
		}
		table.Snap(at(&rows[i]))
		if !bytes.Equal(table.AppendRaw(nil, at(&rows[i])), table.AppendRaw(nil, at(&back[i]))) || table.Hash64(at(&rows[i])) != table.Hash64(at(&back[i])) {
			t.Fatalf("row %d comes back otherwise", i)
		}
	}
	if clamped != 0 {
		t.Errorf("%d more clamped together", clamped)
	}
	for i := range rows {
		if field := table.Compare(at(&rows[i]), at(&back[i])); field != -1 {
			t.Errorf("row %d, field %d differ", i, field)
		}
	}
	return back
}

// Lerp may write over either of its sources, and ends at both.
func TestFormsLerpInPlace(t *testing.T) {
	table := compile[forms](t, nil)
	rng := rand.New(rand.NewPCG(37, 38))
	for range 2000 {
		var a, b, want forms
		scribble(rng, &a)
		scribble(rng, &b)
		table.Snap(at(&a))
		table.Snap(at(&b))
		for _, f := range []float64{-1, 0, 0.3, 1, 2, math.NaN()} {
			table.Lerp(at(&want), at(&a), at(&b), f)
			x, y := a, b
			table.Lerp(at(&x), at(&x), at(&b), f)
			table.Lerp(at(&y), at(&a), at(&y), f)
			raw := table.AppendRaw(nil, at(&want))
			if !bytes.Equal(raw, table.AppendRaw(nil, at(&x))) || !bytes.Equal(raw, table.AppendRaw(nil, at(&y))) {
				t.Fatalf("at %v: in place it is another", f)
			}
			end := &a
			if f >= 1 {
				end = &b
			}
			if f != 0.3 && !bytes.Equal(raw, table.AppendRaw(nil, at(end))) {
				t.Fatalf("at %v", f)
			}
			if _, err := table.ReadRaw(raw, at(&x)); err != nil {
				t.Fatalf("at %v: %v", f, err)
			}
		}
	}
}

func TestTablesAllocateNothing(t *testing.T) {
	allocateNothing(t, func(rng *rand.Rand, _ *Table, p *forms) { scribble(rng, p) })
	allocateNothing(t, drawAll)
}

func allocateNothing[T any](t *testing.T, fill func(*rand.Rand, *Table, *T)) {
	table := compile[T](t, nil)
	rows := make([]T, 20)
	rng := rand.New(rand.NewPCG(39, 40))
	for i := range rows {
		fill(rng, table, &rows[i])
	}
	words := make([]int32, len(rows)*table.Words)
	raw := make([]byte, 0, table.RawSize())
	p, q := at(&rows[0]), at(&rows[1])
	if n := testing.AllocsPerRun(20, func() {
		table.Quantize(words, table.Words, p, len(rows))
		table.Dequantize(p, words, table.Words, len(rows))
		table.FirstClamped(p, len(rows))
		table.Compare(p, q)
		table.Lerp(p, p, q, 0.5)
		table.Hash64(p)
		table.Snap(p)
		table.ClearEdges(p)
		raw = table.AppendRaw(raw[:0], p)
		if _, err := table.ReadRaw(raw, q); err != nil {
			t.Fatal(err)
		}
		_, _ = table.Line(), table.Hash()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestFormErrors(t *testing.T) {
	type two struct{ X, Y float32 }
	type five [5]float64
	type tagged struct {
		X float32 `net:"raw"`
		Y float32
	}
	type mixed struct {
		X float32
		Y float64
	}
	type lonely struct {
		N uint8 `net:"count"`
	}
	type early struct {
		N uint8 `net:"count"`
		X int8  `net:"raw"`
		A [2]int8
	}
	type signed struct {
		N int8 `net:"count"`
		A [2]bool
	}
	type crowd struct {
		N uint8 `net:"count"`
		A [256]bool
	}
	type runes struct {
		N uint8   `net:"count"`
		A [4]rune `net:"text"`
	}
	type essay struct {
		N uint16     `net:"count"`
		A [300]uint8 `net:"text"`
	}
	for _, c := range []struct {
		t    reflect.Type
		tag  string
		want error
		says string
	}{
		{reflect.TypeFor[num[int8]](), "enum 129", ErrTag, "0..128 do not fit int8"},
		{reflect.TypeFor[num[int8]](), "enum 1", ErrTag, "whole number 2..2147483647"},
		{reflect.TypeFor[num[int8]](), "enum", ErrTag, "whole number 2.."},
		{reflect.TypeFor[num[float32]](), "enum 3", ErrTag, "an enum is an integer"},
		{reflect.TypeFor[num[bool]](), "enum 2", ErrTag, "leave the tag out"},
		{reflect.TypeFor[num[int8]](), "enum 3 hold", ErrTag, `"hold" does not go with enum: use only edge`},
		{reflect.TypeFor[num[uint8]](), "flags 9", ErrTag, "has no 9 bits"},
		{reflect.TypeFor[num[int8]](), "flags 3", ErrTag, "unsigned"},
		{reflect.TypeFor[num[uint64]](), "flags 65", ErrTag, "1..64"},
		{reflect.TypeFor[num[uint64]](), "ref", ErrTag, "uint32"},
		{reflect.TypeFor[num[uint32]](), "ref tol 2", ErrTag, "does not go with ref"},
		{reflect.TypeFor[num[float32]](), "degrees", ErrTag, "needs a number"},
		{reflect.TypeFor[num[float32]](), "degrees 300", ErrTag, "half a turn"},
		{reflect.TypeFor[num[float32]](), "degrees 0.00001", ErrTag, "finer than float32"},
		{reflect.TypeFor[num[float32]](), "radians 0.01", ErrTag, "unknown word"},
		{reflect.TypeFor[num[float64]](), "degrees 0.00000001", ErrTag, "2147483647 values"},
		{reflect.TypeFor[num[uint16]](), "degrees 1", ErrTag, "0..359 angle"},
		{reflect.TypeFor[num[float32]](), "degrees 1 angle", ErrTag, "use only tol, edge, hold"},
		{reflect.TypeFor[num[float32]](), "0..360 step 0.5 angle", ErrTag, "wrap at 360.5: write 0..359.5, or degrees 0.5"},
		{reflect.TypeFor[num[int16]](), "-180..180 angle", ErrTag, "wrap at 181: write -180..179"},
		{reflect.TypeFor[num[float32]](), "unit 8", ErrTag, "2 or 3 floats"},
		{reflect.TypeFor[num[five]](), "quat 8", ErrTag, "4 floats"},
		{reflect.TypeFor[num[two]](), "quat 8", ErrTag, "4 floats"},
		{reflect.TypeFor[num[five]](), "unit 8", ErrTag, "2 or 3 floats"},
		{reflect.TypeFor[num[mixed]](), "unit 8", ErrTag, "V.X (float32): schema: bad net tag: unit takes a struct or array of 2 or 3 floats of one type"},
		{reflect.TypeFor[num[two]](), "unit 1", ErrTag, "2..20"},
		{reflect.TypeFor[num[two]](), "unit 21", ErrTag, "2..20"},
		{reflect.TypeFor[num[two]](), "unit 9 edge", ErrTag, "use only tol, hold"},
		{reflect.TypeFor[num[int32]](), "0..1 step 0.5 fixed 4", ErrTag, "unknown word"},
		{reflect.TypeFor[num[int32]](), "raw step 3", ErrTag, "need a range"},
		{reflect.TypeFor[num[uint8]](), "count", ErrTag, "right before the array"},
		{reflect.TypeFor[num[[4]byte]](), "text", ErrTag, "its count before it"},
		{reflect.TypeFor[num[[4]byte]](), "text hold", ErrTag, "nothing may follow"},
		{reflect.TypeFor[num[text[[4]byte]]](), "raw", ErrTag, `a text is "text" or "-"`},
		{reflect.TypeFor[lonely](), "", ErrTag, "right before the array"},
		{reflect.TypeFor[early](), "", ErrTag, "right before the array"},
		{reflect.TypeFor[signed](), "", ErrTag, "a count is a uint8 or uint16"},
		{reflect.TypeFor[crowd](), "", ErrTag, "1 to 255 elements, not 256"},
		{reflect.TypeFor[runes](), "", ErrTag, "array of bytes"},
		{reflect.TypeFor[essay](), "", ErrTag, "at most 255 bytes"},
		{reflect.TypeFor[num[list[int8, [4]uint8]]](), "raw", ErrType, "a list of int8 needs an array of int8"},
		{reflect.TypeFor[num[list[int8, [4]int8]]](), "", ErrUntagged, "V[0] (int8)"},
	} {
		var over Fields
		if c.tag != "" {
			over = Fields{"V": c.tag}
		}
		table, err := Compile(c.t, over)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || table != nil {
			t.Errorf("%v %q: %v, want %v with %q", c.t, c.tag, err, c.want, c.says)
		}
	}
	type own struct {
		V tagged `net:"unit 8"`
	}
	if _, err := Compile(reflect.TypeFor[own](), nil); !errors.Is(err, ErrTag) || !strings.Contains(err.Error(), "tags of their own") {
		t.Error(err)
	}
	if table := compile[own](t, Fields{"V": "unit 8"}); table.Line() != "own{V [2]float32 unit 8}" {
		t.Error(table.Line())
	}
	if table := compile[num[list[int8, [2]int8]]](t, Fields{"V": "-"}); table.Words != 0 {
		t.Error(table.Line())
	}
	type pair struct{ V [2]two }
	if table := compile[pair](t, Fields{"V": "unit 8"}); table.Line() != "pair{V[0] [2]float32 unit 8; V[1] [2]float32 unit 8}" {
		t.Error(table.Line())
	}
}

func TestFormsReadRawRefuses(t *testing.T) {
	table := compile[forms](t, nil)
	good := forms{Keys: 5, Flat: [2]float32{0, 1}, Up: vec3{1, 0, 0}, Spin: rotation{W: 1}, Old: [4]float64{1}}
	good.Name.set("Ada")
	good.Bag.n = 1
	good.Chat = 2
	copy(good.Said[:], "hi")
	b := table.AppendRaw(nil, at(&good))
	place := func(path string) int { return fieldOf(t, table, path).rawAt }
	refuseRaw(t, table, good, []rawFault{
		{"enum", place("Mood"), []byte{5}, ErrRange, "forms.Mood: 5 is not in enum 5"},
		{"flags", place("Keys"), []byte{64}, ErrRange, "forms.Keys: 0b1000000 is not in flags 6"},
		{"number", place("Mass"), []byte{0, 0, 0, 0, 0, 0x08, 0x80, 0x40}, ErrRange, "forms.Mass: 513 is not in -512..512"},
		{"angle", place("Yaw"), []byte{0, 0, 0, 0, 0, 0, 0x77, 0x40}, ErrRange, "forms.Yaw: 368"},
		{"no direction", place("Flat") + 4, []byte{0, 0, 0, 0}, ErrRange, "forms.Flat: the length of (0 0) is not near 1"},
		{"no rotation", place("Spin"), []byte{0, 0, 0xc0, 0x7f}, ErrRange, "forms.Spin: the length of (NaN 0 0 1)"},
		{"long text", place("Name"), []byte{10}, ErrRange, "forms.Name: a text of 10 bytes in 9"},
		{"no UTF-8", place("Name") + 1, []byte{0xff}, codec.ErrMalformed, "forms.Name: the text is not valid UTF-8"},
		{"behind the text", place("Name") + 8, []byte{1}, codec.ErrMalformed, "forms.Name: bytes after"},
		{"longer text", place("Said") + 1, []byte{1}, ErrRange, "forms.Said: a text of 258 bytes in 6"},
		{"long list", place("Bag") + 1, []byte{1}, ErrRange, "forms.Bag: 257 is not in count 3"},
		{"behind the list", place("Bag[1].Count"), []byte{1}, codec.ErrMalformed, "forms.Bag[1].Count: an element after"},
	})
	var got forms
	if _, err := table.ReadRaw(b, at(&got)); err != nil || table.Hash64(at(&got)) != table.Hash64(at(&good)) {
		t.Error(err)
	}
}

func TestFormsFormat(t *testing.T) {
	table := compile[forms](t, nil)
	v := forms{Mood: 3, Keys: 5, Mass: 1.5, Flat: [2]float32{0, 0.5}, Spin: rotation{W: 1}, Prey: 77}
	v.Name.set("A\"b")
	v.Bag.n = 2
	for path, want := range map[string]string{
		"Mood": "3", "Keys": "0b101", "Mass": "1.5", "Flat": "(0 0.5)", "Spin": "(0 0 0 1)", "Prey": "77", "Name": `"A\"b"`, "Bag": "2",
	} {
		for i := range table.Fields {
			if f := &table.Fields[i]; f.Path == path && table.Format(i, at(&v)) != want {
				t.Errorf("%s: %s, want %s", path, table.Format(i, at(&v)), want)
			}
		}
	}
	for f, want := range map[Form]string{FormGrid: "grid", FormQuat: "quat", FormText: "text", 99: "form 99"} {
		if f.String() != want {
			t.Errorf("%v", f)
		}
	}
}
