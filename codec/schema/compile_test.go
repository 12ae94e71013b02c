package schema

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

type vec struct{ X, Y float32 }

type meters float32

type slot struct {
	Item  uint16 `net:"0..500"`
	Count uint8  `net:"0..99"`
}

type everything struct {
	Pos    vec    `net:"-512..512 step 0.01"`
	Depth  meters `net:"-100..0 step 0.5 tol 2"`
	_      [3]byte
	Aim    uint16  `net:"0..65535 step 256 angle"`
	Turn   float64 `net:"0..359.5 step 0.5 angle hold"`
	DX     int8    `net:"-1..1"`
	Mood   int16   `net:"-300..300 step 100"`
	Seed   uint64  `net:"raw"`
	Exact  float64 `net:"raw"`
	Rough  float32 `net:"raw tol 0.1"`
	Tiny   int8    `net:"raw"`
	Fire   bool    `net:"edge"`
	Alive  bool
	Slots  [2]slot
	Key    [3]byte `net:"raw"`
	Budget int64   `net:"-9000000000..9000000000 step 100"`
	cache  float32 `net:"-"`
	Scrap  slot    `net:"-"`
}

func compile[T any](t testing.TB, over Fields) *Table {
	t.Helper()
	table, err := Compile(reflect.TypeFor[T](), over)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestLine(t *testing.T) {
	table := compile[everything](t, nil)
	want := "everything{" + strings.Join([]string{
		"Pos.X float32 -512..512 step 0.01",
		"Pos.Y float32 -512..512 step 0.01",
		"Depth float32 -100..0 step 0.5",
		"Aim uint16 0..65535 step 256 angle",
		"Turn float64 0..359.5 step 0.5 angle hold",
		"DX int8 -1..1",
		"Mood int16 -300..300 step 100",
		"Seed uint64 raw",
		"Exact float64 raw",
		"Rough float32 raw",
		"Tiny int8 raw",
		"Fire bool edge",
		"Alive bool",
		"Slots[0].Item uint16 0..500",
		"Slots[0].Count uint8 0..99",
		"Slots[1].Item uint16 0..500",
		"Slots[1].Count uint8 0..99",
		"Key[0] uint8 raw",
		"Key[1] uint8 raw",
		"Key[2] uint8 raw",
		"Budget int64 -9000000000..9000000000 step 100",
	}, "; ") + "}"
	if table.Line() != want {
		t.Errorf("got\n%s\nwant\n%s", table.Line(), want)
	}
	if table.Hash() != 0xc9384a44e0d47d5c {
		t.Errorf("hash %#x: peers of other versions would be refused", table.Hash())
	}
	words, raw := 0, 0
	for i, f := range table.Fields {
		if f.Word != words {
			t.Errorf("%s begins at word %d, want %d", f.Path, f.Word, words)
		}
		words += f.Words
		raw += size(f.Kind)
		if i > 0 && f.Offset <= table.Fields[i-1].Offset {
			t.Errorf("%s is out of order", f.Path)
		}
	}
	if table.Words != words || table.RawSize() != raw || table.Size != unsafe.Sizeof(everything{}) {
		t.Errorf("%d words, %d raw bytes, size %d", table.Words, table.RawSize(), table.Size)
	}
}

func TestLineIgnoresTolerance(t *testing.T) {
	type pos struct {
		X float32 `net:"0..1 step 0.1"`
	}
	a := compile[pos](t, nil)
	b := compile[pos](t, Fields{"X": "0..1  step .10 tol 5"})
	c := compile[pos](t, Fields{"X": "0..1 step 0.2"})
	if a.Hash() != b.Hash() || a.Line() != b.Line() {
		t.Errorf("%s and %s differ", a.Line(), b.Line())
	}
	if a.Hash() == c.Hash() {
		t.Errorf("%s and %s do not differ", a.Line(), c.Line())
	}
	if b.Fields[0].Tolerance != 5 {
		t.Errorf("tolerance %v", b.Fields[0].Tolerance)
	}
}

func TestFieldDefaults(t *testing.T) {
	table := compile[everything](t, nil)
	by := map[string]Field{}
	for _, f := range table.Fields {
		by[f.Path] = f
	}
	for _, c := range []struct {
		path      string
		bits      int
		tolerance float64
		hold      bool
		words     int
	}{
		{"Pos.X", 17, 0.01, false, 1},
		{"Depth", 8, 2, false, 1},
		{"Aim", 8, 256, false, 1},
		{"Turn", 10, 0.5, true, 1},
		{"DX", 2, 0, true, 1},
		{"Mood", 3, 100, false, 1},
		{"Seed", 64, 0, true, 2},
		{"Exact", 64, 0, false, 2},
		{"Rough", 32, 0.1, false, 1},
		{"Tiny", 8, 0, true, 1},
		{"Fire", 1, 0, true, 1},
		{"Alive", 1, 0, true, 1},
		{"Slots[1].Item", 9, 0, true, 1},
		{"Key[2]", 8, 0, true, 1},
		{"Budget", 28, 100, false, 1},
	} {
		f, ok := by[c.path]
		if !ok || f.Bits != c.bits || f.Tolerance != c.tolerance || f.Hold != c.hold || f.Words != c.words {
			t.Errorf("%s: %d bits, tolerance %v, hold %v, %d words; want %+v", c.path, f.Bits, f.Tolerance, f.Hold, f.Words, c)
		}
	}
	if !by["Fire"].Edge || !by["Aim"].Angle || !by["Seed"].Raw {
		t.Error("words of the tag are lost")
	}
}

func TestFieldsReplaceTags(t *testing.T) {
	type body struct {
		Pos  vec
		Bag  [2]slot
		Name [4]byte
	}
	table := compile[body](t, Fields{
		"Pos":         "0..10 step 1",
		"Pos.Y":       "raw",
		"Bag":         "-",
		"Bag[1].Item": "0..3",
		"Name":        "raw",
		"Name[3]":     "-",
	})
	const want = "body{Pos.X float32 0..10 step 1; Pos.Y float32 raw; Bag[1].Item uint16 0..3; " +
		"Name[0] uint8 raw; Name[1] uint8 raw; Name[2] uint8 raw}"
	if table.Line() != want {
		t.Errorf("got  %s\nwant %s", table.Line(), want)
	}
	_, err := Compile(reflect.TypeFor[body](), Fields{"Pos": "raw", "Bag": "-", "Name": "raw", "Post": "-"})
	if !errors.Is(err, ErrUnknownField) || !strings.Contains(err.Error(), `"Post"`) {
		t.Errorf("unknown path: %v", err)
	}
}

// Fields with the tag server are listed, are part of the line that peers compare, and can be copied one by one. Elements of
// lists cannot have the tag.
func TestServerFields(t *testing.T) {
	type body struct {
		X      float32    `net:"0..10 step 1"`
		Health int16      `net:"0..100 server"`
		Facing [2]float32 `net:"unit 8 server tol 1"`
		Down   bool       `net:"server"`
		Wide   uint64     `net:"flags 40 server"`
	}
	table := compile[body](t, nil)
	const want = "body{X float32 0..10 step 1; Health int16 0..100 server; Facing [2]float32 unit 8 server; Down bool server; Wide uint64 flags 40 server}"
	if table.Line() != want {
		t.Errorf("got  %s\nwant %s", table.Line(), want)
	}
	if !slices.Equal(table.Server, []int{1, 2, 3, 4}) {
		t.Errorf("fields %v are the server's", table.Server)
	}
	a, b := body{1, 2, [2]float32{1, 0}, false, 3}, body{5, 6, [2]float32{0, 1}, true, 1 << 39}
	for _, i := range table.Server {
		table.Fields[i].Copy(unsafe.Pointer(&a), unsafe.Pointer(&b))
	}
	if b.X = 1; a != b {
		t.Errorf("copied: %+v, want %+v", a, b)
	}
	_, err := Compile(reflect.TypeFor[struct {
		N     uint8    `net:"count"`
		Slots [2]uint8 `net:"0..9 server"`
	}](), nil)
	if !errors.Is(err, ErrTag) || !strings.Contains(err.Error(), "separate component") {
		t.Errorf("in a list: %v", err)
	}
}

func TestEmptyComponent(t *testing.T) {
	table := compile[struct{}](t, nil)
	if table.Line() != "struct{}" || table.Words != 0 || table.Quantize(nil, 0, nil, 3) != 0 || table.Compare(nil, nil) != -1 {
		t.Errorf("%s has %d words", table.Line(), table.Words)
	}
}

// Every mistake is named with the type, the field and the way out.
func TestCompileErrors(t *testing.T) {
	type withInt struct{ N int }
	type withComplex struct {
		C complex64 `net:"raw"`
	}
	type forgotten struct{ Pos vec }
	type num[T any] struct{ V T }
	for _, c := range []struct {
		name string
		t    reflect.Type
		over Fields
		want error
		says string
	}{
		{"forgotten", reflect.TypeFor[forgotten](), nil, ErrUntagged, "schema.forgotten.Pos.X (float32): write `net:\"-512..512 step 0.01\"`"},
		{"int", reflect.TypeFor[withInt](), nil, ErrType, "use bool, int8 to int64"},
		{"complex", reflect.TypeFor[withComplex](), nil, ErrType, "schema.withComplex.C"},
		{"not a struct", reflect.TypeFor[int32](), nil, ErrType, "put it into a struct"},
		{"no type", nil, nil, ErrType, "no type"},
		{"pointer", reflect.TypeFor[num[*int32]](), nil, ErrPointer, "field V is a ptr"},
		{"too many words", reflect.TypeFor[num[[1025]byte]](), Fields{"V": "raw"}, ErrType, "1024 words"},
		{"no step", reflect.TypeFor[num[float32]](), Fields{"V": "0..1"}, ErrTag, "0..1 step 0.01"},
		{"no range", reflect.TypeFor[num[float32]](), Fields{"V": "hold"}, ErrTag, "needs a range"},
		{"bool with a range", reflect.TypeFor[num[bool]](), Fields{"V": "0..1"}, ErrTag, "leave the tag out"},
		{"bool raw", reflect.TypeFor[num[bool]](), Fields{"V": "raw"}, ErrTag, "leave the tag out"},
		{"too fine for float32", reflect.TypeFor[num[float32]](), Fields{"V": "-512..512 step 0.00001"}, ErrTag, "at least 0.0001220703125"},
		{"too fine for float64", reflect.TypeFor[num[float64]](), Fields{"V": "1e16..2e16 step 1"}, ErrTag, "finer than float64"},
		{"beyond float32", reflect.TypeFor[num[float32]](), Fields{"V": "0..1e39 step 1e38"}, ErrTag, "does not fit float32"},
		{"beyond int8", reflect.TypeFor[num[int8]](), Fields{"V": "-1..128"}, ErrTag, "-128..127"},
		{"below uint8", reflect.TypeFor[num[uint8]](), Fields{"V": "-1..1"}, ErrTag, "0..255"},
		{"beyond 2^53", reflect.TypeFor[num[uint64]](), Fields{"V": "0..18446744073709551615 step 4294967296000"}, ErrTag, "or use raw"},
		{"half an integer", reflect.TypeFor[num[int32]](), Fields{"V": "0..10 step 0.5"}, ErrTag, "0.5 is not a whole number"},
		{"too many values", reflect.TypeFor[num[uint32]](), Fields{"V": "0..4294967295"}, ErrTag, "larger step"},
		{"exactly too many values", reflect.TypeFor[num[uint32]](), Fields{"V": "0..2147483647"}, ErrTag, "2147483647 values"},
		{"infinitely many values", reflect.TypeFor[num[float64]](), Fields{"V": "-1e308..1e308 step 1e300"}, ErrTag, "larger step"},
		{"long step", reflect.TypeFor[num[int32]](), Fields{"V": "0..10 step 11"}, ErrTag, "longer than the range"},
		{"endless step", reflect.TypeFor[num[int32]](), Fields{"V": "0..10 step 1e300"}, ErrTag, "longer than the range"},
		{"turn beyond uint8", reflect.TypeFor[num[uint8]](), Fields{"V": "0..250 step 100 angle"}, ErrTag, "wrap at 300"},
	} {
		table, err := Compile(c.t, c.over)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || table != nil {
			t.Errorf("%s: %v, want %v with %q", c.name, err, c.want, c.says)
		}
	}
	for name, c := range map[string]struct {
		t    reflect.Type
		over Fields
		bits int
	}{
		"most values": {reflect.TypeFor[num[uint32]](), Fields{"V": "0..2147483646"}, 31},
		"two values":  {reflect.TypeFor[num[int32]](), Fields{"V": "0..10 step 10"}, 1},
		"whole int64": {reflect.TypeFor[num[int64]](), Fields{"V": "-9007199254740991..9007199254740991 step 100000000"}, 28},
	} {
		table, err := Compile(c.t, c.over)
		if err != nil || table.Fields[0].Bits != c.bits {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheckPlain(t *testing.T) {
	type inner struct{ Names [2]string }
	for _, c := range []struct {
		v    any
		path string
	}{
		{struct{ P *int }{}, "field P"},
		{struct{ A [3]struct{ S []byte } }{}, "field A[].S"},
		{struct{ In inner }{}, "field In.Names[]"},
		{struct{ M map[int]int }{}, "field M"},
		{struct{ E error }{}, "field E"},
		{struct{ F func() }{}, "field F"},
		{struct{ C chan int }{}, "field C"},
		{struct{ U unsafe.Pointer }{}, "field U"},
		{"", "the type itself"},
	} {
		err := CheckPlain(reflect.TypeOf(c.v))
		if !errors.Is(err, ErrPointer) || !strings.Contains(err.Error(), c.path+" ") || !strings.Contains(err.Error(), "components.Text") {
			t.Errorf("%T: %v, want %s, and what to take instead", c.v, err, c.path)
		}
	}
	if err := CheckPlain(reflect.TypeFor[everything]()); err != nil {
		t.Error(err)
	}
	if err := CheckPlain(nil); !errors.Is(err, ErrType) {
		t.Error(err)
	}
}

func TestDecimalStepsReachTheEnd(t *testing.T) {
	type num struct{ V float64 }
	for text, count := range map[string]float64{
		"-512..512 step 0.01":   102401,
		"0..1 step 0.1":         11,
		"0..0.3 step 0.1":       4,
		"-3.3..3.3 step 0.033":  201,
		"0..1 step 0.3":         4,
		"0..214748.3 step 1e-4": 2147483001,
	} {
		f := compile[num](t, Fields{"V": text}).Fields[0]
		if f.count != count || math.Abs(f.at(f.top)-f.Max) >= f.Step {
			t.Errorf("%s: %v values up to %v, want %v", text, f.count, f.at(f.top), count)
		}
	}
}
