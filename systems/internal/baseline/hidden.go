package baseline

import "math/bits"

// LeaveOutFor is the number of sends for which an entity that fits no snapshot is left out.
const LeaveOutFor = 64

// hide records which slots the client may see from a send on: see [Client.Hide]. It returns the slots that went out of sight.
func (h *Group) hide(send uint32, visible, same uint64, free *freeSlots) (gone uint64) {
	s := h.apart(free)
	gone = ^visible &^ s.hidden
	come := visible & s.hidden
	s.shownEmpty = s.shownEmpty&^gone | gone&^same
	s.sentAsHidden = (s.sentAsHidden&^gone | gone&^h.everSent) &^ visible
	for m := gone | come; m != 0; m &= m - 1 {
		s.since[bits.TrailingZeros64(m)] = send
	}
	for i := range s.sends {
		s.sends[i].held &^= gone | come
	}
	s.hidden = ^visible
	return gone
}

// Hidden returns the slots that the client may not see, and those of them that must still be sent as
// hidden.
func (h *Group) Hidden() (all, untold uint64) {
	if s := h.perSlot; s != nil {
		return s.hidden, s.hidden &^ s.sentAsHidden
	}
	return 0, 0
}

// HiddenEmpty returns the hidden slots that are sent as empty, because the client knew no entity in the slot or the entity is
// gone. The other hidden slots are sent as out of sight.
func (h *Group) HiddenEmpty() uint64 {
	if s := h.perSlot; s != nil {
		return s.hidden & (s.shownEmpty | s.sentAsHidden)
	}
	return 0
}

// LeftOut returns the slots that are left out because their entities fit no snapshot.
func (h *Group) LeftOut() uint64 {
	if h.perSlot == nil {
		return 0
	}
	return h.perSlot.big
}

// StillLeftOut returns LeftOut at a send, limited to slots with a living entity. After LeaveOutFor sends StillLeftOut
// returns 0, and the snapshot tries the left-out entities again.
func (h *Group) StillLeftOut(send uint32, alive uint64) uint64 {
	s := h.perSlot
	if s == nil || s.big == 0 {
		return 0
	}
	s.big &= alive
	if send-s.bigAt >= LeaveOutFor {
		s.big = 0
	}
	return s.big
}
