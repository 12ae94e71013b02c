package codec

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// BitsFor returns the number of bits that distinguish count values: 0 for a count of 0 or 1, 8 for 256, 9 for 257.
func BitsFor(count uint64) int {
	if count <= 1 {
		return 0
	}
	return bits.Len64(count - 1)
}

// Writer appends values of 0 to 64 bits to a byte slice, least significant bit first: the first bit written is bit 0 of the
// first byte. The zero value writes to a new slice. A Writer is not safe for concurrent use.
type Writer struct {
	buf []byte
	acc uint64 // bits not yet in buf, from bit 0
	n   uint   // number of bits in acc, always below 64
}

// Reset starts a new message that is appended to buf and uses its spare capacity. Pass last[:0] to reuse a buffer. Reset
// discards everything written before.
func (w *Writer) Reset(buf []byte) { *w = Writer{buf: buf} }

// Bits writes the lowest n bits of v, 0 ≤ n ≤ 64, and ignores the higher bits. It panics if n is above 64.
func (w *Writer) Bits(v uint64, n uint) {
	if n > 64 {
		panic(fmt.Sprintf("codec: Writer.Bits of %d bits: write at most 64 at a time", n))
	}
	if n < 64 {
		v &= 1<<n - 1
	}
	w.acc |= v << w.n
	if w.n+n < 64 {
		w.n += n
		return
	}
	w.buf = binary.LittleEndian.AppendUint64(w.buf, w.acc)
	// A shift by 64 gives 0: all of v has been written.
	w.acc = v >> (64 - w.n)
	w.n += n - 64
}

// Bool writes one bit: 1 for true.
func (w *Writer) Bool(v bool) {
	var b uint64
	if v {
		b = 1
	}
	w.Bits(b, 1)
}

// Uvarint writes v in groups of 7 bits, lowest group first. A bit after each group says whether another group follows. It
// writes 8 bits for values below 128 and at most 80 bits.
func (w *Writer) Uvarint(v uint64) {
	for v >= 0x80 {
		w.Bits(v&0x7f|0x80, 8)
		v >>= 7
	}
	w.Bits(v, 8)
}

// Varint writes the zigzag form of v with [Writer.Uvarint]: 8 bits for −64..63.
func (w *Writer) Varint(v int64) { w.Uvarint(zigzag(v)) }

// Align writes zero bits up to the next byte boundary. At a boundary it writes nothing.
func (w *Writer) Align() {
	for w.n > 0 {
		w.buf = append(w.buf, byte(w.acc))
		w.acc >>= 8
		w.n -= min(w.n, 8)
	}
}

// Bytes calls [Writer.Align] and returns the slice given to [Writer.Reset] with the message appended. The slice is valid
// until the next write.
func (w *Writer) Bytes() []byte {
	w.Align()
	return w.buf
}

// Len returns the length in bytes that [Writer.Bytes] would return now, including a partial byte.
func (w *Writer) Len() int { return len(w.buf) + int(w.n+7)/8 }

// Reader reads values that a [Writer] wrote, in the same order and widths. Errors are sticky: after the first error all
// values are 0 and [Reader.Err] returns this error. So read a whole message and check the error once. A Reader is not safe
// for concurrent use.
type Reader struct {
	b   []byte
	pos int // next bit
	err error
}

// Reset starts reading b without copying it, and clears the error.
func (r *Reader) Reset(b []byte) { *r = Reader{b: b} }

// Err returns the first error, or nil. [ErrShort] means that a value extends past the end; [ErrMalformed] means an
// over-long varint or padding that is not zero.
func (r *Reader) Err() error { return r.err }

// Remaining returns the number of unread bits, and 0 after an error. Compare a count from the message with it before you
// allocate.
func (r *Reader) Remaining() int {
	if r.err != nil {
		return 0
	}
	return len(r.b)*8 - r.pos
}

// Bits reads n bits, 0 ≤ n ≤ 64. It panics if n is above 64.
func (r *Reader) Bits(n uint) uint64 {
	if n > 64 {
		panic(fmt.Sprintf("codec: Reader.Bits of %d bits: read at most 64 at a time", n))
	}
	if r.err != nil || n == 0 {
		return 0
	}
	if int(n) > len(r.b)*8-r.pos {
		r.err = ErrShort
		return 0
	}
	at, shift := r.pos>>3, uint(r.pos&7)
	r.pos += int(n)
	v := load64(r.b[at:]) >> shift
	if shift+n > 64 {
		v |= uint64(r.b[at+8]) << (64 - shift)
	}
	if n < 64 {
		v &= 1<<n - 1
	}
	return v
}

// Bool reads one bit.
func (r *Reader) Bool() bool { return r.Bits(1) != 0 }

// Uvarint reads a number written by [Writer.Uvarint].
func (r *Reader) Uvarint() uint64 {
	var v uint64
	for shift := uint(0); ; shift += 7 {
		b := r.Bits(8)
		if r.err != nil {
			return 0
		}
		if !uvarintByte(b, shift) {
			r.err = ErrMalformed
			return 0
		}
		v |= b & 0x7f << shift
		if b < 0x80 {
			return v
		}
	}
}

// Varint reads a number written by [Writer.Varint].
func (r *Reader) Varint() int64 { return unzigzag(r.Uvarint()) }

// Align skips to the next byte boundary. The error is [ErrMalformed] if a skipped bit is not zero.
func (r *Reader) Align() {
	if r.Bits(uint(-r.pos)&7) != 0 {
		r.err = ErrMalformed
	}
}

// load64 reads up to 8 bytes as a little-endian number. Missing bytes are 0.
func load64(b []byte) uint64 {
	if len(b) >= 8 {
		return binary.LittleEndian.Uint64(b)
	}
	var v uint64
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return v
}
