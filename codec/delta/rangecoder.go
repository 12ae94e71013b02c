package delta

import (
	"encoding/binary"
	"math/bits"

	"github.com/tactusgo/tactus/codec"
)

// rangeCoder is a binary range coder that writes or reads, by the same calls. The
// interval is [low, low+width) in 64 bits; whenever width falls below 2^32, 32
// bits go out or come in. A 1 takes the lower part of the interval.
type rangeCoder struct {
	reading bool
	width   uint64
	low     uint64 // when writing
	code    uint64 // when reading: how far the number read lies above low
	buf     []byte // written so far, or to be read
	at      int    // when writing, where the body began; when reading, the next byte

	tally *[]uint32 // where a Trainer writes down what is written, or nil
	first *chance   // context 0
}

const flushBytes = 8

// write begins to append a body to dst.
func (r *rangeCoder) write(dst []byte) {
	*r = rangeCoder{width: 1<<64 - 1, buf: dst, at: len(dst)}
}

// read begins to read a body. What lies past its end reads as zeros.
func (r *rangeCoder) read(src []byte) {
	*r = rangeCoder{reading: true, width: 1<<64 - 1, buf: src}
	r.code = uint64(r.word())<<32 | uint64(r.word())
}

// word returns the next 32 bits.
func (r *rangeCoder) word() uint32 {
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

// over reports whether more was read than any body holds.
func (r *rangeCoder) over() bool { return r.at > len(r.buf)+flushBytes }

// shift makes width at least 2^32 again.
func (r *rangeCoder) shift() {
	r.width <<= 32
	if r.reading {
		r.code = r.code<<32 | uint64(r.word())
		return
	}
	r.buf = binary.BigEndian.AppendUint32(r.buf, uint32(r.low>>32))
	r.low <<= 32
}

// add moves low up, over what was written already if need be.
func (r *rangeCoder) add(v uint64) {
	low, carry := bits.Add64(r.low, v, 0)
	r.low = low
	if carry != 0 {
		r.carry()
	}
}

// carry adds one to what was written.
func (r *rangeCoder) carry() {
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

// finish writes the shortest number in the interval and returns the bytes.
func (r *rangeCoder) finish() []byte {
	n, up := shortest(r.low, r.width)
	r.add(up)
	r.buf = binary.BigEndian.AppendUint64(r.buf, r.low)
	r.buf = r.buf[:len(r.buf)-flushBytes+n]
	return r.buf
}

// end returns an error unless the body ended as finish ends it.
func (r *rangeCoder) end() error {
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

// bit codes a bit with a chance and returns it.
func (r *rangeCoder) bit(c *chance, bit uint32) uint32 {
	bound := (r.width >> chanceBits) * uint64(c.p)
	if r.tally != nil {
		r.note(c, bit)
	}
	if r.reading {
		bit = 0
		if r.code < bound {
			bit = 1
		}
	}
	if bit != 0 {
		r.width = bound
		c.one()
	} else {
		if r.reading {
			r.code -= bound
		} else {
			r.add(bound)
		}
		r.width -= bound
		c.zero()
	}
	if r.width < 1<<32 {
		r.shift()
	}
	return bit
}

// pair codes a bit with the mean of two chances and returns it.
func (r *rangeCoder) pair(a, b *chance, bit uint32) uint32 {
	if r.reading {
		return r.readPair(a, b)
	}
	if r.tally != nil {
		r.notePair(a, b, bit)
	}
	r.writePair(a, b, bit)
	return bit
}

func (r *rangeCoder) writePair(a, b *chance, bit uint32) {
	bound := (r.width >> chanceBits) * uint64((uint32(a.p)+uint32(b.p))>>1)
	if bit != 0 {
		r.width = bound
		a.one()
		b.one()
	} else {
		r.add(bound)
		r.width -= bound
		a.zero()
		b.zero()
	}
	if r.width < 1<<32 {
		r.shift()
	}
}

func (r *rangeCoder) readPair(a, b *chance) uint32 {
	bound := (r.width >> chanceBits) * uint64((uint32(a.p)+uint32(b.p))>>1)
	if r.code < bound {
		r.width = bound
		a.one()
		b.one()
		if r.width < 1<<32 {
			r.shift()
		}
		return 1
	}
	r.code -= bound
	r.width -= bound
	a.zero()
	b.zero()
	if r.width < 1<<32 {
		r.shift()
	}
	return 0
}

// even codes the low n bits of v, 0 ≤ n ≤ 32, each as likely 0 as 1.
func (r *rangeCoder) even(v uint32, n int) uint32 {
	for n > 16 {
		n -= 16
		v = r.even(v>>n, 16)<<n | v&(1<<n-1)
	}
	part := r.width >> n
	if r.reading {
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
