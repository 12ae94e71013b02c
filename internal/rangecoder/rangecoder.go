package rangecoder

import (
	"encoding/binary"
	"math/bits"

	"github.com/tactusgo/tactus/codec"
)

// Coder is a binary range coder. The same calls write or read, and [Coder.Divert] makes them use another coding. The interval is
// [low, low+width) in 64 bits. When width falls below 2^32, 32 bits are written or read. A 1 takes the lower part of the interval.
type Coder struct {
	// Reading is set by Read, cleared by Write, and given to Divert.
	Reading bool
	width   uint64
	low     uint64 // when writing
	code    uint64 // when reading: the number read minus low
	buf     []byte // the bytes written or to be read
	at      int    // when writing, the start of the body; when reading, the next byte

	sink Sink // nil: the range coder itself
}

const flushBytes = 8

// Sink is another coding of the same bits and numbers.
type Sink interface {
	// Bit codes a bit whose probability is the mean of two chances, which may be one, and returns it.
	Bit(a, b *Chance, bit uint32) uint32
	// Number codes a number, with the chances of [Coder.Number], and returns it.
	Number(a, b *Row, l *Lot, sign *Chance, v int32) int32
	// Over is [Coder.Over] for a body that is read.
	Over() bool
	// End is [Coder.End] for a body that is read.
	End() error
	// Position is [Coder.Position] for a body that is read.
	Position() uint64
}

// Divert makes the coder write to a sink, or read from it.
func (r *Coder) Divert(to Sink, reading bool) { *r = Coder{Reading: reading, sink: to} }

// Write starts to append a body to dst.
func (r *Coder) Write(dst []byte) {
	*r = Coder{width: 1<<64 - 1, buf: dst, at: len(dst)}
}

// Read starts to read a body. Bytes past its end are zeros.
func (r *Coder) Read(src []byte) {
	*r = Coder{Reading: true, width: 1<<64 - 1, buf: src}
	r.code = uint64(r.word())<<32 | uint64(r.word())
}

// word returns the next 32 bits.
func (r *Coder) word() uint32 {
	at := r.at
	r.at += 4
	if at+4 <= len(r.buf) {
		return binary.BigEndian.Uint32(r.buf[at:])
	}
	var b [4]byte
	if at < len(r.buf) {
		copy(b[:], r.buf[at:])
	}
	return binary.BigEndian.Uint32(b[:])
}

// Over reports whether more bytes were read than a valid body of this length has.
func (r *Coder) Over() bool {
	if r.sink != nil {
		return r.sink.Over()
	}
	return r.at > len(r.buf)+flushBytes
}

// shift widens the interval by 32 bits, writing or reading them.
func (r *Coder) shift() {
	r.width <<= 32
	if r.Reading {
		r.code = r.code<<32 | uint64(r.word())
		return
	}
	r.buf = binary.BigEndian.AppendUint32(r.buf, uint32(r.low>>32))
	r.low <<= 32
}

// add increases low and carries into the bytes already written.
func (r *Coder) add(v uint64) {
	low, carry := bits.Add64(r.low, v, 0)
	r.low = low
	if carry != 0 {
		r.carry()
	}
}

// carry adds one to the number written so far.
func (r *Coder) carry() {
	for i := len(r.buf) - 1; i >= r.at; i-- {
		if r.buf[i]++; r.buf[i] != 0 {
			return
		}
	}
}

// shortest returns the length in bytes of the shortest number in an interval, and its distance above low. Missing bytes are
// zeros.
func shortest(low, width uint64) (n int, up uint64) {
	for n = range flushBytes {
		// Compute the first number of n bytes that is at least low. With 0 bytes there is only 0, and the step is 2^64.
		step := uint64(1) << (64 - 8*n)
		if up = -low & (step - 1); up < width {
			return n, up
		}
	}
	return flushBytes, 0
}

// Finish writes the shortest number in the interval and returns the bytes.
func (r *Coder) Finish() []byte {
	n, up := shortest(r.low, r.width)
	r.add(up)
	r.buf = binary.BigEndian.AppendUint64(r.buf, r.low)
	r.buf = r.buf[:len(r.buf)-flushBytes+n]
	return r.buf
}

