package codec

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func TestBitsFor(t *testing.T) {
	for count, want := range map[uint64]int{0: 0, 1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 256: 8, 257: 9, math.MaxUint64: 64} {
		if got := BitsFor(count); got != want {
			t.Errorf("BitsFor(%d) = %d, want %d", count, got, want)
		}
	}
}

func TestBitsAreLeastSignificantFirst(t *testing.T) {
	var w Writer
	w.Bits(0b101, 3)
	w.Bool(true)
	w.Bits(0xabcd, 16)
	got := w.Bytes()
	want := []byte{0b1101_1101, 0b1011_1100, 0b0000_1010}
	if string(got) != string(want) {
		t.Fatalf("got %08b, want %08b", got, want)
	}
}

func TestWriterAppendsAndMasks(t *testing.T) {
	var w Writer
	w.Reset([]byte("ab"))
	w.Bits(math.MaxUint64, 4)
	if w.Len() != 3 {
		t.Errorf("Len %d, want 3", w.Len())
	}
	w.Bits(0, 4)
	w.Bits(math.MaxUint64, 0)
	if got := string(w.Bytes()); got != "ab\x0f" {
		t.Errorf("got %q", got)
	}
}

// Any sequence of written values is read back, at every alignment.
func TestBitsRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var w Writer
	var r Reader
	for range 500 {
		type item struct {
			kind int
			n    uint
			v    uint64
		}
		items := make([]item, rng.IntN(40))
		w.Reset(w.buf[:0])
		for i := range items {
			it := item{kind: rng.IntN(5), n: uint(rng.IntN(65)), v: rng.Uint64() >> rng.IntN(64)}
			items[i] = it
			switch it.kind {
			case 0:
				w.Bits(it.v, it.n)
			case 1:
				w.Bool(it.v&1 != 0)
			case 2:
				w.Uvarint(it.v)
			case 3:
				w.Varint(int64(it.v))
			case 4:
				w.Align()
			}
		}
		n := w.Len()
		b := w.Bytes()
		if n != len(b) {
			t.Fatalf("Len %d, bytes %d", n, len(b))
		}
		r.Reset(b)
		for i, it := range items {
			var got, want uint64
			switch it.kind {
			case 0:
				got, want = r.Bits(it.n), it.v
				if it.n < 64 {
					want &= 1<<it.n - 1
				}
			case 1:
				got, want = r.Bits(1), it.v&1
			case 2:
				got, want = r.Uvarint(), it.v
			case 3:
				got, want = uint64(r.Varint()), it.v
			case 4:
				r.Align()
			}
			if got != want {
				t.Fatalf("item %d %+v: got %d, want %d", i, it, got, want)
			}
		}
		if r.Err() != nil || r.Remaining() > 7 {
			t.Fatalf("err %v, %d bits left", r.Err(), r.Remaining())
		}
	}
}

func TestReaderErrorsStick(t *testing.T) {
	var r Reader
	r.Reset([]byte{0xff})
	if r.Bits(5) != 31 || r.Bits(4) != 0 || !errors.Is(r.Err(), ErrShort) {
		t.Fatalf("err %v", r.Err())
	}
	if r.Bits(1) != 0 || r.Remaining() != 0 {
		t.Error("a value after the error")
	}
	r.Align()
	if r.Err() != ErrShort {
		t.Error("the first error must stay")
	}
	r.Reset([]byte{0b10})
	r.Bits(1)
	r.Align()
	if r.Err() != ErrMalformed {
		t.Errorf("padding of ones: %v", r.Err())
	}
}

// Both readers take one spelling of a number and refuse the others alike.
func TestUvarintSpelling(t *testing.T) {
	for _, c := range []struct {
		name string
		b    []byte
		want error
	}{
		{"zero", []byte{0}, nil},
		{"empty last group", []byte{0x80, 0}, ErrMalformed},
		{"ends early", []byte{0x80}, ErrShort},
		{"nothing", nil, ErrShort},
		{"largest", binary.AppendUvarint(nil, math.MaxUint64), nil},
		{"bit 64", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2}, ErrMalformed},
		{"eleven bytes", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 1}, ErrMalformed},
	} {
		var br ByteReader
		br.Reset(c.b)
		v := br.Uvarint()
		var r Reader
		r.Reset(c.b)
		if u := r.Uvarint(); u != v || !errors.Is(r.Err(), c.want) || !errors.Is(br.Err(), c.want) {
			t.Errorf("%s: %d %v, %d %v, want %v", c.name, v, br.Err(), u, r.Err(), c.want)
		}
	}
}

func TestWidthsAbove64Panic(t *testing.T) {
	for _, f := range []func(){
		func() { new(Writer).Bits(0, 65) },
		func() { new(Reader).Bits(65) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		}()
	}
}

func TestBitsAllocateNothing(t *testing.T) {
	var w Writer
	var r Reader
	buf := make([]byte, 0, 256)
	if n := testing.AllocsPerRun(100, func() {
		w.Reset(buf)
		for i := range uint64(20) {
			w.Bits(i, 13)
			w.Varint(int64(i))
		}
		r.Reset(w.Bytes())
		for range 20 {
			r.Bits(13)
			r.Varint()
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzReader(f *testing.F) {
	f.Fuzz(func(t *testing.T, program, b []byte) {
		var r Reader
		r.Reset(b)
		for _, op := range program {
			before := r.Remaining()
			switch op % 5 {
			case 0:
				r.Bits(uint(op) % 65)
			case 1:
				r.Bool()
			case 2:
				r.Uvarint()
			case 3:
				r.Varint()
			case 4:
				r.Align()
			}
			if r.Remaining() > before || r.Remaining() < 0 {
				t.Fatalf("%d bits left of %d", r.Remaining(), before)
			}
		}
	})
}
