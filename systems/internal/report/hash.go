package report

import "github.com/tactusgo/tactus/systems/internal/wire"

// Numbers of the multiplicative hash: an odd one near 2⁶⁴ divided by the golden
// ratio, as D. Knuth has it in "The Art of Computer Programming", volume 3, 6.4.
const golden = 0x9e3779b97f4a7c15

// hash runs over what a result stands for: of each entity its NetID, the
// low and the high half of the set of its predicted components, and their words.
// It begins at 0; its top 16 bits travel.
type hash uint64

func (h *hash) add(v uint32) {
	x := (uint64(*h) ^ uint64(v) ^ golden) * golden
	*h = hash(x ^ x>>32)
}

func (h hash) sum() uint16 { return uint16(uint64(h) * golden >> (64 - wire.HashBits)) }

// entity adds which entity follows, and what it has.
func (h *hash) entity(o *entity) {
	h.add(uint32(o.id))
	h.add(uint32(o.mask))
	h.add(uint32(o.mask >> 32))
}
