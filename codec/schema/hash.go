package schema

import "unsafe"

// Hash64 returns a hash of the values of the component at p. Padding and fields
// that are not replicated have no part in it; −0 hashes like 0 and every NaN like
// every other; equal values in components of another [Table.Line] hash
// differently. It is well mixed, so the hashes of many components may be summed
// when their order is not to matter. It is no defence against someone who wants
// two states to collide.
func (t *Table) Hash64(p unsafe.Pointer) uint64 {
	h := t.hash
	for i := range t.Fields {
		f := &t.Fields[i]
		v := f.load(p)
		if isFloat(f.Kind) {
			switch x := f.number(v); {
			case x == 0:
				v = 0
			case x != x:
				v = 1<<64 - 1
			}
		}
		h = scramble(h ^ v)
	}
	return scramble(h)
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
