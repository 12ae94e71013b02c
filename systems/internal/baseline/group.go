package baseline

import (
	"math/bits"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

const (
	// MaxAge is the oldest baseline of the world that is used, in sends. It leaves the
	// client room for packets that overtake each other.
	MaxAge = 120
	// OwnKept is how many sends of own state are kept as baselines: it is small, and where
	// it is as old as that it may as well be told in full.
	OwnKept = 32
	// kept is of how many sends of the world is known who holds them: six seconds at 20 a
	// second.
	kept = 128
)

// Group is what the server knows that a client holds of one group of slots.
//
// As long as the group travels whole that is a list of sends. Once a part of it
// travelled alone, because of the budget or because the client may not see the
// rest, it is kept apart for each slot, until the group is whole again.
type Group struct {
	newest   uint32    // newest send of which the client holds all slots; 0: none
	before   [2]uint64 // bit i: it holds the send newest-1-i too
	everSent uint64    // slots that the client was ever told of
	perSlot  *perSlot  // not nil: slots apart; then newest and before mean nothing
}

// perSlot is a group by slot.
type perSlot struct {
	sends      [kept]uint32 // by send: which it is
	held       [kept]uint64 // and the slots that the client holds of it
	since      [64]uint32   // acknowledgements of sends before do not count for a slot
	hidden     uint64       // slots that the client may not see
	toldAtSend uint64       // hidden slots that need no telling any more
	shownEmpty uint64       // hidden slots that are told as empty
	big        uint64       // slots with an entity that fits no snapshot
	bigAt      uint32       // send in which the last of them was found
}

// freeSlots keeps what is not in use.
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

// Holds returns the slots that the client holds of a send.
func (h *Group) Holds(send uint32) uint64 {
	if s := h.perSlot; s != nil {
		if i := send % kept; send != 0 && s.sends[i] == send {
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
func (h *Group) apart(free *freeSlots) *perSlot {
	if h.perSlot != nil {
		return h.perSlot
	}
	s := free.take()
	for back := range uint32(kept) {
		if back >= h.newest {
			break
		}
		if send := h.newest - back; h.Holds(send) != 0 {
			s.sends[send%kept], s.held[send%kept] = send, wire.AllSlots
		}
	}
	h.perSlot = s
	return s
}

// ack notes that the client holds slots of a send.
func (h *Group) ack(send uint32, slots uint64, free *freeSlots) {
	if h.perSlot == nil && slots == wire.AllSlots {
		h.whole(send)
		return
	}
	s := h.apart(free)
	for m := slots; m != 0; m &= m - 1 {
		if k := bits.TrailingZeros64(m); send < s.since[k] {
			slots &^= 1 << k
		}
	}
	if s.hold(send, slots) && s.held[send%kept] == wire.AllSlots && s.hidden == 0 {
		h.join(send, free)
	}
}

// ackHidden notes that the client knows of hidden slots what it may. What it holds of
// them is no state to stand on: that is forgotten when they come into sight.
func (h *Group) ackHidden(send uint32, slots uint64) {
	s := h.perSlot
	if s == nil {
		return
	}
	slots &= s.hidden
	for m := slots; m != 0; m &= m - 1 {
		if k := bits.TrailingZeros64(m); send < s.since[k] {
			slots &^= 1 << k
		}
	}
	s.toldAtSend |= slots
	s.hold(send, slots)
}

// hold notes slots of a send; it reports false when that is too old.
func (s *perSlot) hold(send uint32, slots uint64) bool {
	i := send % kept
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
	for back := uint32(kept); back > 0; back-- {
		if back-1 < send {
			if old := send - (back - 1); s.sends[old%kept] == old && s.held[old%kept] == wire.AllSlots {
				h.whole(old)
			}
		}
	}
	*free = append(*free, s)
}

// forget begins an epoch: the client holds nothing.
func (h *Group) forget() {
	h.newest, h.before = 0, [2]uint64{}
	if s := h.perSlot; s != nil {
		s.sends, s.held = [kept]uint32{}, [kept]uint64{}
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
		if m := h.Holds(send - age); m&^covered != 0 {
			covered |= m
			last = send - age
		}
	}
	return last
}

// EverSent returns the slots that the client was ever told of.
func (h *Group) EverSent() uint64 { return h.everSent }

// Whole reports whether the client holds the same sends of all slots.
func (h *Group) Whole() bool { return h.perSlot == nil }

// Like reports whether two whole groups have the same newest sends, so that the same
// baseline serves both; never where nothing is held.
func (h *Group) Like(o *Group) bool {
	return h.newest == o.newest && h.before == o.before && o.newest != 0
}

// HeldSince reports whether a client holds all slots of some send from since on;
// where they are kept apart, each of them.
func (h *Group) HeldSince(since uint32) bool {
	if h.perSlot == nil {
		return h.newest >= since
	}
	var held uint64
	for i, send := range h.perSlot.sends {
		if send >= since && send != 0 {
			held |= h.perSlot.held[i]
		}
	}
	return held == wire.AllSlots
}