// End returns an error unless the body ends as Finish writes it.
func (r *Coder) End() error {
	if r.sink != nil {
		return r.sink.End()
	}
	n := len(r.buf) - (r.at - flushBytes)
	var last [flushBytes]byte
	switch {
	case n < 0:
		return codec.ErrShort
	case n > flushBytes:
		return codec.ErrMalformed
	}
	copy(last[:], r.buf[r.at-flushBytes:])
	number := binary.BigEndian.Uint64(last[:])
	if m, up := shortest(number-r.code, r.width); m != n || up != r.code {
		return codec.ErrMalformed
	}
	return nil
}

// Bit codes a bit with a chance and returns the bit.
func (r *Coder) Bit(c *Chance, bit uint32) uint32 {
	if r.sink != nil {
		return r.sink.Bit(c, c, bit)
	}
	bound := (r.width >> chanceBits) * uint64(c.P)
	if r.Reading {
		bit = 0
		if r.code < bound {
			bit = 1
		}
	}
	if bit != 0 {
		r.width = bound
		c.One()
	} else {
		if r.Reading {
			r.code -= bound
		} else {
			r.add(bound)
		}
		r.width -= bound
		c.Zero()
	}
	if r.width < 1<<32 {
		r.shift()
	}
	return bit
}

// Pair codes a bit with the mean of two chances and returns the bit.
func (r *Coder) Pair(a, b *Chance, bit uint32) uint32 {
	if r.sink != nil {
		return r.sink.Bit(a, b, bit)
	}
	if r.Reading {
		return r.readPair(a, b)
	}
	r.writePair(a, b, bit)
	return bit
}

func (r *Coder) writePair(a, b *Chance, bit uint32) {
	bound := (r.width >> chanceBits) * uint64((uint32(a.P)+uint32(b.P))>>1)
	if bit != 0 {
		r.width = bound
		a.One()
		b.One()
	} else {
		r.add(bound)
		r.width -= bound
		a.Zero()
		b.Zero()
	}
	if r.width < 1<<32 {
		r.shift()
	}
}

func (r *Coder) readPair(a, b *Chance) uint32 {
	bound := (r.width >> chanceBits) * uint64((uint32(a.P)+uint32(b.P))>>1)
	if r.code < bound {
		r.width = bound
		a.One()
		b.One()
		if r.width < 1<<32 {
			r.shift()
		}
		return 1
	}
	r.code -= bound
	r.width -= bound
	a.Zero()
	b.Zero()
	if r.width < 1<<32 {
		r.shift()
	}
	return 0
}

// Even codes the low n bits of v, 0 ≤ n ≤ 32, with equal chances.
func (r *Coder) Even(v uint32, n int) uint32 {
	for n > 16 {
		n -= 16
		v = r.Even(v>>n, 16)<<n | v&(1<<n-1)
	}
	part := r.width >> n
	if r.Reading {
		q := r.code / part
		q = min(q, 1<<n-1)
		r.code -= q * part
		v = v&^(1<<n-1) | uint32(q)
	} else {
		r.add(uint64(v&(1<<n-1)) * part)
	}
	r.width = part
	if r.width < 1<<32 {
		r.shift()
	}
	return v
}

// Position returns the number of 256ths of a bit that were written or read, including the share in the interval.
func (r *Coder) Position() uint64 {
	if r.sink != nil {
		return r.sink.Position()
	}
	// The logarithm of width in whole bits, plus 256ths by linear interpolation within each octave. The error is less than a
	// tenth of a bit and does not accumulate.
	n := bits.LeadingZeros64(r.width)
	part := r.width << n << 1 >> 56
	coded := len(r.buf) - r.at
	if r.Reading {
		coded = r.at - flushBytes
	}
	return uint64(8*coded+n+1)*Parts - part
}

// Parts is the number of units of Position per bit.
const Parts = 256
