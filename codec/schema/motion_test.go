package schema

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

type mover struct {
	X    float32 `net:"0..2000 step 0.00390625 axis x lines 0.0625"`
	Y    float32 `net:"0..2000 step 0.00390625 lines axis y"`
	VX   float32 `net:"-256..256 step 0.125 rate x"`
	VY   float32 `net:"-256..256 step 0.125 linear rate y"`
	Head uint16  `net:"0..65280 step 256 angle along lines 512"`
	Turn float64 `net:"degrees 0.5 linear"`
	On   uint32  `net:"ref parent"`
	Deep float32 `net:"-8..8 step 0.25 tol 1 lines 0.5"`
}

func TestMotionWords(t *testing.T) {
	table := compile[mover](t, nil)
	want := "mover{" + strings.Join([]string{
		"X float32 0..2000 step 0.00390625 axis x lines",
		"Y float32 0..2000 step 0.00390625 axis y lines",
		"VX float32 -256..256 step 0.125 rate x",
		"VY float32 -256..256 step 0.125 linear rate y",
		"Head uint16 0..65280 step 256 angle lines along",
		"Turn float64 degrees 0.5 linear",
		"On uint32 ref parent",
		"Deep float32 -8..8 step 0.25 lines",
	}, "; ") + "}"
	if table.Line() != want {
		t.Errorf("got\n%s\nwant\n%s", table.Line(), want)
	}
	type moves struct {
		linear        bool
		axis, rate    uint8
		lines         float64
		along, parent bool
		words, bits   int
		values        int64
	}
	for i, m := range []moves{
		{true, 1, 0, 0.0625, false, false, 2, 19 + 32, 512001},
		{true, 2, 0, 0.00390625, false, false, 2, 19 + 32, 512001},
		{false, 0, 1, 0, false, false, 1, 13, 4097},
		{true, 0, 2, 0, false, false, 1, 13, 4097},
		{false, 0, 0, 512, true, false, 2, 8 + 32, 256},
		{true, 0, 0, 0, false, false, 1, 10, 720},
		{false, 0, 0, 0, false, true, 1, 32, 0},
		{false, 0, 0, 0.5, false, false, 2, 7 + 32, 65},
	} {
		f := &table.Fields[i]
		got := moves{f.Linear, f.Axis, f.Rate, f.Lines, f.Along, f.Parent, f.Words, f.Bits, f.Values()}
		if got != m {
			t.Errorf("%s: %+v, want %+v", f.Path, got, m)
		}
		if f.Lines > 0 && (table.WordBits(f.Word) != f.Bits-32 || table.WordBits(f.Word+1) != 32) {
			t.Errorf("%s: %d and %d bits", f.Path, table.WordBits(f.Word), table.WordBits(f.Word+1))
		}
	}
	if table.Words != 12 || table.RawSize() != 4*4+2+8+4+4 {
		t.Errorf("%d words, %d bytes", table.Words, table.RawSize())
	}
}

// A line at rest is the value: Quantize knows nothing of motion, and Dequantize
// has no use for it.
func TestLinesAreValues(t *testing.T) {
	table := compile[mover](t, nil)
	in := mover{X: 12.5, Y: 1999, Head: 0x8000, Deep: -8}
	words := make([]int32, table.Words)
	for i := range words {
		words[i] = -7
	}
	if n := table.Quantize(words, table.Words, unsafe.Pointer(&in), 1); n != 0 {
		t.Fatalf("%d clamped", n)
	}
	for i := range table.Fields {
		if f := &table.Fields[i]; f.Lines > 0 && words[f.Word+1] != 0 {
			t.Errorf("%s: changes by %d", f.Path, words[f.Word+1])
		}
	}
	if words[0] != 12.5*256 || words[table.Fields[4].Word] != 0x80 || words[table.Fields[7].Word] != 0 {
		t.Errorf("words %v", words)
	}
	words[1], words[3], words[7], words[11] = math.MaxInt32, math.MinInt32, 5, -1
	var out mover
	table.Dequantize(unsafe.Pointer(&out), words, table.Words, 1)
	in.VX, in.VY = out.VX, out.VY
	if out != in {
		t.Errorf("%+v, want %+v", out, in)
	}
}

