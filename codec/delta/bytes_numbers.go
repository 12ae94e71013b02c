package delta

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/tactusgo/tactus/codec"
)

// The body of a block coded by [Raw] or [Zstd] is a sequence of numbers of up to 32 bits, described in bytes_encode.go. Raw
// writes them as bits, each in an exponential Golomb code whose order adapts to the earlier numbers of its kind:
//
//	q = (v >> order) + 1
//	+-----------------------+------+----------------------+---------------+
//	| bits.Len(q) − 1 zeros | 1    | q without its top 1  | v, order bits |
//	+-----------------------+------+----------------------+---------------+
//
// Zstd writes the length of each number in bits as a byte, called its class, and compresses the classes. The bits below the
// highest follow uncompressed: they look random, and including them would make the compression worse.
//
//	+------------------------------+---------+------------+--------------------+
//	| varint: n<<1 | dictionary    | id, 1 B | zstd block | bits               |
//	|                              | if used | n B        |                    |
//	+------------------------------+---------+------------+--------------------+
//
// Bits fill bytes from the lowest bit up; numbers are written lowest bit first. The last byte is padded with zeros.

// numberKind is the meaning of a number. Raw adapts an order for each kind.
type numberKind uint8

const (
	numOp     numberKind = iota // presence
	numID                       // ids
	numMask                     // component masks
	numMode                     // motion of an entity
	numGap                      // distance to the next element of a set
	numColumn                   // form of a column
	numValue                    // residuals
	numLine                     // motion of lines
	numBend                     // steps of bends
	numberKinds
)

// golomb is the mean length in bits of the earlier numbers of each kind, in 16ths.
type golomb [numberKinds]int32

// firstLengths is the initial golomb.
var firstLengths = golomb{numOp: 1 << 4, numID: 4 << 4, numMask: 4 << 4, numMode: 2 << 4, numGap: 3 << 4, numColumn: 1 << 4, numValue: 3 << 4, numLine: 1 << 4, numBend: 2 << 4}

// order returns the order for the next number of a kind.
func (g *golomb) order(k numberKind) uint { return uint(max(g[k]-4, 0)) >> 4 }

// observe updates the mean with a number of n bits.
func (g *golomb) observe(k numberKind, n int) { g[k] += (int32(n)<<4 - g[k]) >> 3 }

// maxClass is the largest length of a number in bits.
const maxClass = 32

// numberWriter writes the numbers of a body.
type numberWriter struct {
	packed bool   // write classes and bits, for Zstd
	class  []byte // class of each number, or bytes of a byte column
	low    codec.Writer
	golomb golomb

	// Statistics of a body of Raw, to estimate the size of the body of Zstd.
	lengths [maxClass + 1]int32
	below   int // total number of bits below the highest
}

// reset starts a body.
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
	w.golomb.observe(k, n)
	w.lengths[n]++
	w.below += max(n-1, 0)
}

// estimatePacked returns, after a body of Raw, the number of numbers and the smallest size in bytes of a body of Zstd with
// the same numbers, if zstd finds no repetitions.
func (w *numberWriter) estimatePacked() (size, numbers int) {
	for _, n := range w.lengths {
		numbers += int(n)
	}
	return (entropy(w.lengths[:], numbers)>>4+w.below)>>3 + packedLeast, numbers
}

// packedLeast is the smallest size in bytes of the zstd tables and headers.
const packedLeast = 10

// signed writes a signed number.
func (w *numberWriter) signed(k numberKind, v int32) { w.put(k, zigzag(v)) }

// numberReader reads the numbers of a body. Errors are sticky; after the first error all numbers are 0.
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
		return 1<<(n-1) | uint32(r.readBits(n-1))
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
	q := 1<<l | r.readBits(l)
	v := (q-1)<<order | r.readBits(order)
	if v > 1<<32-1 {
		r.fail(fmt.Errorf("%w: number of more than %d bits", codec.ErrMalformed, maxClass))
		return 0
	}
	if r.at > len(r.low)*8 {
		r.fail(codec.ErrShort)
		return 0
	}
	r.golomb.observe(k, bits.Len64(v))
	return uint32(v)
}

// signed reads a signed number.
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

// planes reads n bytes of a byte column.
func (r *numberReader) planes(n int) []byte {
	if n > len(r.class) {
		r.fail(codec.ErrShort)
		return nil
	}
	b := r.class[:n]
	r.class = r.class[n:]
	return b
}

// end returns the first error, or an error if data is left over.
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

// fail sets err unless an earlier error is set, and discards the unread data.
func (r *numberReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.class, r.low, r.at = nil, nil, 0
}

// peek returns at least the next 56 bits. Bits past the end are 0.
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

// readBits reads n bits, n ≤ 32.
func (r *numberReader) readBits(n uint) uint64 {
	if n == 0 {
		return 0
	}
	v := r.peek() & (1<<n - 1)
	r.at += int(n)
	return v
}

// zigzag maps 0, −1, 1, −2, 2 … to 0, 1, 2, 3, 4 ….
func zigzag(v int32) uint32   { return uint32(v)<<1 ^ uint32(v>>31) }
func unzigzag(v uint32) int32 { return int32(v>>1) ^ -int32(v&1) }
