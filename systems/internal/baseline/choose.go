package baseline

import (
	"math/bits"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

// ages are the ages of baselines, in sends, that are used where a client holds them,
// youngest first. They are few, so that clients whose acknowledgements came at different
// times need the same bytes. Where a client holds none of these, any age does.
var baselineAges = [...]uint32{1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96, 120}

// Choose picks the baseline for slots of a send, no older than floor: its age,
// whether the client holds the send before it too where that is asked for, and
// which of the slots it serves. An age of 0 is none: full states.
//
// The youngest of the ages wins that serves most slots. A second baseline is worth
// a little age, not more.
func (h *Group) Choose(send, floor uint32, slots uint64, second bool, oldest uint32) (age uint32, two bool, serves uint64) {
	best := 0
	try := func(a uint32) bool {
		if a > oldest || a >= send || send-a < floor {
			return false
		}
		m := h.Holds(send-a) & slots
		n := bits.OnesCount64(m)
		if n == 0 || n < best {
			return false
		}
		pair := second && a < oldest && send-a > floor && m&^h.Holds(send-a-1) == 0
		if n == best && (two || !pair || a > 2*age+2) {
			return false
		}
		best, age, two, serves = n, a, pair, m
		return m == slots && (pair || !second)
	}
	for _, a := range baselineAges {
		if try(a) {
			return age, two, serves
		}
	}
	if best > 0 {
		return age, two, serves
	}
	for a := uint32(1); a <= oldest; a++ {
		if try(a) {
			break
		}
	}
	return age, two, serves
}

// leaveOutFor is how many sends an entity that fits no snapshot is left out before it is
// tried again.
const leaveOutFor = 64

// hide brings the group up to date with what the client may see from send on;
// same are the slots in which the entity was there a send before. It returns the
// slots that went out of sight.
func (h *Group) hide(send uint32, visible, same uint64, free *freeSlots) (gone uint64) {
	if h.perSlot == nil && visible == wire.AllSlots {
		return 0
	}
	s := h.apart(free)
	gone = ^visible &^ s.hidden
	come := visible & s.hidden
	if gone|come == 0 {
		return 0
	}
	for m := gone | come; m != 0; m &= m - 1 {
		s.since[bits.TrailingZeros64(m)] = send
	}
	for i := range s.held {
		s.held[i] &^= gone | come
	}
	if gone != 0 {
		s.shownEmpty = s.shownEmpty&^gone | gone&^same
		s.toldAtSend = s.toldAtSend&^gone | gone&^h.everSent
	}
	s.hidden = ^visible
	s.toldAtSend &= s.hidden
	return gone
}

// Hidden returns the slots that the client may not see, and those of them that it has yet
// to be told of.
func (h *Group) Hidden() (all, untold uint64) {
	s := h.perSlot
	if s == nil {
		return 0, 0
	}
	return s.hidden, s.hidden &^ s.toldAtSend
}

// HiddenEmpty returns the hidden slots that are told as empty: the client knows nothing that
// was there, or that is gone. Others are told as out of sight.
func (h *Group) HiddenEmpty() uint64 {
	if h.perSlot == nil {
		return 0
	}
	return h.perSlot.hidden & (h.perSlot.shownEmpty | h.perSlot.toldAtSend)
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
