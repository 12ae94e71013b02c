package systems

import (
	"math/bits"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

// baselineGroup is what the server knows that a client holds of one group of slots.
//
// As long as the group travels whole that is a list of sends. Once a part of it
// travelled alone, because of the budget or because the client may not see the
// rest, it is kept apart for each slot, until the group is whole again.
//
// What holds: a client that has not asked for another epoch holds what is said
// here, down to the floor that was promised to it.
type baselineGroup struct {
	newest   uint32    // newest send of which the client holds all slots; 0: none
	before   [2]uint64 // bit i: it holds the send newest-1-i too
	everSent uint64    // slots that the client was ever told of
	perSlot  *perSlot  // not nil: slots apart; then newest and before mean nothing
}

// perSlot is a group by slot.
type perSlot struct {
	sends      [frameRing]uint32 // by send: which it is
	held       [frameRing]uint64 // and the slots that the client holds of it
	since      [64]uint32        // acknowledgements of sends before do not count for a slot
	hidden     uint64            // slots that the client may not see
	toldAtSend uint64            // hidden slots that need no telling any more
	shownEmpty uint64            // hidden slots that are told as empty
	big        uint64            // slots with an entity that fits no snapshot
	bigAt      uint32            // send in which the last of them was found
}

// freeSlots keeps splits that are not in use.
type freeSlots []*perSlot

func (s *freeSlots) take() *perSlot {
	n := len(*s)
	if n == 0 {
		return new(perSlot)
	}
	x := (*s)[n-1]
	*s = (*s)[:n-1]
	*x = perSlot{}
	return x
}

// holds returns the slots that the client holds of a send.
func (h *baselineGroup) holds(send uint32) uint64 {
	if s := h.perSlot; s != nil {
		if i := send % frameRing; send != 0 && s.sends[i] == send {
			return s.held[i]
		}
		return 0
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
func (h *baselineGroup) apart(free *freeSlots) *perSlot {
	if h.perSlot != nil {
		return h.perSlot
	}
	s := free.take()
	for back := range uint32(frameRing) {
		if back >= h.newest {
			break
		}
		if send := h.newest - back; h.holds(send) != 0 {
			s.sends[send%frameRing], s.held[send%frameRing] = send, wire.AllSlots
		}
	}
	h.perSlot = s
	return s
}

// ack notes that the client holds slots of a send.
func (h *baselineGroup) ack(send uint32, slots uint64, free *freeSlots) {
	if h.perSlot == nil && slots == wire.AllSlots {
		h.whole(send)
		return
	}
	s := h.apart(free)
	for m := slots; m != 0; m &= m - 1 {
		if k := trailing(m); send < s.since[k] {
			slots &^= 1 << k
		}
	}
	if s.hold(send, slots) && s.held[send%frameRing] == wire.AllSlots && s.hidden == 0 {
		h.join(send, free)
	}
}

// ackHidden notes that the client knows of hidden slots what it may. What it holds of
// them is no state to stand on: that is forgotten when they come into sight.
func (h *baselineGroup) ackHidden(send uint32, slots uint64) {
	s := h.perSlot
	if s == nil {
		return
	}
	slots &= s.hidden
	for m := slots; m != 0; m &= m - 1 {
		if k := trailing(m); send < s.since[k] {
			slots &^= 1 << k
		}
	}
	s.toldAtSend |= slots
	s.hold(send, slots)
}

// hold notes slots of a send; it reports false when that is too old.
func (s *perSlot) hold(send uint32, slots uint64) bool {
	i := send % frameRing
	switch {
	case s.sends[i] < send:
		s.sends[i], s.held[i] = send, slots
	case s.sends[i] == send:
		s.held[i] |= slots
	default:
		return false
	}
	return true
}

// whole notes that the client holds all slots of a send.
func (h *baselineGroup) whole(send uint32) {
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
func (h *baselineGroup) join(send uint32, free *freeSlots) {
	s := h.perSlot
	h.perSlot, h.newest, h.before = nil, 0, [2]uint64{}
	for back := uint32(frameRing); back > 0; back-- {
		if back-1 < send {
			if old := send - (back - 1); s.sends[old%frameRing] == old && s.held[old%frameRing] == wire.AllSlots {
				h.whole(old)
			}
		}
	}
	*free = append(*free, s)
}

// forget begins an epoch: the client holds nothing.
func (h *baselineGroup) forget() {
	h.newest, h.before = 0, [2]uint64{}
	if s := h.perSlot; s != nil {
		s.sends, s.held = [frameRing]uint32{}, [frameRing]uint64{}
		s.toldAtSend = 0
	}
}

// oldest returns the oldest send that is the newest held of some slot, 0 if the
// client holds nothing no older than maxAge.
func (h *baselineGroup) oldest(send uint32) uint32 {
	s := h.perSlot
	if s == nil {
		if h.newest != 0 && send-h.newest <= maxAge {
			return h.newest
		}
		return 0
	}
	var covered uint64
	last := uint32(0)
	for age := uint32(0); age <= maxAge && age < send && covered|s.hidden != wire.AllSlots; age++ {
		if m := h.holds(send - age); m&^covered != 0 {
			covered |= m
			last = send - age
		}
	}
	return last
}

// hide brings the group up to date with what the client may see from send on;
// same are the slots in which the entity was there a send before. It returns the
// slots that went out of sight.
func (h *baselineGroup) hide(send uint32, visible, same uint64, free *freeSlots) (gone uint64) {
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
		s.since[trailing(m)] = send
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

// choose picks the baseline for slots of a send, no older than floor: its age,
// whether the client holds the send before it too where that is asked for, and
// which of the slots it serves. An age of 0 is none: full states.
//
// The youngest of the ages wins that serves most slots. A second baseline is worth
// a little age, not more.
func (h *baselineGroup) choose(send, floor uint32, slots uint64, second bool, oldest uint32) (age uint32, two bool, serves uint64) {
	best := 0
	try := func(a uint32) bool {
		if a > oldest || a >= send || send-a < floor {
			return false
		}
		m := h.holds(send-a) & slots
		n := bits.OnesCount64(m)
		if n == 0 || n < best {
			return false
		}
		pair := second && a < oldest && send-a > floor && m&^h.holds(send-a-1) == 0
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
