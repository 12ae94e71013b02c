package systems

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
)

// every has a field of each kind and tag that an input can have.
type every struct {
	Bool  bool
	Edge  bool    `net:"edge"`
	I8    int8    `net:"-3..4"`
	U8    uint8   `net:"5..9"`
	I16   int16   `net:"-300..300 step 7"`
	U16   uint16  `net:"0..65280 step 256 angle"`
	I32   int32   `net:"-70000..70001"`
	U32   uint32  `net:"1..5"`
	I64   int64   `net:"-10..10"`
	F32   float32 `net:"-2..3 step 0.3"`
	F64   float64 `net:"0.5..0.9 step 0.001"`
	RawI8 int8    `net:"raw"`
	Raw16 int16   `net:"raw"`
	RawU  uint64  `net:"raw"`
	RawF  float32 `net:"raw"`
	RawD  float64 `net:"raw"`
}

func tableFor[T any](t testing.TB) *schema.Table {
	t.Helper()
	table, err := schema.Compile(reflect.TypeFor[T](), nil)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// randomInputs makes a message of values that a client can have; about half of
// the inputs are as the one before.
func randomInputs(r *rand.Rand, t *schema.Table, count int) *inputMessage {
	m := &inputMessage{epoch: uint8(r.Uint32()), shift: int16(r.Uint32()), newest: uint16(r.Uint32()), count: count}
	m.words = make([]int32, count*t.Words)
	value := make([]uint64, t.Size/8+1)
	for i := range count {
		words := m.words[i*t.Words : (i+1)*t.Words]
		if i > 0 && r.IntN(2) == 0 {
			copy(words, m.words[(i-1)*t.Words:])
			continue
		}
		for k := range words {
			words[k] = int32(r.Uint32())
		}
		t.Dequantize(unsafe.Pointer(&value[0]), words, t.Words, 1)
		t.Quantize(words, t.Words, unsafe.Pointer(&value[0]), 1)
	}
	return m
}

// sameInputs compares as the game would see it: raw words of less than 32 bits
// may differ in bits that nobody reads.
func sameInputs(t *schema.Table, a, b *inputMessage) bool {
	if a.epoch != b.epoch || a.shift != b.shift || a.newest != b.newest || a.count != b.count {
		return false
	}
	var x, y every
	for i := range a.count {
		t.Dequantize(unsafe.Pointer(&x), a.words[i*t.Words:], t.Words, 1)
		t.Dequantize(unsafe.Pointer(&y), b.words[i*t.Words:], t.Words, 1)
		if x != y {
			return false
		}
	}
	return true
}

func TestInputRoundTrip(t *testing.T) {
	table, r := tableFor[every](t), rand.New(rand.NewPCG(1, 1))
	var w codec.Writer
	var reader codec.Reader
	var got inputMessage
	for n := range 2000 {
		m := randomInputs(r, table, n%maxRedundancy+1)
		b := appendInput(nil, &w, table, m)
		if err := readInput(b[1:], &reader, table, &got); err != nil {
			t.Fatalf("message %d: %v", n, err)
		}
		if !sameInputs(table, m, &got) {
			t.Fatalf("message %d: %+v came back as %+v", n, m, got)
		}
	}
}

// No prefix of a message is a message, and none with anything behind it is.
func TestInputCutOrExtended(t *testing.T) {
	table, r := tableFor[every](t), rand.New(rand.NewPCG(2, 1))
	var w codec.Writer
	var reader codec.Reader
	var got inputMessage
	for n := range 100 {
		b := appendInput(nil, &w, table, randomInputs(r, table, n%maxRedundancy+1))
		for cut := 1; cut < len(b); cut++ {
			if err := readInput(b[1:cut], &reader, table, &got); !errors.Is(err, ErrMessage) {
				t.Fatalf("%d of %d bytes: %v", cut, len(b), err)
			}
		}
		for _, tail := range [][]byte{{0}, {1}, make([]byte, 300)} {
			if err := readInput(append(b[1:len(b):len(b)], tail...), &reader, table, &got); !errors.Is(err, ErrMessage) {
				t.Fatalf("%d bytes and %d more: %v", len(b), len(tail), err)
			}
		}
	}
}

func TestInputCounts(t *testing.T) {
	table := tableFor[push](t)
	var w codec.Writer
	var reader codec.Reader
	var got inputMessage
	for _, c := range []struct {
		count int
		ok    bool
	}{{0, false}, {1, true}, {32, true}, {33, false}, {255, false}} {
		b := appendInput(nil, &w, table, &inputMessage{newest: 7, count: c.count, words: make([]int32, 255*table.Words)})
		if err := readInput(b[1:], &reader, table, &got); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrMessage) {
			t.Errorf("%d inputs: %v", c.count, err)
		}
	}
	// Padding has one spelling.
	b := appendInput(nil, &w, table, &inputMessage{newest: 7, count: 1, words: make([]int32, table.Words)})
	b[len(b)-1] |= 0x80
	if err := readInput(b[1:], &reader, table, &got); !errors.Is(err, ErrMessage) {
		t.Errorf("padding that is not zero: %v", err)
	}
}

