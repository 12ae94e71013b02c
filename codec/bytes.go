package codec

import (
	"encoding/binary"
	"math"
)

// MaxVarint is the length in bytes of the longest varint.
const MaxVarint = binary.MaxVarintLen64

// AppendUvarint appends v in groups of 7 bits, lowest group first. The high bit of each byte says whether another byte
// follows. It appends one byte for values below 128 and at most [MaxVarint] bytes. The format is that of encoding/binary.
func AppendUvarint(dst []byte, v uint64) []byte {
	for v >= 0x80 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

// AppendVarint appends the zigzag form of v (0, −1, 1, −2 … become 0, 1, 2, 3 …) with [AppendUvarint]: one byte for
// −64..63.
func AppendVarint(dst []byte, v int64) []byte { return AppendUvarint(dst, zigzag(v)) }

// AppendUvarints appends each of the numbers with [AppendUvarint]: see [ByteReader.Uvarint32].
func AppendUvarints(dst []byte, all ...uint32) []byte {
	for _, n := range all {
		dst = AppendUvarint(dst, uint64(n))
	}
	return dst
}

// AppendBytes appends the length of b with [AppendUvarint], and b: see [ByteReader.Bytes].
func AppendBytes[T string | []byte](dst []byte, b T) []byte {
	return append(AppendUvarint(dst, uint64(len(b))), b...)
}

// UvarintLen returns the number of bytes that [AppendUvarint] appends for v.
func UvarintLen(v uint64) int {
	n := 1
	for ; v >= 0x80; v >>= 7 {
		n++
	}
	return n
}

func zigzag(v int64) uint64   { return uint64(v)<<1 ^ uint64(v>>63) }
func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// uvarintByte reports whether b is valid at the given shift of a varint: the last byte is not zero, except as the only
// byte, and no bit lies past bit 63.
func uvarintByte(b uint64, shift uint) bool {
	if b == 0 && shift > 0 {
		return false
	}
	return shift < 63 || b <= 1
}

// ByteReader reads whole bytes. Errors are sticky: after the first error all values are 0 and [ByteReader.Err] returns this
// error. A ByteReader is not safe for concurrent use.
type ByteReader struct {
	b   []byte
	err error
}

// Reset starts reading b without copying it, and clears the error.
func (r *ByteReader) Reset(b []byte) { *r = ByteReader{b: b} }

// Err returns the first error, or nil. [ErrShort] means that a value extends past the end; [ErrMalformed] means an
// over-long varint.
func (r *ByteReader) Err() error { return r.err }

// Len returns the number of unread bytes, and 0 after an error.
func (r *ByteReader) Len() int { return len(r.b) }

// fail sets err unless an earlier error is set, and discards the unread bytes.
func (r *ByteReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.b = nil
}

// Next reads n bytes and returns them as a part of the input, without copying. It returns nil after an error. A negative n
// is an error.
func (r *ByteReader) Next(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.fail(ErrShort)
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

// Reject makes the reader fail with [ErrMalformed], because of a value that it has read.
func (r *ByteReader) Reject() { r.fail(ErrMalformed) }

// Uvarint32 reads a number appended by [AppendUvarint] of at most 32 bits.
func (r *ByteReader) Uvarint32() uint32 {
	n := r.Uvarint()
	if n > math.MaxUint32 {
		r.Reject()
		return 0
	}
	return uint32(n)
}

// Count reads the number of elements that follow, each of at least size bytes, with [ByteReader.Uvarint32]. If there are fewer bytes, the
// reader fails and Count returns 0.
func (r *ByteReader) Count(size int) int {
	n := r.Uvarint32()
	if int64(n) > int64(len(r.b)/size) {
		r.fail(ErrShort)
		return 0
	}
	return int(n)
}

// Bytes reads the length of the following bytes with [ByteReader.Count], and returns them as [ByteReader.Next] does.
func (r *ByteReader) Bytes() []byte { return r.Next(r.Count(1)) }

// Byte reads one byte.
func (r *ByteReader) Byte() byte {
	if len(r.b) == 0 {
		r.fail(ErrShort)
		return 0
	}
	b := r.b[0]
	r.b = r.b[1:]
	return b
}

// Uint16 reads two bytes, little endian.
func (r *ByteReader) Uint16() uint16 {
	if b := r.Next(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

// Uint32 reads four bytes, little endian.
func (r *ByteReader) Uint32() uint32 {
	if b := r.Next(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// Uint64 reads eight bytes, little endian.
func (r *ByteReader) Uint64() uint64 {
	if b := r.Next(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Uvarint reads a number appended by [AppendUvarint].
func (r *ByteReader) Uvarint() uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 {
		v := uint64(r.b[0])
		r.b = r.b[1:]
		return v
	}
	var v uint64
	for i, c := range r.b {
		b, shift := uint64(c), uint(7*i)
		if !uvarintByte(b, shift) {
			r.fail(ErrMalformed)
			return 0
		}
		v |= b & 0x7f << shift
		if b < 0x80 {
			r.b = r.b[i+1:]
			return v
		}
	}
	r.fail(ErrShort)
	return 0
}

// Varint reads a number appended by [AppendVarint].
func (r *ByteReader) Varint() int64 { return unzigzag(r.Uvarint()) }
