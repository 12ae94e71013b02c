package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"
)

func TestVarintsAreThoseOfEncodingBinary(t *testing.T) {
	for shift := range 64 {
		for _, v := range []uint64{1 << shift, 1<<shift - 1, math.MaxUint64 >> shift} {
			u, s := AppendUvarint(nil, v), AppendVarint(nil, int64(v))
			if !bytes.Equal(u, binary.AppendUvarint(nil, v)) || !bytes.Equal(s, binary.AppendVarint(nil, int64(v))) {
				t.Errorf("%d: % x and % x", v, u, s)
			}
			if UvarintLen(v) != len(u) || len(u) > MaxVarint {
				t.Errorf("UvarintLen(%d) = %d, want %d", v, UvarintLen(v), len(u))
			}
			var r ByteReader
			r.Reset(append(u, s...))
			if r.Uvarint() != v || r.Varint() != int64(v) || r.Len() != 0 || r.Err() != nil {
				t.Errorf("%d does not come back: %v", v, r.Err())
			}
		}
	}
}

func TestByteReader(t *testing.T) {
	b := []byte{1}
	b = binary.LittleEndian.AppendUint16(b, 0x1234)
	b = binary.LittleEndian.AppendUint32(b, 0x12345678)
	b = binary.LittleEndian.AppendUint64(b, 0x123456789abcdef0)
	b = append(b, "tail"...)
	var r ByteReader
	r.Reset(b)
	if r.Byte() != 1 || r.Uint16() != 0x1234 || r.Uint32() != 0x12345678 || r.Uint64() != 0x123456789abcdef0 {
		t.Error("wrong values")
	}
	if got := r.Next(4); string(got) != "tail" || cap(got) != 4 {
		t.Errorf("got %q with room for %d", got, cap(got))
	}
	if r.Next(0) == nil || r.Err() != nil {
		t.Error("nothing may be read at the end")
	}
	r.Reset(b)
	if r.Next(100) != nil || !errors.Is(r.Err(), ErrShort) || r.Len() != 0 || r.Byte() != 0 {
		t.Error("the error must stick")
	}
	r.Reset(b)
	if r.Next(-1) != nil || r.Err() == nil {
		t.Error("a negative length must fail")
	}
}

// A number read from any bytes is written as the same bytes.
func FuzzUvarint(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte) {
		var r ByteReader
		r.Reset(b)
		v := r.Uvarint()
		if r.Err() != nil {
			return
		}
		used := len(b) - r.Len()
		if !bytes.Equal(AppendUvarint(nil, v), b[:used]) {
			t.Fatalf("% x read as %d", b[:used], v)
		}
	})
}

// Counts and lengths beyond the bytes that follow fail before anything is allocated for them.
func TestCounts(t *testing.T) {
	var r ByteReader
	b := AppendBytes(AppendUvarints(nil, 2), "abc")
	if !bytes.Equal(b, []byte("\x02\x03abc")) {
		t.Errorf("% x", b)
	}
	if r.Reset(b); r.Count(2) != 2 || string(r.Bytes()) != "abc" || r.Err() != nil || r.Len() > 0 {
		t.Error("3 bytes:", r.Err())
	}
	for _, x := range []struct {
		b    []byte
		read func() int
		want error
	}{
		{AppendUvarint(nil, 1<<32), func() int { return int(r.Uvarint32()) }, ErrMalformed},
		{b, func() int { return r.Count(3) }, ErrShort},
		{AppendUvarint(nil, 1<<31), func() int { return len(r.Bytes()) }, ErrShort},
		{b, func() int { r.Reject(); return r.Count(1) }, ErrMalformed},
	} {
		if r.Reset(x.b); x.read() != 0 || !errors.Is(r.Err(), x.want) {
			t.Errorf("%v: %v, want %v", x.b, r.Err(), x.want)
		}
	}
}