// Whatever the words, what the game gets is in the range and a number.
func TestHostileWordsStayInRange(t *testing.T) {
	table, r := tableFor[every](t), rand.New(rand.NewPCG(3, 1))
	words := make([]int32, table.Words)
	odd := []int32{0, -1, 1, math.MaxInt32, math.MinInt32, 0x7fc00000, 0x7ff00000, -0x00800000, 0x7f800000, 0xff, 0x80}
	for n := range 20_000 {
		for k := range words {
			if words[k] = int32(r.Uint32()); r.IntN(2) == 0 {
				words[k] = odd[r.IntN(len(odd))]
			}
		}
		var v every
		table.Dequantize(unsafe.Pointer(&v), words, table.Words, 1)
		if _, field := table.FirstClamped(unsafe.Pointer(&v), 1); field >= 0 {
			t.Fatalf("set %d: %s is %s", n, table.Fields[field].Path, table.Format(field, unsafe.Pointer(&v)))
		}
		if d := v.RawD; math.IsNaN(d) || math.IsInf(d, 0) {
			t.Fatalf("set %d: RawD is %v", n, d)
		}
		if f := float64(v.RawF); math.IsNaN(f) || math.IsInf(f, 0) {
			t.Fatalf("set %d: RawF is %v", n, f)
		}
		if b := *(*uint8)(unsafe.Pointer(&v.Bool)); b > 1 {
			t.Fatalf("set %d: a bool of %d", n, b)
		}
	}
}

func TestSnapshotHeaderRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for n := range 1000 {
		h := snapshotHeader{
			epoch: uint8(r.Uint32()), send: uint16(r.Uint32()), tick: r.Uint32(), input: uint16(r.Uint32()),
			depth: uint8(r.Uint32()), shift: int16(r.Uint32()), floor: uint8(r.Uint32()), own: r.IntN(600),
		}
		b := appendSnapshotHeader(nil, &h)
		if len(b) != snapshotHeaderSize {
			t.Fatalf("a header of %d bytes", len(b))
		}
		b = append(b, make([]byte, h.own)...)
		b = append(b, "body"...)
		got, own, body, err := readSnapshotHeader(b[1:])
		if err != nil || got != h || len(own) != h.own || string(body) != "body" {
			t.Fatalf("message %d: %+v with %d and %q: %v", n, got, len(own), body, err)
		}
		for cut := 1; cut < snapshotHeaderSize+h.own; cut++ {
			if _, _, _, err := readSnapshotHeader(b[1:cut]); !errors.Is(err, ErrMessage) {
				t.Fatalf("%d of %d bytes: %v", cut, len(b), err)
			}
		}
	}
}

func TestWelcomeRoundTripAndRefusals(t *testing.T) {
	good := welcome{seed: 1<<63 + 5, tickRate: 60, sendRate: 20, tick: 1<<32 - 1}
	b := good.append(nil)
	if got, err := readWelcome(b); err != nil || got != good || len(b) != welcomeSize {
		t.Errorf("%+v in %d bytes: %v", got, len(b), err)
	}
	for cut := range len(b) {
		if _, err := readWelcome(b[:cut]); !errors.Is(err, ErrMessage) {
			t.Errorf("%d bytes: %v", cut, err)
		}
	}
	if _, err := readWelcome(append(b, 0)); !errors.Is(err, ErrMessage) {
		t.Errorf("a byte too many: %v", err)
	}
	for _, rates := range [][2]uint16{{0, 20}, {60, 0}, {1001, 1}, {60, 7}, {20, 60}, {65535, 65535}} {
		bad := append([]byte(nil), b...)
		binary.LittleEndian.PutUint16(bad[8:], rates[0])
		binary.LittleEndian.PutUint16(bad[10:], rates[1])
		if _, err := readWelcome(bad); !errors.Is(err, ErrMessage) {
			t.Errorf("%d ticks and %d sends a second: %v", rates[0], rates[1], err)
		}
	}
}
