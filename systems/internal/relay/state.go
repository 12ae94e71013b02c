package relay

import (
	"encoding/binary"
	"fmt"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// A reliable message is of one of these kinds, its first byte:
//
//	state     server to client: number u8 | part u16 | parts u16 | bytes of the state
//	digests   client to server; see report
//	unstable  client to server: which system does not do the same twice, text of up to maxText bytes
const (
	kindState = iota + 1
	kindDigests
	kindUnstable
)

const partHead = 6

// The state of the world before a final tick, for those who join late, fixed numbers little-endian,
// others uvarints:
//
//	keep | tick u32 | events known | players n | each: slot, player, first tick, tick of its first
//	input, tick after the last or 0, 1: adopted, and then tick of the input held plus 1 or 0 and its words, or
//	0, and where the protocol asks who comes for something the bytes of that, how many before them |
//	where the protocol has commands, those from tick on, in the order in which they run: how many, and of each its tick
//	and its player, fixed, its kind u8 and its value | the world, as ecs.WorldHistory.AppendState writes it

// attend makes the state for a client that needs one.
func (s *Server) attend(p *peer) {
	now := s.timeline.Next()
	if p.state.current != 0 || p.state.failed || now < p.state.next {
		return
	}
	tick, ok := s.stateTick()
	if !ok {
		return
	}
	p.known.grow(len(s.lanes))
	le := binary.LittleEndian
	b := codec.AppendUvarint(p.state.bytes[:0], uint64(s.config.Keep))
	b = le.AppendUint32(b, tick)
	p.known.events = s.before + len(s.events)
	b = codec.AppendUvarint(b, uint64(p.known.events))
	n := 0
	for slot, l := range s.lanes {
		if p.known.lanes[slot].begin(0); l != nil {
			p.known.lanes[slot].begin(l.end)
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
		p.known.lanes[slot].begin(max(tick, l.First))
		to := l.To
		if to == timeline.Forever {
			to = 0
		}
		for _, v := range []uint32{uint32(slot), l.Player, l.From, l.First, to} {
			b = codec.AppendUvarint(b, uint64(v))
		}
		if l.From >= tick {
			b = append(b, 0)
			if s.coder.asks != nil {
				b = append(codec.AppendUvarint(b, uint64(len(l.Value))), l.Value...)
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
		s.scratch.doing = timeline.CommandsOf(s.timeline).Append(s.scratch.doing[:0], tick)
		b = codec.AppendUvarint(b, uint64(len(s.scratch.doing)))
		for _, d := range s.scratch.doing {
			b = append(le.AppendUint32(le.AppendUint32(b, d.Tick), d.Player), d.Value...)
		}
	}
	b, err := s.timeline.History().AppendState(b, tick)
	p.state.bytes = b
	if err != nil {
		return // it has left the window meanwhile; the next one will do
	}
	if p.state.failed = len(b) > s.config.MaxState; p.state.failed {
		return
	}
	p.state.begin(s.config.Part - partHead)
	p.state.next = now + uint32(s.tickRate) // it may ask for states as often as it likes
	p.known.turn = 0
	s.stats.States++
}

// begin begins to send bytes, so many in a part.
func (t *sentState) begin(size int) {
	if t.number++; t.number == 0 {
		t.number = 1
	}
	t.current, t.part, t.parts = t.number, 0, (len(t.bytes)+size-1)/size
}

// append appends the next part, of so many bytes at most.
func (t *sentState) append(dst []byte, size int) []byte {
	b := append(dst, kindState, t.current)
	b = binary.LittleEndian.AppendUint16(b, uint16(t.part))
	b = binary.LittleEndian.AppendUint16(b, uint16(t.parts))
	return append(b, t.bytes[t.part*size:min(len(t.bytes), (t.part+1)*size)]...)
}

// stateTick is a final tick of the window in which nobody leaves, newest first.
func (s *Server) stateTick() (uint32, bool) {
	now := s.timeline.Next()
	if s.timeline.Horizon() == now {
		s.timeline.History().Capture(now) // as the next Step will
	}
	for tick := s.timeline.Horizon(); tick > 0 && tick+uint32(s.config.Timeline.Window) >= now; tick-- {
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

// Outgoing is the next reliable message to a client, in the memory of dst, nil when there is
// none: give it to an ordered channel, and when that has taken it call [Server.Sent].
//
// It returns [ErrTooLarge] or [ErrAbsent], wrapped.
func (s *Server) Outgoing(player uint32, dst []byte) ([]byte, error) {
	p := s.peer(player)
	switch {
	case p == nil:
		return nil, fmt.Errorf("%w: %d", ErrAbsent, player)
	case p.state.failed:
		return nil, fmt.Errorf("%w: %d bytes, MaxState is %d", ErrTooLarge, len(p.state.bytes), s.config.MaxState)
	case p.state.current == 0 || p.state.part == p.state.parts:
		return nil, nil
	}
	return p.state.append(dst[:0], s.config.Part-partHead), nil
}

// Sent says that what Outgoing returned is on its way.
func (s *Server) Sent(player uint32) {
	if p := s.peer(player); p != nil && p.state.part < p.state.parts {
		p.state.part++
	}
}
