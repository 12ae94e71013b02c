package wire

import (
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
)

var update = flag.Bool("update", false, "write the vectors to testdata")

// push is a typical input of a game.
type push struct {
	DX, DY int8 `net:"-1..1"`
	Fire   bool `net:"edge"`
}

// numbered is an input with its number.
type numbered struct {
	N uint16 `net:"0..65535"`
}

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

// randomInputs returns a message with random valid values. About half of the inputs repeat the previous one.
func randomInputs(r *rand.Rand, t *schema.Table, count int) *Input {
	m := &Input{Epoch: uint8(r.Uint32()), Every: uint8(r.Uint32()), Shift: int16(r.Uint32()), Newest: uint16(r.Uint32()), Count: count}
	m.Words = make([]int32, count*t.Words)
	value := make([]uint64, t.Size/8+1)
	for i := range count {
		words := m.Words[i*t.Words : (i+1)*t.Words]
		if i > 0 && r.IntN(2) == 0 {
			copy(words, m.Words[(i-1)*t.Words:])
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

// sameInputs compares messages as the game would see them: unused bits of raw words may differ.
func sameInputs(t *schema.Table, a, b *Input) bool {
	if a.Epoch != b.Epoch || a.Every != b.Every || a.Shift != b.Shift || a.Newest != b.Newest || a.Count != b.Count {
		return false
	}
	var x, y every
	for i := range a.Count {
		t.Dequantize(unsafe.Pointer(&x), a.Words[i*t.Words:], t.Words, 1)
		t.Dequantize(unsafe.Pointer(&y), b.Words[i*t.Words:], t.Words, 1)
		if x != y {
			return false
		}
	}
	return true
}

// writeWhole encodes m as a message that continues from no other.
func writeWhole(t *schema.Table, m *Input) []byte {
	return NewInputCoder(t).Append(nil, m, 0, nil)
}

// readWhole decodes such a message.
func readWhole(t *schema.Table, b []byte) (m Input, err error) {
	return m, NewInputCoder(t).Read(b, &m, 0, NewInputBases(t.Words))
}

func TestInputRoundTrip(t *testing.T) {
	table, r := tableFor[every](t), rand.New(rand.NewPCG(1, 1))
	for n := range 600 {
		m := randomInputs(r, table, n%MaxRedundancy+1)
		got, err := readWhole(table, writeWhole(table, m))
		if err != nil {
			t.Fatalf("message %d: %v", n, err)
		}
		if !sameInputs(table, m, &got) {
			t.Fatalf("message %d: %+v came back as %+v", n, m, got)
		}
	}
}

// A message that is truncated or has additional bytes is refused.
func TestInputCutOrExtended(t *testing.T) {
	table, r := tableFor[every](t), rand.New(rand.NewPCG(2, 1))
	for n := range MaxRedundancy {
		b := writeWhole(table, randomInputs(r, table, n+1))
		for cut := range b {
			if _, err := readWhole(table, b[:cut]); !errors.Is(err, ErrMessage) {
				t.Fatalf("%d of %d bytes: %v", cut, len(b), err)
			}
		}
		for _, tail := range [][]byte{{0}, {1}, make([]byte, 300)} {
			if _, err := readWhole(table, append(b[:len(b):len(b)], tail...)); !errors.Is(err, ErrMessage) {
				t.Fatalf("%d bytes and %d more: %v", len(b), len(tail), err)
			}
		}
	}
}

func TestInputCounts(t *testing.T) {
	table := tableFor[push](t)
	for _, c := range []struct {
		count int
		ok    bool
	}{{0, false}, {1, true}, {32, true}, {33, false}, {255, false}} {
		b := writeWhole(table, &Input{Newest: 7, Count: c.count, Words: make([]int32, 255*table.Words)})
		if _, err := readWhole(table, b); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrMessage) {
			t.Errorf("%d inputs: %v", c.count, err)
		}
	}
	// Padding has one spelling.
	b := writeWhole(table, &Input{Newest: 7, Count: 1, Words: make([]int32, table.Words)})
	b[len(b)-1] |= 0x80
	if _, err := readWhole(table, b); !errors.Is(err, ErrMessage) {
		t.Errorf("padding that is not zero: %v", err)
	}
}

// Whatever the encoded words are, the game gets numbers within their range.
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

// appendFuzzed appends a message. Messages of a session come one behind the other: how many sequences
// are left out before it, the message's length in two bytes, the message.
func appendFuzzed(dst []byte, skipped byte, msg []byte) []byte {
	dst = append(dst, skipped, byte(len(msg)), byte(len(msg)>>8))
	return append(dst, msg...)
}

// A decoded message can be encoded again with the same meaning, and all its values are within their range. This holds for
// complete messages and for those that continue from others.
func FuzzReadInput(f *testing.F) {
	table := tableFor[every](f)
	r := rand.New(rand.NewPCG(5, 1))
	player := newModelPlayer(table, r)
	var script []byte
	for n := range 40 {
		script = appendFuzzed(script, 0, player.send(1+n%3))
		player.acked(player.seq - uint16(n%9))
	}
	f.Add(script)
	f.Fuzz(func(t *testing.T, script []byte) {
		reader, writer := NewInputCoder(table), NewInputCoder(table)
		bases, again := NewInputBases(table.Words), NewInputBases(table.Words)
		var m, back Input
		var seq uint16
		for script = script[:min(len(script), 1<<13)]; len(script) >= 3; {
			n := min(int(script[1])|int(script[2])<<8, len(script)-3)
			seq += uint16(script[0]) + 1
			b := script[3 : 3+n]
			script = script[3+n:]
			if err := reader.Read(b, &m, seq, bases); err != nil {
				if !errors.Is(err, ErrMessage) {
					t.Fatal(err)
				}
				continue
			}
			if m.Count < 1 || m.Count > MaxRedundancy || len(m.Words) != m.Count*table.Words {
				t.Fatalf("%d inputs in %d words", m.Count, len(m.Words))
			}
			bases.Put(seq, &m, reader.State)
			for i := range m.Count {
				var v every
				table.Dequantize(unsafe.Pointer(&v), m.Words[i*table.Words:], table.Words, 1)
				if _, field := table.FirstClamped(unsafe.Pointer(&v), 1); field >= 0 {
					t.Fatalf("%s is %s", table.Fields[field].Path, table.Format(field, unsafe.Pointer(&v)))
				}
			}
			out := writer.Append(nil, &m, seq, again)
			if err := reader.Read(out, &back, seq, again); err != nil || !sameInputs(table, &m, &back) {
				t.Fatalf("%x came back as %x: %v", b, out, err)
			}
			if !slices.Equal(reader.State, writer.State) {
				t.Fatalf("%x ends with %d, written with %d", out, reader.State, writer.State)
			}
			again.Put(seq, &m, writer.State)
			again.Ack(seq)
		}
	})
}
