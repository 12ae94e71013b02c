package wire

import (
	"fmt"
	"math/bits"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
)

// withWays is the coder of a block whose body begins with ways; the coder is told there.
const withWays delta.Coder = 3

// Ways say how entities came to the slots of a group and went from them, where there is something that a client may
// not know. Without them those that are new were spawned there, and those that are gone are no more.
//
//	ways  coder 2 bits, came, away, 4 bits 0 | [slots of came] | [slots of away]
//	slots count u8, 1 to 64 | each a u8, ascending
type Ways struct {
	Told bool // they are there
	// Came are slots of which the entity, where the baseline has another one or none, came from elsewhere; in a block
	// without a baseline those of which it did not.
	Came uint64
	// Away are empty slots of which the last entity moved elsewhere: where it is not told of, the client may not see it.
	Away uint64
}

// Append writes ways in front of the body of a block, whose coder is c; the coder of the block is that returned.
func (w *Ways) Append(dst []byte, c delta.Coder) ([]byte, delta.Coder) {
	at := len(dst)
	dst = append(dst, byte(c))
	for i, slots := range [...]uint64{w.Came, w.Away} {
		if slots == 0 {
			continue
		}
		dst[at] |= 4 << i
		dst = append(dst, byte(bits.OnesCount64(slots)))
		for ; slots != 0; slots &= slots - 1 {
			dst = append(dst, byte(bits.TrailingZeros64(slots)))
		}
	}
	return dst, withWays
}

// readWays takes ways off the body of a block.
func (h *BlockHead) readWays(body []byte) ([]byte, error) {
	var r codec.ByteReader
	r.Reset(body)
	flags := r.Byte()
	h.Coder, h.Ways.Told = delta.Coder(flags&3), true
	ok := flags>>4 == 0 && h.Coder <= delta.Range && !h.Own && h.Count == 1
	for i, to := range [...]*uint64{&h.Ways.Came, &h.Ways.Away} {
		if flags&(4<<i) == 0 {
			continue
		}
		n := int(r.Byte())
		ok = ok && n > 0 && n <= delta.GroupSize
		for last := -1; ok && n > 0 && r.Err() == nil; n-- {
			slot := int(r.Byte())
			ok = slot > last && slot < delta.GroupSize && h.Slots>>slot&1 != 0
			*to, last = *to|1<<(slot&63), slot
		}
	}
	if r.Err() != nil || !ok || h.Ways.Came&h.Ways.Away != 0 {
		return nil, fmt.Errorf("%w: ways of group %d: % x", ErrMessage, h.First, body[:min(len(body), 8)])
	}
	return r.Next(r.Len()), nil
}
