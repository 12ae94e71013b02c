package schema

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
)

func TestRawIsLittleEndianWithoutPadding(t *testing.T) {
	type mixed struct {
		A int8   `net:"raw"`
		B uint32 `net:"raw"`
		C bool
		D float64 `net:"raw"`
		E int16   `net:"-300..300"`
	}
	table := compile[mixed](t, nil)
	v := mixed{A: -2, B: 0x01020304, C: true, D: 1, E: -300}
	got := table.AppendRaw([]byte("x"), at(&v))
	want := []byte{'x', 0xfe, 4, 3, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0xd4, 0xfe}
	if !bytes.Equal(got, want) || table.RawSize() != len(want)-1 {
		t.Fatalf("got % x, want % x", got, want)
	}
	var back mixed
	rest, err := table.ReadRaw(append(got[1:], "rest"...), at(&back))
	if err != nil || string(rest) != "rest" || back != v {
		t.Errorf("%+v, rest %q, %v", back, rest, err)
	}
}

// The receiver can read any state of the sender. Valid values arrive bit by bit.
func TestReadRawTakesWhatAppendRawWrites(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	eachKind(t, func(t *testing.T, table *Table, f *Field, p unsafe.Pointer) {
		for range 3000 {
			draw(rng, f, p)
			sent := f.load(p)
			var got uint64
			rest, err := table.ReadRaw(table.AppendRaw(nil, p), unsafe.Pointer(&got))
			if err != nil || len(rest) != 0 {
				t.Fatalf("%s: %v", table.Format(0, p), err)
			}
			if f.valid(sent) && f.load(unsafe.Pointer(&got)) != sent {
				t.Fatalf("%s arrives as %s", table.Format(0, p), table.Format(0, unsafe.Pointer(&got)))
			}
			// Snap makes every value valid. Inputs are snapped before they are sent.
			table.Snap(p)
			if !f.valid(f.load(p)) {
				t.Fatalf("%s is snapped and not valid", table.Format(0, p))
			}
		}
	})
}

func TestAppendRawBringsValuesIntoRange(t *testing.T) {
	for _, c := range []struct {
		tag     string
		v, want float64
	}{
		{"-10..10 step 1", 11, 10},
		{"-10..10 step 1", math.NaN(), 0},
		{"-10..10 step 1", math.Inf(-1), -10},
		{"-10..10 step 1", 9.87654321, 9.87654321},
		{"0..359 step 1 angle", 370.25, 10.25},
		{"0..359 step 1 angle", -0.5, 359.5},
		{"0..359 step 1 angle", math.Inf(1), 0},
		{"raw", math.Inf(1), math.MaxFloat64},
		{"raw", math.NaN(), 0},
	} {
		table := compile[num[float64]](t, Fields{"V": c.tag})
		v, got := num[float64]{c.v}, num[float64]{}
		if _, err := table.ReadRaw(table.AppendRaw(nil, at(&v)), at(&got)); err != nil || got.V != c.want {
			t.Errorf("%v in %s arrives as %v, %v, want %v", c.v, c.tag, got.V, err, c.want)
		}
	}
}

func TestReadRawRefuses(t *testing.T) {
	type state struct {
		Pos  float32 `net:"-0.1..0.1 step 0.1"`
		Fire bool
		Team int8    `net:"1..3"`
		Any  float64 `net:"raw"`
		Aim  uint16  `net:"0..359 angle"`
	}
	table := compile[state](t, nil)
	// The end of the range, as float32 rounds it, lies beyond the range.
	good := state{Pos: 0.1, Team: 2, Any: math.MaxFloat64, Aim: 359}
	b := table.AppendRaw(nil, at(&good))
	refuseRaw(t, table, good, []rawFault{
		{"too large", 0, []byte{0, 0, 0x80, 0x3f}, ErrRange, "state.Pos: 1 is not in -0.1..0.1 step 0.1"},
		{"NaN in a range", 0, []byte{0, 0, 0xc0, 0x7f}, ErrRange, "NaN"},
		{"bool of 2", 4, []byte{2}, codec.ErrMalformed, "state.Fire"},
		{"below an integer range", 5, []byte{0}, ErrRange, "state.Team: 0 is not in 1..3"},
		{"far below", 5, []byte{0x80}, ErrRange, "-128"},
		{"raw NaN", 6, []byte{1, 0, 0, 0, 0, 0, 0xf8, 0x7f}, ErrRange, "state.Any: NaN is not finite"},
		{"raw infinity", 6, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0xff}, ErrRange, "-Inf"},
		{"a full turn", 14, []byte{360 - 256, 1}, ErrRange, "state.Aim: 360"},
	})
	var got state
	for n := range b {
		if _, err := table.ReadRaw(b[:n], at(&got)); !errors.Is(err, codec.ErrShort) || got != (state{}) {
			t.Errorf("%d bytes: %+v, %v", n, got, err)
		}
	}
	if _, err := table.ReadRaw(b, at(&got)); err != nil || got != good {
		t.Errorf("%+v, %v", got, err)
	}
}

// rawFault is bytes of a component that are wrong, from one on.
type rawFault struct {
	name string
	at   int
	b    []byte
	want error
	says string
}

// refuseRaw checks that a component with wrong bytes is refused without a trace.
func refuseRaw[T comparable](t *testing.T, table *Table, good T, faults []rawFault) {
	t.Helper()
	for _, c := range faults {
		bad := table.AppendRaw(nil, at(&good))
		copy(bad[c.at:], c.b)
		got := good
		rest, err := table.ReadRaw(bad, at(&got))
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || got != good || !bytes.Equal(rest, bad) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

// FuzzReadRaw reads any bytes. Refused bytes change nothing. Accepted bytes make a component that is written as the same
// bytes.
func FuzzReadRaw(f *testing.F) {
	table, all := compile[everything](f, nil), compile[forms](f, nil)
	f.Fuzz(func(t *testing.T, b []byte) {
		fuzzReadRaw[everything](t, table, b)
		fuzzReadRaw[forms](t, all, b)
	})
}

func fuzzReadRaw[T comparable](t *testing.T, table *Table, b []byte) {
	var v, zero T
	rest, err := table.ReadRaw(b, at(&v))
	if err != nil {
		if len(rest) != len(b) || v != zero {
			t.Fatalf("written on %v", err)
		}
		return
	}
	used := b[:len(b)-len(rest)]
	if again := table.AppendRaw(nil, at(&v)); !bytes.Equal(again, used) {
		t.Fatalf("% x is read and written as % x", used, again)
	}
	q := make([]int32, table.Words)
	if n := table.Quantize(q, table.Words, at(&v), 1); n != 0 {
		_, field := table.FirstClamped(at(&v), 1)
		t.Fatalf("%d values clamped, first %s", n, table.Fields[field].Path)
	}
}

// FuzzDequantize dequantizes any words. The component is valid, and its words stay the same from then on.
func FuzzDequantize(f *testing.F) {
	table := compile[forms](f, nil)
	f.Fuzz(func(t *testing.T, b []byte) {
		words := make([]int32, table.Words)
		for k := range words {
			if len(b) >= 4 {
				words[k] = int32(binary.LittleEndian.Uint32(b))
				b = b[4:]
			}
		}
		checkForms(t, table, words)
	})
}
