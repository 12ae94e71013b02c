package ownership

import (
	"slices"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

// resends are the ticks between the first sends of a value; after them it is every
// lastResend ticks. The packets remembered span more than four seconds at 60 ticks.
var resends = [...]uint64{1, 1, 2, 4, 8, 8, 8, 8}

const lastResend = 32

// AppendPrefix puts what this client wrote in front of the packet that is the session's
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
		x.look(&x.slots[i])
	}
	x.turn %= len(x.slots)
	for range x.slots {
		s := &x.slots[x.turn]
		if s.due(*x.ticks) {
			if n == 0 {
				x.coder.Begin(dst)
			}
			if n == wire.MaxChanges || x.coder.W.Len()-at > wire.ChangeRoom {
				break
			}
			x.coder.Change(s.id, s.component, s.value)
			n++
			s.sent(seq, *x.ticks)
		}
		x.turn = (x.turn + 1) % len(x.slots)
	}
	if n == 0 {
		return dst
	}
	return x.coder.End(at, n)
}

// due reports whether a value is to be sent in a tick.
func (s *sending) due(tick uint64) bool {
	switch {
	case !s.asking:
		return false
	case s.sends == 0:
		return true
	case s.sends <= len(resends):
		return tick-s.tick >= resends[s.sends-1]
	}
	return tick-s.tick >= lastResend
}

// sent notes that the value goes with a packet.
func (s *sending) sent(seq uint16, tick uint64) {
	if s.sends == 0 {
		s.since = seq
	}
	s.packets[s.sends%len(s.packets)] = seq
	s.sends++
	s.tick = tick
}

// Acked takes in that a packet arrived.
func (x *Client) Acked(seq uint16) {
	for i := range x.slots {
		s := &x.slots[i].sending
		if s.asking && slices.Contains(s.packets[:min(s.sends, len(s.packets))], seq) {
			s.asking = false
		}
	}
}
