package codec

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// BitsFor returns the number of bits that tell count values 0..count−1 apart:
// 0 for a count of 0 or 1, 8 for 256, 9 for 257.
func BitsFor(count uint64) int {
	if count <= 1 {
		return 0
	}
	return bits.Len64(count - 1)
}

// Writer appends values of 0 to 64 bits to a byte slice, least significant bit
// first: the first bit written is bit 0 of the first byte. The zero value writes
// to a new slice. A Writer is not for concurrent use.
type Writer struct {
	buf []byte
	acc uint64 // bits not yet in buf, from bit 0
	n   uint   // how many of them, always below 64
}

// Reset begins a new message after the bytes already in buf, whose spare
// capacity is used; pass last[:0] to use a buffer again. Nothing of what was
// written before is kept.
func (w *Writer) Reset(buf []byte) { *w = Writer{buf: buf} }

// Bits writes the lowest n bits of v, 0 ≤ n ≤ 64; the others are ignored.
// It panics above 64.
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
	// A shift by 64 gives 0, which is right: nothing of v is left then.
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

// Uvarint writes v in groups of 7 bits, low group first, each followed by a bit
// that says whether another comes: 8 bits below 128, 80 at most.
func (w *Writer) Uvarint(v uint64) {
	for v >= 0x80 {
		w.Bits(v&0x7f|0x80, 8)
		v >>= 7
	}
	w.Bits(v, 8)
}

// Varint writes a signed v as the [Writer.Uvarint] of its zigzag form: 8 bits
// for −64..63.
func (w *Writer) Varint(v int64) { w.Uvarint(zigzag(v)) }

// Align writes zero bits up to the next byte border; at a border, none.
func (w *Writer) Align() {
	for w.n > 0 {
		w.buf = append(w.buf, byte(w.acc))
		w.acc >>= 8
		w.n -= min(w.n, 8)
	}
}

// Bytes aligns and returns the slice given to [Writer.Reset] with everything
// appended to it. It is valid until the next call that writes.
func (w *Writer) Bytes() []byte {
	w.Align()
	return w.buf
}

// Len returns the length in bytes that [Writer.Bytes] would have now, a byte
// that has been begun included.
func (w *Writer) Len() int { return len(w.buf) + int(w.n+7)/8 }

// Reader takes values from bytes that a [Writer] wrote, in the same order and
// widths. Errors are sticky: after the first one every value is 0 and
// [Reader.Err] tells why, so that a message can be read whole and checked once.
// A Reader is not for concurrent use.
type Reader struct {
	b   []byte
	pos int // next bit
	err error
}

// Reset begins reading b, which is not copied, and forgets any error.
func (r *Reader) Reset(b []byte) { *r = Reader{b: b} }

// Err returns the first error: nil, [ErrShort] when a value lay past the end, or
// [ErrMalformed] for an over-long varint or padding that is not zero.
func (r *Reader) Err() error { return r.err }

// Remaining returns the number of bits not yet read, 0 after an error. A count
// read from the message is bounded by it before anything is allocated.
func (r *Reader) Remaining() int {
	if r.err != nil {
		return 0
	}
	return len(r.b)*8 - r.pos
}

// Bits reads n bits, 0 ≤ n ≤ 64. It panics above 64.
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

// Uvarint reads what [Writer.Uvarint] wrote.
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

// Varint reads what [Writer.Varint] wrote.
func (r *Reader) Varint() int64 { return unzigzag(r.Uvarint()) }

// Align skips to the next byte border. The bits skipped must be zero, as
// [Writer.Align] leaves them; [ErrMalformed] otherwise.
func (r *Reader) Align() {
	if r.Bits(uint(-r.pos)&7) != 0 {
		r.err = ErrMalformed
	}
}

// load64 reads up to 8 bytes as a little-endian number, those past the end as 0.
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
