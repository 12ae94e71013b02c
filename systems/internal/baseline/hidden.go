package baseline

import (
	"math/bits"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

// leaveOutFor is how many sends an entity that fits no snapshot is left out before it is
// tried again.
const leaveOutFor = 64

// veil is what is known of hidden slots: which they are, which of them need no telling, and which are
// told as empty.
func (h *Group) veil() (hidden, told, empty uint64) {
	switch s := h.perSlot; {
	case h.out:
		return wire.AllSlots, h.before[1], h.before[0]
	case s != nil:
		return s.hidden, s.toldAtSend, s.shownEmpty
	}
	return 0, 0, 0
}

// hide brings the group up to date with what the client may see from send on;
// same are the slots in which the entity was there a send before. It returns the
// slots that went out of sight. A group of which nothing is seen any more needs no room by slot, but
// where alone says no.
func (h *Group) hide(send uint32, visible, same uint64, alone bool, free *freeSlots) (gone uint64) {
	hidden, told, empty := h.veil()
	gone = ^visible &^ hidden
	come := visible & hidden
	if gone|come == 0 {
		return 0
	}
	empty = empty&^gone | gone&^same
	told = (told&^gone | gone&^h.everSent) &^ visible
	switch {
	case visible == 0 && alone && h.LeftOut() == 0:
		if h.perSlot != nil {
			free.put(h.perSlot)
		}
		*h = Group{out: true, since: send, before: [2]uint64{empty, told}, everSent: h.everSent}
		return gone
	case h.out && visible == wire.AllSlots:
		*h = Group{since: send, everSent: h.everSent}
		return 0
	}
	if h.out {
		h.since = send
	}
	s := h.apart(free)
	for m := gone | come; m != 0; m &= m - 1 {
		s.since[bits.TrailingZeros64(m)] = send
	}
	for i := range s.sends {
		s.sends[i].held &^= gone | come
	}
	s.hidden, s.toldAtSend, s.shownEmpty = ^visible, told, empty
	return gone
}

// gone reports whether all of the group is out of sight, and the client knows of that what it may.
func (h *Group) gone() bool {
	hidden, told, _ := h.veil()
	return hidden == wire.AllSlots && told == wire.AllSlots
}

// Hidden returns the slots that the client may not see, and those of them that it has yet
// to be told of.
func (h *Group) Hidden() (all, untold uint64) {
	hidden, told, _ := h.veil()
	return hidden, hidden &^ told
}

// HiddenEmpty returns the hidden slots that are told as empty: the client knows nothing that
// was there, or that is gone. Others are told as out of sight.
func (h *Group) HiddenEmpty() uint64 {
	hidden, told, empty := h.veil()
	return hidden & (empty | told)
}

// seenSince is the send since which the client may see what is in a slot.
func (h *Group) seenSince(slot int) uint32 {
	if s := h.perSlot; s != nil {
		return max(h.since, s.since[slot])
	}
	return h.since
}

// LeftOut returns the slots that are left out since no snapshot has room for their entities.
func (h *Group) LeftOut() uint64 {
	if h.perSlot == nil {
		return 0
	}
	return h.perSlot.big
}

// StillLeftOut is LeftOut at a send, with only those slots of which the entity is alive. After
// a while it begins anew.
func (h *Group) StillLeftOut(send uint32, alive uint64) uint64 {
	s := h.perSlot
	if s == nil || s.big == 0 {
		return 0
	}
	s.big &= alive
	if send-s.bigAt >= leaveOutFor {
		s.big = 0
	}
	return s.big
}