func TestMotionWordErrors(t *testing.T) {
	for text, says := range map[string]string{
		"0..9 axis":             "x, y or z",
		"0..9 axis w":           "x, y or z",
		"0..9 rate 1":           "x, y or z",
		"0..9 linear linear":    "twice",
		"0..9 axis x axis x":    "twice",
		"0..9 rate x rate y":    "twice",
		"0..9 lines lines 1":    "twice",
		"0..9 lines 0":          "above zero",
		"0..9 lines -1":         "above zero",
		"raw linear":            "needs a number in a range or an angle",
		"enum 3 linear":         "needs a number in a range or an angle",
		"flags 3 lines":         "needs a number in a range or an angle",
		"quat 9 linear":         "needs a number in a range or an angle",
		"lines":                 "needs a number in a range or an angle",
		"0..9 angle axis x":     "that is no angle",
		"degrees 1 rate z":      "that is no angle",
		"0..9 along":            "needs an angle",
		"0..9 parent":           "needs a ref",
		"raw parent":            "needs a ref",
		"0..9 axis x linear":    "linear already",
		"0..9 lines linear":     "how the value goes on",
		"0..9 axis x rate x":    "the one or the other",
		"0..9 sideways":         "axis x, rate x, lines T, along, parent",
		"0..9 step 1 lines 0.5": "at least a step, 1",
		"0..9 step 1 lines 3":   "at most a quarter of the range, 2.5",
		"0..9 step 1 lines":     "",
	} {
		type one struct{ V int32 }
		_, err := Compile(reflect.TypeFor[one](), Fields{"V": text})
		if says == "" {
			if err != nil {
				t.Errorf("%q: %v", text, err)
			}
		} else if !errors.Is(err, ErrTag) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want something on %s", text, err, says)
		}
	}
	type bag struct {
		N uint8 `net:"count"`
		V [3]int32
	}
	type many struct{ V [2]int32 }
	for text, says := range map[string]string{
		"0..99 axis x": "axis x", "0..99 rate z": "rate z", "0..99 angle along": "along", "0..99 lines": "lines",
	} {
		_, err := Compile(reflect.TypeFor[bag](), Fields{"V": text})
		if !errors.Is(err, ErrTag) || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "list") {
			t.Errorf("list of %q: %v", text, err)
		}
		_, err = Compile(reflect.TypeFor[many](), Fields{"V": text})
		if text == "0..99 lines" {
			if err != nil {
				t.Errorf("array of %q: %v", text, err)
			}
		} else if !errors.Is(err, ErrTag) || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "V[0]") {
			t.Errorf("array of %q: %v", text, err)
		}
	}
}

// Steps returns the numbers that Quantize rounds.
func TestSteps(t *testing.T) {
	table := compile[mover](t, nil)
	nan := math.NaN()
	rows := []mover{
		{X: 3.001, VX: -256, Turn: 359.9, Deep: 3},
		{X: -5, VX: 300, Turn: -0.2, Head: 65535, Deep: 1000},
		{X: float32(nan), VX: float32(nan), Turn: nan, Head: 255},
		{X: 2000, VX: float32(math.Inf(-1)), Turn: math.Inf(1), Head: 127},
		{X: 2001, VX: 0.06, Turn: 1e9, Head: 128},
		{X: 1, VX: 0.07, Turn: -1e9},
	}
	words := make([]int32, table.Words*len(rows))
	table.Quantize(words, table.Words, unsafe.Pointer(&rows[0]), len(rows))
	x := make([]float64, len(rows))
	for i := range table.Fields {
		f := &table.Fields[i]
		if f.Parent {
			continue
		}
		table.Steps(i, x, unsafe.Pointer(&rows[0]), len(rows))
		for k := range rows {
			q := math.Floor(x[k] + 0.5)
			if f.Angle && q == float64(f.Values()) {
				q = 0
			}
			if got := words[k*table.Words+f.Word]; float64(got) != q {
				t.Errorf("%s of %+v: %v steps, word %d", f.Path, rows[k], x[k], got)
			}
		}
	}
	for _, text := range []string{"ref", "raw"} {
		type one struct{ V uint32 }
		table := compile[one](t, Fields{"V": text})
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", text)
				}
			}()
			var v one
			table.Steps(0, x, unsafe.Pointer(&v), 1)
		}()
	}
}

func TestTurn(t *testing.T) {
	type angles struct {
		A uint16  `net:"0..65280 step 256 angle"`
		B float64 `net:"degrees 0.5"`
		C int16   `net:"-180..179 angle"`
		D float32 `net:"degrees 1"`
		E float32 `net:"0..1 step 1"`
	}
	table := compile[angles](t, nil)
	in := angles{A: 0x4000, B: 90, C: 90, D: 90, E: 1}
	words := make([]int32, table.Words)
	table.Quantize(words, table.Words, unsafe.Pointer(&in), 1)
	for i := range table.Fields {
		f := &table.Fields[i]
		want, slack := 0.25, 0.5/max(float64(f.Values()), 1)+1e-9
		if !f.Angle {
			want = 0
		}
		for _, word := range []int32{words[i], words[i] + int32(f.Values()), words[i] - 3*int32(f.Values())} {
			if got := float64(f.Turn(word)) / (1 << 32); math.Abs(got-want) > slack {
				t.Errorf("%s: word %d is %v of a turn", f.Path, word, got)
			}
		}
	}
}
