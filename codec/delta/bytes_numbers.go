package delta

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/tactusgo/tactus/codec"
)

// The body of a block coded by [Raw] or [Zstd] is a sequence of numbers of up to
// 32 bits; bytes_encode.go says which. Raw writes them as bits, one after the
// other, each in a Golomb code whose order follows the numbers of its kind:
//
//	q = (v >> order) + 1
//	+-----------------------+------+----------------------+---------------+
//	| bits.Len(q) − 1 zeros | 1    | q without its top 1  | v, order bits |
//	+-----------------------+------+----------------------+---------------+
//
// Zstd writes the length of each in bits as a byte, and compresses these; what
// the length does not tell follows as bits: it looks random, and would only
// dilute what the compressor sees.
//
//	+------------------------------+---------+------------+--------------------+
//	| varint: n<<1 | dictionary    | id, 1 B | zstd block | bits               |
//	|                              | if used | n B        |                    |
//	+------------------------------+---------+------------+--------------------+
//
// Bits fill bytes from the lowest up; numbers in bits stand lowest bit first. The
// last byte is filled up with zeros.

// numberKind is what a number says. Raw keeps an order for each.
type numberKind uint8

const (
	numOp     numberKind = iota // presence
	numID                       // ids
	numMask                     // component masks
	numMode                     // motion of an entity
	numGap                      // distance to the next of a set
	numColumn                   // how a column is written
	numValue                    // residuals
	numLine                     // how lines go
	numBend                     // when they bent
	numberKinds
)

// golomb is the mean length in bits of the numbers seen, in 16ths.
type golomb [numberKinds]int32

// firstLengths is golomb before the first number.
var firstLengths = golomb{numOp: 1 << 4, numID: 4 << 4, numMask: 4 << 4, numMode: 2 << 4, numGap: 3 << 4, numColumn: 1 << 4, numValue: 3 << 4, numLine: 1 << 4, numBend: 2 << 4}

// order is the order to code the next number with, of a kind.
func (g *golomb) order(k numberKind) uint { return uint(max(g[k]-4, 0)) >> 4 }

// saw takes note of a number of n bits.
func (g *golomb) saw(k numberKind, n int) { g[k] += (int32(n)<<4 - g[k]) >> 3 }

// maxClass is the largest length of a number in bits.
const maxClass = 32

// numberWriter writes the numbers of a body.
type numberWriter struct {
	packed bool   // in classes and bits
	class  []byte // of each number, or the byte of a plane
	low    codec.Writer
	golomb golomb

	// Of a body of Raw, to tell what the other would take.
	lengths [maxClass + 1]int32
	below   int // bits below the highest, of all
}

// reset begins a body.
func (w *numberWriter) reset(packed bool, buf []byte) {
	w.packed, w.class, w.golomb = packed, w.class[:0], firstLengths
	w.low.Reset(buf)
	w.lengths, w.below = [maxClass + 1]int32{}, 0
}

// put writes a number.
func (w *numberWriter) put(k numberKind, v uint32) {
	n := bits.Len32(v)
	if w.packed {
		w.class = append(w.class, byte(n))
		if n > 1 {
			w.low.Bits(uint64(v), uint(n-1))
		}
		return
	}
	order := w.golomb.order(k)
	q := uint64(v)>>order + 1
	l := uint(bits.Len64(q)) - 1
	w.low.Bits(1<<l, l+1)
	w.low.Bits(q, l)
	w.low.Bits(uint64(v), order)
	w.golomb.saw(k, n)
	w.lengths[n]++
	w.below += max(n-1, 0)
}

// packs returns the least bytes that a body of Zstd with the same numbers takes,
// as far as zstd finds nothing that repeats, after a body of Raw; and their number.
func (w *numberWriter) packs() (size, numbers int) {
	for _, n := range w.lengths {
		numbers += int(n)
	}
	return (entropy(w.lengths[:], numbers)>>4+w.below)>>3 + packedLeast, numbers
}

// packedLeast is what zstd's tables and the heads around them take at least, in
// bytes.
const packedLeast = 10

