package relay

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/systems/timeline"
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
//	input, tick after the last or 0, 1 or 0: adopted, and then tick of the input held plus 1 or 0 and its words |
//	the world, as ecs.WorldHistory.AppendState writes it

// attend makes the state for a client that needs one.
func (s *Server) attend(p *peer) {
	if p.state != 0 || p.failed {
		return
	}
	tick, ok := s.stateTick()
	if !ok {
		return
	}
	p.grow(len(s.lanes))
	le := binary.LittleEndian
	b := codec.AppendUvarint(p.out[:0], uint64(s.config.Keep))
	b = le.AppendUint32(b, tick)
	p.events = s.before + len(s.events)
	b = codec.AppendUvarint(b, uint64(p.events))
	n := 0
	for slot, l := range s.lanes {
		if p.acked[slot], p.start[slot] = 0, 0; l != nil {
			p.acked[slot] = l.end
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
		p.start[slot] = max(tick, l.First)
		p.acked[slot] = p.start[slot]
		to := l.To
		if to == timeline.Forever {
			to = 0
		}
		for _, v := range []uint32{uint32(slot), l.Player, l.From, l.First, to} {
			b = codec.AppendUvarint(b, uint64(v))
		}
		if l.From >= tick {
			b = append(b, 0)
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
	b, err := s.timeline.History().AppendState(b, tick)
	p.out = b
	if err != nil {
		return // it has left the window meanwhile; the next one will do
	}
	if p.failed = len(b) > s.config.MaxState; p.failed {
		return
	}
	if p.number++; p.number == 0 {
		p.number = 1
	}
	p.state, p.part, p.turn = p.number, 0, 0
	p.parts = (len(b) + s.config.Part - partHead - 1) / (s.config.Part - partHead)
	s.stats.States++
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
	case p.failed:
		return nil, fmt.Errorf("%w: %d bytes, MaxState is %d", ErrTooLarge, len(p.out), s.config.MaxState)
	case p.state == 0 || p.part == p.parts:
		return nil, nil
	}
	size := s.config.Part - partHead
	b := append(dst[:0], kindState, p.state)
	b = binary.LittleEndian.AppendUint16(b, uint16(p.part))
	b = binary.LittleEndian.AppendUint16(b, uint16(p.parts))
	return append(b, p.out[p.part*size:min(len(p.out), (p.part+1)*size)]...), nil
}

// Sent says that what Outgoing returned is on its way.
func (s *Server) Sent(player uint32) {
	if p := s.peer(player); p != nil && p.part < p.parts {
		p.part++
	}
}

// arriving is a state of which parts have come.
type arriving struct {
	number uint8
	next   int
	bytes  []byte
}

// part takes in a part of a state; whole reports that it was the last.
func (c *Client) part(msg []byte) (whole bool, err error) {
	if len(msg) < partHead {
		return false, fmt.Errorf("%w: part of %d bytes", ErrMessage, len(msg))
	}
	number, part, parts := msg[1], int(binary.LittleEndian.Uint16(msg[2:])), int(binary.LittleEndian.Uint16(msg[4:]))
	a := &c.arriving
	if part == 0 {
		a.number, a.next, a.bytes = number, 0, a.bytes[:0]
	}
	switch {
	case number == 0 || number != a.number || part != a.next || part >= parts:
		return false, fmt.Errorf("%w: part %d of %d of state %d", ErrMessage, part, parts, number)
	case len(a.bytes)+len(msg)-partHead > c.config.MaxState:
		return false, fmt.Errorf("%w: state of more than %d bytes; see ClientConfig.MaxState", ErrMessage, c.config.MaxState)
	}
	a.bytes = append(a.bytes, msg[partHead:]...)
	a.next++
	return a.next == parts, nil
}

// seat is a player in a state.
type seat struct {
	slot int
	timeline.Presence
	adopted bool
	words   []int32
	at      uint32
}

// adopt makes the world what the state is that has come.
func (c *Client) adopt() error {
	var r codec.ByteReader
	r.Reset(c.arriving.bytes)
	keep, tick, events := r.Uvarint(), r.Uint32(), r.Uvarint()
	n := r.Uvarint()
	if r.Err() != nil || keep < 2 || keep > maxKeep || tick == 0 || tick > math.MaxInt32 || events > math.MaxInt32 || n > uint64(r.Len()/6) {
		return fmt.Errorf("%w: head of a state", ErrMessage)
	}
	var seats []seat
	for range n {
		var v [5]uint32
		for i := range v {
			u := r.Uvarint()
			if v[i] = uint32(u); u > math.MaxUint32 {
				return fmt.Errorf("%w: player of a state", ErrMessage)
			}
		}
		s := seat{slot: int(v[0]), Presence: timeline.Presence{Player: v[1], From: v[2], First: v[3], To: v[4]}}
		if s.To == 0 {
			s.To = timeline.Forever
		}
		flag := r.Byte()
		if s.adopted = flag == 1; s.adopted {
			if at := r.Uvarint(); at > 0 {
				s.at = uint32(at - 1)
				s.words = make([]int32, min(len(c.coder.neutral), r.Len()/4))
				for i := range s.words {
					s.words[i] = int32(r.Uint32())
				}
			}
		}
		if r.Err() != nil || flag > 1 || s.slot >= maxSlots || s.From > math.MaxInt32 || s.First > math.MaxInt32 || s.First < s.From || s.To <= tick || s.adopted != (s.From < tick) ||
			s.words != nil && len(s.words) != len(c.coder.neutral) {
			return fmt.Errorf("%w: player of a state", ErrMessage)
		}
		seats = append(seats, s)
	}
	if err := c.world.ReadState(r.Next(r.Len())); err != nil {
		return fmt.Errorf("%w: %w", ErrMessage, err)
	}
	return c.resume(int(keep), tick, int(events), seats)
}

// resume begins the timeline anew with a state.
func (c *Client) resume(keep int, tick uint32, events int, seats []seat) error {
	t := c.timeline
	t.Restart(tick)
	for _, l := range c.lanes {
		if l != nil && len(l.ring) == keep {
			c.spare = append(c.spare, l)
		}
	}
	c.lanes, c.live, c.own, c.keep = c.lanes[:0], 0, nil, keep
	c.events, c.tick, c.horizon, c.agreed, c.heard = events, tick, tick, tick-1, false
	for i := range seats {
		s := &seats[i]
		var err error
		if s.adopted {
			err = t.Adopt(s.Player, s.First, s.words, s.at)
		} else {
			err = t.Join(s.Player, s.From, s.First)
		}
		if err == nil && s.To != timeline.Forever {
			err = t.Leave(s.Player, s.To)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrMessage, err)
		}
		c.seat(s.slot, s.Presence, tick)
	}
	c.state = c.arriving.number
	c.stats.States++
	return nil
}
