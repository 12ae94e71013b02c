package baseline

import (
	"math/bits"

	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Where there is something that a client may not know, what a group says leaves open whether an entity that is new
// there was spawned or came from where the client does not see, and whether one that is gone is no more. Blocks say so
// where it is not as usual: see wire.Ways. They go by the slot alone, and by what happened there since the client sees
// it: nothing depends on what becomes of an entity out of sight.

// Ways is what a block of a group has to say of that, at a send at which the slots of alive have an entity; Told is
// false where that is nothing.
func Ways(h *Group, b *wire.BlockHead, send uint32, alive uint64, m *capture.Moves) (w wire.Ways) {
	if after := send - b.Age; b.Age > 0 {
		if m.Came > after || m.Went > after {
			w.Came, w.Away = m.Arrived(b.Slots&alive, after), m.Away(b.Slots, after)
		}
		w.Told = w.Came|w.Away != 0
		return w
	}
	for s := b.Slots; s != 0; s &= s - 1 {
		since := h.seenSince(bits.TrailingZeros64(s))
		w.Came |= m.Born(s&-s, max(since, 1)-1)
		w.Away |= m.Away(s&-s, since)
	}
	w.Told = true
	return w
}