// signed writes a number that may be below zero.
func (w *numberWriter) signed(k numberKind, v int32) { w.put(k, zigzag(v)) }

// numberReader reads the numbers of a body. Errors are sticky; every number is 0
// after the first.
type numberReader struct {
	packed bool
	class  []byte
	low    []byte
	at     int // next bit of low
	golomb golomb
	err    error
}

func (r *numberReader) reset(packed bool, class, low []byte) {
	*r = numberReader{packed: packed, class: class, low: low, golomb: firstLengths}
}

// get reads a number.
func (r *numberReader) get(k numberKind) uint32 {
	if r.packed {
		if len(r.class) == 0 {
			r.fail(codec.ErrShort)
			return 0
		}
		n := uint(r.class[0])
		r.class = r.class[1:]
		switch {
		case n <= 1:
			return uint32(n)
		case n > maxClass:
			r.fail(fmt.Errorf("%w: number of %d bits", codec.ErrMalformed, n))
			return 0
		}
		return 1<<(n-1) | uint32(r.take(n-1))
	}
	if r.err != nil {
		return 0
	}
	order := r.golomb.order(k)
	l := uint(bits.TrailingZeros64(r.peek()))
	if l > maxClass {
		if r.err == nil && r.at+int(l) >= len(r.low)*8 {
			r.fail(codec.ErrShort)
		}
		r.fail(fmt.Errorf("%w: number of more than %d bits", codec.ErrMalformed, maxClass))
		return 0
	}
	r.at += int(l) + 1
	q := 1<<l | r.take(l)
	v := (q-1)<<order | r.take(order)
	if v > 1<<32-1 {
		r.fail(fmt.Errorf("%w: number of more than %d bits", codec.ErrMalformed, maxClass))
		return 0
	}
	if r.at > len(r.low)*8 {
		r.fail(codec.ErrShort)
		return 0
	}
	r.golomb.saw(k, bits.Len64(v))
	return uint32(v)
}

// signed reads a number that may be below zero.
func (r *numberReader) signed(k numberKind) int32 { return unzigzag(r.get(k)) }

// gap reads a count or a distance.
func (r *numberReader) gap() int {
	v := r.get(numGap)
	if v > 1<<30 {
		r.fail(fmt.Errorf("%w: distance of %d", codec.ErrMalformed, v))
		return 0
	}
	return int(v)
}

// planes reads n bytes of a column of bytes.
func (r *numberReader) planes(n int) []byte {
	if n > len(r.class) {
		r.fail(codec.ErrShort)
		return nil
	}
	b := r.class[:n]
	r.class = r.class[n:]
	return b
}

// end reports the first error, or what is left over.
func (r *numberReader) end() error {
	switch {
	case r.err != nil:
		return r.err
	case r.at > len(r.low)*8:
		return codec.ErrShort
	case len(r.class) > 0 || len(r.low)*8-r.at >= 8 || r.peek() != 0:
		return fmt.Errorf("%w: %d bytes after the last entity", codec.ErrMalformed, len(r.class)+len(r.low)-r.at/8)
	}
	return nil
}

// fail makes err sticky, unless an earlier one is.
func (r *numberReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.class, r.low, r.at = nil, nil, 0
}

// peek returns the next 56 bits at least; those past the end are 0.
func (r *numberReader) peek() uint64 {
	i := r.at >> 3
	if i+8 <= len(r.low) {
		return binary.LittleEndian.Uint64(r.low[i:]) >> (r.at & 7)
	}
	var v uint64
	for k := i; k < len(r.low); k++ {
		v |= uint64(r.low[k]) << (8 * (k - i))
	}
	return v >> (r.at & 7)
}

// take reads n bits, n ≤ 32.
func (r *numberReader) take(n uint) uint64 {
	if n == 0 {
		return 0
	}
	v := r.peek() & (1<<n - 1)
	r.at += int(n)
	return v
}

// zigzag is 0, 1, 2, 3, 4 … for 0, −1, 1, −2, 2 ….
func zigzag(v int32) uint32   { return uint32(v)<<1 ^ uint32(v>>31) }
func unzigzag(v uint32) int32 { return int32(v>>1) ^ -int32(v&1) }
