package baseline

import (
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

const (
	// MaxAge is the maximum age of a baseline of the world, in sends. It leaves the client room for packets that overtake
	// each other.
	MaxAge = 248
	// OwnKept is the number of sends of owner state that are kept as baselines. Owner state is small: without a baseline it
	// is sent in full.
	OwnKept = 32
)

// Group records which sends of a group of slots a client has.
//
// While the group is sent as a whole, the record is a list of sends. Once a part is sent alone, because of the budget or
// because the client may not see the rest, there is a record for each slot, until the client has the whole group again.
type Group struct {
	newest  uint32    // newest send of which the client has all slots; 0: none
	since   uint32    // acknowledgements of earlier sends do not count
	before  [2]uint64 // bit i: the client has send newest-1-i too
	perSlot *perSlot  // not nil: a record for each slot replaces newest and before
}

// Holds returns the slots that the client has of a send.
func (h *Group) Holds(send uint32) uint64 {
	if s := h.perSlot; s != nil {
		return s.holds(send)
	}
	switch {
	case send == 0 || send > h.newest:
		return 0
	case send == h.newest:
		return wire.AllSlots
	}
	i := h.newest - 1 - send
	if i >= 128 || h.before[i/64]&(1<<(i%64)) == 0 {
		return 0
	}
	return wire.AllSlots
}

// apart gives the group a record for each slot.
func (h *Group) apart(free *freeSlots) *perSlot {
	if h.perSlot != nil {
		return h.perSlot
	}
	s := free.get()
	for back := range min(mostSends, h.newest) {
		// Newest first: sends without room are replaced by newer ones.
		if x, send := s.at(h.newest-back), h.newest-back; x.send == 0 && h.Holds(send) != 0 {
			*x = heldSend{wire.AllSlots, send}
		}
	}
	h.perSlot = s
	return s
}

// ack records that the client has slots of a send.
func (h *Group) ack(send uint32, slots uint64, free *freeSlots) {
	if send < h.since {
		return
	}
	if h.perSlot == nil && slots == wire.AllSlots {
		h.whole(send)
		return
	}
	s := h.apart(free)
	if s.hold(send, s.counts(send, slots)) && s.holds(send) == wire.AllSlots {
		h.join(send, free)
	}
}

// whole records that the client has all slots of a send.
func (h *Group) whole(send uint32) {
	if send <= h.newest {
		if i := h.newest - 1 - send; send < h.newest && i < 128 {
			h.before[i/64] |= 1 << (i % 64)
		}
		return
	}
	n := send - h.newest
	switch {
	case h.newest == 0 || n > 128:
		h.before = [2]uint64{}
	case n == 128:
		h.before = [2]uint64{0, 1 << 63}
	case n >= 64:
		h.before[1] = h.before[0] << (n - 64)
		h.before[0] = 0
		i := n - 1
		h.before[i/64] |= 1 << (i % 64)
	default:
		h.before[1] = h.before[1]<<n | h.before[0]>>(64-n)
		h.before[0] = h.before[0]<<n | 1<<(n-1)
	}
	h.newest = send
}

// join replaces the records of the slots by one of the whole group. The client has all slots of send.
func (h *Group) join(send uint32, free *freeSlots) {
	s := h.perSlot
	h.perSlot, h.newest, h.before = nil, 0, [2]uint64{}
	h.since = max(h.since, slices.Max(s.since[:]))
	for back := uint32(mostSends); back > 0; back-- {
		if back-1 < send && s.holds(send-(back-1)) == wire.AllSlots {
			h.whole(send - (back - 1)) // holds excludes sends before since
		}
	}
	free.put(s)
}

// forget starts an epoch, in which the client has nothing.
func (h *Group) forget() {
	h.newest, h.before = 0, [2]uint64{}
	if s := h.perSlot; s != nil {
		clear(s.sends)
	}
}

// oldest returns the oldest send that is the newest one of some slot that the client has. It ignores sends older than MaxAge and
// returns 0 if there is no other.
func (h *Group) oldest(send uint32) uint32 {
	s := h.perSlot
	if s == nil {
		if h.newest != 0 && send-h.newest <= MaxAge {
			return h.newest
		}
		return 0
	}
	var covered uint64
	last := uint32(0)
	for age := uint32(0); age <= MaxAge && age < send && covered != wire.AllSlots; age++ {
		if m := s.holds(send - age); m&^covered != 0 {
			covered |= m
			last = send - age
		}
	}
	return last
}

// Whole reports whether the client may see the whole group and has the same sends of all slots.
func (h *Group) Whole() bool { return h.perSlot == nil }

// Like reports whether the client has the same sends of two whole groups, so that both can have the same baseline. It returns
// false if the client has nothing.
func (h *Group) Like(o *Group) bool {
	return h.newest == o.newest && h.before == o.before && o.newest != 0
}

// HeldSince reports whether the client has, for each slot that it may see, a send from since on.
func (h *Group) HeldSince(since uint32) bool {
	if h.perSlot == nil {
		return h.newest >= since
	}
	var held uint64
	for _, x := range h.perSlot.sends {
		if x.send >= since && x.send != 0 {
			held |= x.held
		}
	}
	return held == wire.AllSlots
}

// counts returns those of some slots for which an acknowledgement of a send still counts.
func (s *perSlot) counts(send uint32, slots uint64) uint64 {
	for m := slots; m != 0; m &= m - 1 {
		if k := bits.TrailingZeros64(m); send < s.since[k] {
			slots &^= 1 << k
		}
	}
	return slots
}
