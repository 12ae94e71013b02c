package wire

import (
	"fmt"
	"math/bits"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
)

// withWays is the coder of a block whose body starts with Ways, which contain the actual coder.
const withWays delta.Coder = 3

// Ways say how entities entered and left the slots of a group, if parts of the world may be hidden from the
// client. Without Ways, new entities were spawned there, and missing ones were despawned.
//
//	ways  coder 2 bits, came, away, 4 bits 0 | [slots of came] | [slots of away]
//	slots count u8, 1 to 64 | each a u8, ascending
type Ways struct {
	Told bool // the block has ways
	// Came holds slots whose entity differs from the baseline's and came from another group or into sight. In a
	// block without a baseline, it holds the slots whose entity was spawned there.
	Came uint64
	// Away holds empty slots whose last entity moved to another group. If no other slot contains it, the client may
	// not see it.
	Away uint64
}

// Append encodes the ways before the body of a block with coder c. It returns the coder for the head of the block.
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

// readWays removes the ways from the body of a block.
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
