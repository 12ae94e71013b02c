package rangecoder

import (
	"encoding/binary"
	"math/bits"

	"github.com/tactusgo/tactus/codec"
)

// Coder is a binary range coder that writes or reads, by the same calls. The
// interval is [low, low+width) in 64 bits; whenever width falls below 2^32, 32
// bits go out or come in. A 1 takes the lower part of the interval.
type Coder struct {
	// Reading says which way: it is set by Write and Read.
	Reading bool
	width   uint64
	low     uint64 // when writing
	code    uint64 // when reading: how far the number read lies above low
	buf     []byte // written so far, or to be read
	at      int    // when writing, where the body began; when reading, the next byte

	// Tally, unless it is nil, gets each bit that is written and its context, context<<1 | bit,
	// counted from First.
	Tally *[]uint32
	First *Chance
}

const flushBytes = 8

// Write begins to append a body to dst.
func (r *Coder) Write(dst []byte) {
	*r = Coder{width: 1<<64 - 1, buf: dst, at: len(dst)}
}

// Read begins to read a body. What lies past its end reads as zeros.
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

// Over reports whether more was read than any body holds.
func (r *Coder) Over() bool { return r.at > len(r.buf)+flushBytes }

// shift makes width at least 2^32 again.
func (r *Coder) shift() {
	r.width <<= 32
	if r.Reading {
		r.code = r.code<<32 | uint64(r.word())
		return
	}
	r.buf = binary.BigEndian.AppendUint32(r.buf, uint32(r.low>>32))
	r.low <<= 32
}

// add moves low up, over what was written already if need be.
func (r *Coder) add(v uint64) {
	low, carry := bits.Add64(r.low, v, 0)
	r.low = low
	if carry != 0 {
		r.carry()
	}
}

// carry adds one to what was written.
func (r *Coder) carry() {
	for i := len(r.buf) - 1; i >= r.at; i-- {
		if r.buf[i]++; r.buf[i] != 0 {
			return
		}
	}
}

// shortest returns how many bytes the shortest number has that lies in an
// interval, and how far it is above low. The bytes that it lacks are zeros.
func shortest(low, width uint64) (n int, up uint64) {
	for n = range flushBytes {
		// The first number with n bytes that is not below low; of 0 bytes there is
		// only 0, and the step is 2^64.
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

// End returns an error unless the body ended as finish ends it.
func (r *Coder) End() error {
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

// Bit codes a bit with a chance and returns it.
func (r *Coder) Bit(c *Chance, bit uint32) uint32 {
	bound := (r.width >> chanceBits) * uint64(c.P)
	if r.Tally != nil {
		r.note(c, bit)
	}
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

// Pair codes a bit with the mean of two chances and returns it.
func (r *Coder) Pair(a, b *Chance, bit uint32) uint32 {
	if r.Reading {
		return r.readPair(a, b)
	}
	if r.Tally != nil {
		r.notePair(a, b, bit)
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

// Even codes the low n bits of v, 0 ≤ n ≤ 32, each as likely 0 as 1.
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

// Position is how many 256ths of a bit were written, or read, or lie in the interval.
func (r *Coder) Position() uint64 {
	// The logarithm of width: whole bits, and 1/256ths in a straight line through
	// each octave, which is off by less than a tenth of a bit and makes up for it.
	n := bits.LeadingZeros64(r.width)
	part := r.width << n << 1 >> 56
	coded := len(r.buf) - r.at
	if r.Reading {
		coded = r.at - flushBytes
	}
	return uint64(8*coded+n+1)*Parts - part
}

// Parts is how many parts of a bit Position counts.
const Parts = 256
