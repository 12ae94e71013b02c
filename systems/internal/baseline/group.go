package baseline

import (
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

const (
	// MaxAge is the oldest baseline of the world that is used, in sends. It leaves the
	// client room for packets that overtake each other.
	MaxAge = 120
	// OwnKept is how many sends of own state are kept as baselines: it is small, and where
	// it is as old as that it may as well be told in full.
	OwnKept = 32
)

// Group is what the server knows that a client holds of one group of slots.
//
// As long as the group travels whole that is a list of sends. Once a part of it
// travelled alone, because of the budget or because the client may not see the
// rest, it is kept apart for each slot, until the group is whole again.
type Group struct {
	out      bool      // all of it is out of sight; then before is the slots that are told as empty, and those that need no telling
	newest   uint32    // newest send of which the client holds all slots; 0: none
	since    uint32    // acknowledgements of sends before do not count
	before   [2]uint64 // bit i: it holds the send newest-1-i too
	everSent uint64    // slots that the client was ever told of
	perSlot  *perSlot  // not nil: slots apart; then newest and before mean nothing
}

// Holds returns the slots that the client holds of a send.
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

// apart makes the group one by slot.
func (h *Group) apart(free *freeSlots) *perSlot {
	if h.perSlot != nil {
		return h.perSlot
	}
	s := free.take()
	if h.out {
		s.hidden, s.shownEmpty, s.toldAtSend = wire.AllSlots, h.before[0], h.before[1]
		h.out, h.before = false, [2]uint64{}
	}
	for back := range min(mostSends, h.newest) {
		// Newest first: what there is no room for is served by what is newer.
		if x, send := s.at(h.newest-back), h.newest-back; x.send == 0 && h.Holds(send) != 0 {
			*x = heldSend{wire.AllSlots, send}
		}
	}
	h.perSlot = s
	return s
}

// ack notes that the client holds slots of a send.
func (h *Group) ack(send uint32, slots uint64, free *freeSlots) {
	if send < h.since || h.out {
		return
	}
	if h.perSlot == nil && slots == wire.AllSlots {
		h.whole(send)
		return
	}
	s := h.apart(free)
	if s.hold(send, s.counts(send, slots)) && s.holds(send) == wire.AllSlots && s.hidden == 0 {
		h.join(send, free)
	}
}

// ackHidden notes that the client knows of hidden slots what it may. What it holds of
// them is no state to stand on: that is forgotten when they come into sight.
func (h *Group) ackHidden(send uint32, slots uint64) {
	s := h.perSlot
	switch {
	case send < h.since:
	case h.out:
		h.before[1] |= slots
	case s != nil:
		slots = s.counts(send, slots&s.hidden)
		s.toldAtSend |= slots
		s.hold(send, slots)
	}
}

// whole notes that the client holds all slots of a send.
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

// join makes a group by slot one of the whole group again; the client holds all
// slots of send.
func (h *Group) join(send uint32, free *freeSlots) {
	s := h.perSlot
	h.perSlot, h.newest, h.before = nil, 0, [2]uint64{}
	h.since = max(h.since, slices.Max(s.since[:]))
	for back := uint32(mostSends); back > 0; back-- {
		if back-1 < send && s.holds(send-(back-1)) == wire.AllSlots {
			h.whole(send - (back - 1)) // those from before since are not held any more
		}
	}
	free.put(s)
}

// forget begins an epoch: the client holds nothing.
func (h *Group) forget(free *freeSlots) {
	if h.out {
		h.apart(free) // it is told with the state that the client joins with
	}
	h.newest, h.before = 0, [2]uint64{}
	if s := h.perSlot; s != nil {
		clear(s.sends)
		s.toldAtSend = 0
	}
}

// oldest returns the oldest send that is the newest held of some slot, 0 if the
// client holds nothing no older than MaxAge.
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
	for age := uint32(0); age <= MaxAge && age < send && covered|s.hidden != wire.AllSlots; age++ {
		if m := s.holds(send - age); m&^covered != 0 {
			covered |= m
			last = send - age
		}
	}
	return last
}

// EverSent returns the slots that the client was ever told of.
func (h *Group) EverSent() uint64 { return h.everSent }

// Whole reports whether the client may see all of it, and holds the same sends of all slots.
func (h *Group) Whole() bool { return h.perSlot == nil && !h.out }

// Like reports whether two whole groups have the same newest sends, so that the same
// baseline serves both; never where nothing is held.
func (h *Group) Like(o *Group) bool {
	return h.newest == o.newest && h.before == o.before && o.newest != 0
}

// HeldSince reports whether a client holds all slots that it may see of some send from since on;
// where they are kept apart, each of them.
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
	return held|h.perSlot.hidden == wire.AllSlots
}

// Newest is the newest send of which a client holds a slot, 0 for none.
func (h *Group) Newest(slot int) (send uint32) {
	if h.perSlot == nil {
		return h.newest
	}
	for _, x := range h.perSlot.sends {
		if x.held>>slot&1 != 0 {
			send = max(send, x.send)
		}
	}
	return send
}

// Counts reports whether what a send told of a slot still counts: the client has been let see it ever since.
func (h *Group) Counts(send uint32, slot int) bool {
	s := h.perSlot
	return !h.out && send >= h.since && (s == nil || send >= s.since[slot] && s.hidden&(1<<slot) == 0)
}

// counts are those of some slots of which an acknowledgement of a send counts.
func (s *perSlot) counts(send uint32, slots uint64) uint64 {
	for m := slots; m != 0; m &= m - 1 {
		if k := bits.TrailingZeros64(m); send < s.since[k] {
			slots &^= 1 << k
		}
	}
	return slots
}
