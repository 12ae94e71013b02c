package relay

import (
	"encoding/binary"
	"fmt"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// The first byte of a reliable message is its kind:
//
//	state     server to client: number u8 | part u16 | parts u16 | bytes of the state
//	digests   client to server; see reportDigests
//	unstable  client to server: name of a system that is not deterministic, text of up to maxText bytes
//	sums      of recordings, for replays: first tick u32 | ticks n u8, at most maxSums | for each tick, the bytes of
//	          timeline.Timeline.Sums
const (
	kindState = iota + 1
	kindDigests
	kindUnstable
	kindSums
)

const partHead = 6

// A state is the world before a final tick, for a client that joins late. Fixed-size numbers are little-endian, all others
// are uvarints:
//
//	keep | tick u32 | number of events so far | n players | per player: slot, player, first tick, tick of its first
//	input, tick after the last or 0, then either 1 (it plays already), tick of its held input plus 1 or 0, and that
//	input's words; or 0, and if the protocol has a join request, its length and its bytes |
//	if the protocol has commands, those from tick on in running order: count, and for each its tick u32,
//	player u32, kind u8 and value | the world, as written by ecs.WorldHistory.AppendState

// prepareState encodes the state of the world for a client that needs it. It reports whether it did.
func (s *source) prepareState(p *peer) bool {
	now := s.timeline.Next()
	if p.state.current != 0 || p.state.failed || now < p.state.next {
		return false
	}
	tick, ok := s.stateTick()
	if !ok {
		return false
	}
	p.known.grow(len(s.lanes))
	le := binary.LittleEndian
	b := codec.AppendUvarint(p.state.bytes[:0], uint64(s.stored))
	b = le.AppendUint32(b, tick)
	p.known.events = s.removedEvents + len(s.events)
	b = codec.AppendUvarint(b, uint64(p.known.events))
	n := 0
	for slot, l := range s.lanes {
		if p.known.lanes[slot].reset(0); l != nil {
			p.known.lanes[slot].reset(l.end)
			if l.To > tick {
				n++
			}
		}
	}
	b = codec.AppendUvarint(b, uint64(n))
	for slot, l := range s.lanes {
		if l == nil || l.To <= tick {
			continue
		}
		p.known.lanes[slot].reset(max(tick, l.First))
		to := l.To
		if to == timeline.Forever {
			to = 0
		}
		for _, v := range []uint32{uint32(slot), l.Player, l.From, l.First, to} {
			b = codec.AppendUvarint(b, uint64(v))
		}
		if l.From >= tick {
			b = append(b, 0)
			if s.coder.joinRequest != nil {
				b = codec.AppendBytes(b, l.Value)
			}
			continue
		}
		b = append(b, 1)
		words, at, held := s.timeline.Held(l.Player, tick)
		if !held {
			b = append(b, 0)
			continue
		}
		b = codec.AppendUvarint(b, uint64(at)+1)
		for _, v := range words {
			b = le.AppendUint32(b, uint32(v))
		}
	}
	if s.coder.commands != nil {
		s.commands = s.timeline.AppendCommands(s.commands[:0], tick)
		b = codec.AppendUvarint(b, uint64(len(s.commands)))
		for _, d := range s.commands {
			b = append(le.AppendUint32(le.AppendUint32(b, d.Tick), d.Player), d.Value...)
		}
	}
	b, err := s.timeline.History().AppendState(b, tick)
	p.state.bytes = b
	if err != nil {
		return false // the tick has left the window; the next call succeeds
	}
	if p.state.failed = len(b) > MaxState; p.state.failed {
		return false
	}
	p.state.start(s.part)
	p.state.next = now + uint32(s.tickRate) // a client may request states as often as it likes, but receives one per second
	p.known.firstSlot = 0
	return true
}

// start starts sending the state in parts of size bytes.
func (t *sentState) start(size int) {
	if t.number++; t.number == 0 {
		t.number = 1
	}
	t.current, t.part, t.parts = t.number, 0, (len(t.bytes)+size-1)/size
}

// error returns why the state cannot be sent.
func (t *sentState) error() error {
	if !t.failed {
		return nil
	}
	return fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, len(t.bytes), MaxState)
}

// appendPart appends the next part, of at most size bytes.
func (t *sentState) appendPart(dst []byte, size int) []byte {
	b := append(dst, kindState, t.current)
	b = binary.LittleEndian.AppendUint16(b, uint16(t.part))
	b = binary.LittleEndian.AppendUint16(b, uint16(t.parts))
	return append(b, t.bytes[t.part*size:min(len(t.bytes), (t.part+1)*size)]...)
}

// stateTick returns the newest final tick of the window in which no player leaves.
func (s *source) stateTick() (uint32, bool) {
	now := s.timeline.Next()
	if s.timeline.Horizon() == now {
		s.timeline.History().Capture(now) // as the next tick will
	}
	for tick := s.timeline.Horizon(); tick > 0 && tick >= s.least && tick+s.window >= now; tick-- {
		leaves := false
		for _, l := range s.lanes {
			leaves = leaves || l != nil && l.To == tick
		}
		if !leaves && s.timeline.History().Has(tick) {
			return tick, true
		}
	}
	return 0, false
}

// Outgoing appends the next reliable message to a client to dst, or returns nil. Send the message on an ordered channel, and
// call [Server.Sent] when the channel has accepted it.
//
// Outgoing returns [ErrTooLarge] or [ErrAbsent], wrapped.
func (s *Server) Outgoing(player uint32, dst []byte) ([]byte, error) {
	p := s.peer(player)
	switch {
	case p == nil:
		return nil, fmt.Errorf("%w: %d", ErrAbsent, player)
	case p.state.failed:
		return nil, p.state.error()
	case p.state.current == 0 || p.state.part == p.state.parts:
		return nil, nil
	}
	return p.state.appendPart(dst, s.part), nil
}

// Sent records that the channel has accepted the message that Outgoing returned.
func (s *Server) Sent(player uint32) {
	if p := s.peer(player); p != nil && p.state.part < p.state.parts {
		p.state.part++
	}
}
