package schema

import (
	"math"
	"unsafe"
)

// Hash64 returns a hash of the values of the component at p. Padding and fields
// that are not replicated have no part in it, nor has what lies past the end of a
// list or a text, nor bits that flags do not have; −0 hashes like 0, every NaN like
// every other, and the quaternion q like −q; equal values in components of another
// [Table.Line] hash differently. It is well mixed, so the hashes of many components
// may be summed when their order is not to matter. It is no defence against someone
// who wants two states to collide.
func (t *Table) Hash64(p unsafe.Pointer) uint64 {
	h := t.hash
	for i := range t.Fields {
		f := &t.Fields[i]
		switch {
		case f.in != nil && !f.in.there(p):
		case f.Form == FormUnit || f.Form == FormQuat:
			h = f.hashVector(h, f.vector(p))
		case f.Form == FormText:
			h = f.hashText(h, p)
		case isFloat(f.Kind):
			v := f.load(p)
			h = scramble(h ^ hashFloat(f.number(v), v))
		default:
			h = scramble(h ^ f.load(p)&f.mask)
		}
	}
	return scramble(h)
}

// hashFloat returns the bits of x, or those that stand for all its equals.
func hashFloat(x float64, bits uint64) uint64 {
	switch {
	case x == 0:
		return 0
	case math.IsNaN(x):
		return 1<<64 - 1
	}
	return bits
}

// scramble is a bijection on 64 bits in which each bit of x moves about half of
// the result: xor-shifts by half the width between odd multipliers.
func scramble(x uint64) uint64 {
	x ^= x >> 32
	x *= 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	x ^= x >> 32
	x *= 0xb504f333f9de6485 // 2^64 divided by the root of 2
	x ^= x >> 32
	return x
}
