package ownership

import (
	"slices"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

// resends holds the ticks between the first sends of a value. After these, the interval is lastResend ticks. The
// packets that are remembered span more than four seconds at 60 ticks per second.
var resends = [...]uint64{1, 1, 2, 4, 8, 8, 8, 8}

const lastResend = 32

// AppendPrefix appends the values that this client wrote, for the start of the packet with the session's number
// seq.
func (x *Client) AppendPrefix(dst []byte, seq uint16) []byte {
	if len(x.slots) == 0 {
		return dst
	}
	gone := func(s slot) bool { return !x.world.Alive(s.entity) }
	if slices.ContainsFunc(x.slots, gone) {
		if x.slots = slices.DeleteFunc(x.slots, gone); len(x.slots) == 0 {
			return dst
		}
	}
	at, n := len(dst), 0
	for i := range x.slots {
		x.detectWrite(&x.slots[i])
	}
	x.firstSlot %= len(x.slots)
	for range x.slots {
		s := &x.slots[x.firstSlot]
		if s.isDue(*x.ticks) {
			if n == 0 {
				x.coder.Start(dst)
			}
			if n == wire.MaxChanges || x.coder.W.Len()-at > wire.ChangeRoom {
				break
			}
			x.coder.Change(s.id, s.component, s.value)
			n++
			s.recordSent(seq, *x.ticks)
		}
		x.firstSlot = (x.firstSlot + 1) % len(x.slots)
	}
	if n == 0 {
		return dst
	}
	return x.coder.End(at, n)
}

// isDue reports whether a value should be sent in a tick.
func (s *sending) isDue(tick uint64) bool {
	switch {
	case !s.unacked:
		return false
	case s.sends == 0:
		return true
	case s.sends <= len(resends):
		return tick-s.tick >= resends[s.sends-1]
	}
	return tick-s.tick >= lastResend
}

// recordSent records that the value is in a packet.
func (s *sending) recordSent(seq uint16, tick uint64) {
	if s.sends == 0 {
		s.since = seq
	}
	s.packets[s.sends%len(s.packets)] = seq
	s.sends++
	s.tick = tick
}

// Acked records that a packet arrived.
func (x *Client) Acked(seq uint16) {
	for i := range x.slots {
		s := &x.slots[i].sending
		if s.unacked && slices.Contains(s.packets[:min(s.sends, len(s.packets))], seq) {
			s.unacked = false
		}
	}
}
