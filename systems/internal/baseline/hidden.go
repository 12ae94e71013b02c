package baseline

import (
	"math/bits"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

// leaveOutFor is for how many sends an entity that fits no snapshot is left out.
const leaveOutFor = 64

// hiddenState returns the visibility mask of hidden slots, which of them need not be sent as hidden, and which are
// sent as empty.
func (h *Group) hiddenState() (hidden, sent, empty uint64) {
	switch s := h.perSlot; {
	case h.out:
		return wire.AllSlots, h.before[1], h.before[0]
	case s != nil:
		return s.hidden, s.sentAsHidden, s.shownEmpty
	}
	return 0, 0, 0
}

// hide notes which slots the client may see from a send on. same are the slots whose entity was there a send before. It
// returns the slots that went out of sight. If alone is true, a group of which nothing is visible needs no record by slot.
func (h *Group) hide(send uint32, visible, same uint64, alone bool, free *freeSlots) (gone uint64) {
	hidden, sent, empty := h.hiddenState()
	gone = ^visible &^ hidden
	come := visible & hidden
	if gone|come == 0 {
		return 0
	}
	empty = empty&^gone | gone&^same
	sent = (sent&^gone | gone&^h.everSent) &^ visible
	switch {
	case visible == 0 && alone && h.LeftOut() == 0:
		if h.perSlot != nil {
			free.put(h.perSlot)
		}
		*h = Group{out: true, since: send, before: [2]uint64{empty, sent}, everSent: h.everSent}
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
	s.hidden, s.sentAsHidden, s.shownEmpty = ^visible, sent, empty
	return gone
}

// gone reports whether the whole group is out of sight and the client knows this.
func (h *Group) gone() bool {
	hidden, sent, _ := h.hiddenState()
	return hidden == wire.AllSlots && sent == wire.AllSlots
}

// Hidden returns the slots that the client may not see, and those of them that must still be sent as
// hidden.
func (h *Group) Hidden() (all, untold uint64) {
	hidden, sent, _ := h.hiddenState()
	return hidden, hidden &^ sent
}

// HiddenEmpty returns the hidden slots that are sent as empty: the client knew no entity
// there, or the entity is gone. Others are sent as out of sight.
func (h *Group) HiddenEmpty() uint64 {
	hidden, sent, empty := h.hiddenState()
	return hidden & (empty | sent)
}

// seenSince returns the send since which the client may see a slot.
func (h *Group) seenSince(slot int) uint32 {
	if s := h.perSlot; s != nil {
		return max(h.since, s.since[slot])
	}
	return h.since
}

// LeftOut returns the slots that are left out because their entities fit no snapshot.
func (h *Group) LeftOut() uint64 {
	if h.perSlot == nil {
		return 0
	}
	return h.perSlot.big
}

// StillLeftOut returns LeftOut at a send, limited to slots with a living entity. After leaveOutFor sends StillLeftOut
// returns 0, and the snapshot tries the left-out entities again.
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
