package relay

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// The message that a server sends to each client in each tick, from the lowest bit up; for
// numbers see coder:
//
//	state 8   number of the state of the world that the client uses
//	tick 16   the server's next tick
//	1 bit     1 and delay 8, waited 16: the common input delay, and how many due ticks were not simulated.
//	          Under lockstep in every message, otherwise until the client has acknowledged "waited"
//	1 bit     1: report the digests of recent ticks
//	1 bit     1 and ticks back (number), sum 32: low half of the hash of the world after a final tick
//	1 bit     1 and count less 1 (4 bits, or 6 if the protocol has commands), index of the first event 16, events:
//	          joins, leaves and commands that are not acknowledged
//	base      ticks back (number): the first input of a lane is a difference to the input before this tick
//	slots     number of slots in use (number)
//	1 bit     1 and the slot that comes first (number)
//	for each slot, in order, wrapping around from the last to the first:
//	1 bit     1 and ticks from the end of the lane's inputs to the server's tick (signed) | 1 bit: 1, the same count as the
//	          previous slot, or 0 and the count (number) | inputs; see wire.InputWords
//	horizon   ticks back (number): all ticks before this one are final
//
//	event     1 bit: 1 for a leave | slot (number) | ticks back (signed): the first tick in which the
//	          player plays, or no longer plays | for a join: number of the player 32,
//	          ticks until its first input (number) | if the protocol has a join request: 1 bit, 1 and its
//	          bytes, or 0 for none. If the protocol has commands, 1 bit precedes all this;
//	          1 is a command: ticks back (signed) | number of the player 32 | kind 8 |
//	          value, as many bytes as the kind has
//
// Messages repeat inputs that may have been lost; see laneSender. If the inputs of a lane start after those that the
// client has, another message fills the gap; the client acknowledges no message that leaves a gap.
// The first input of a lane is encoded as a difference to the input before base, which the client has acknowledged for
// all lanes. If there is no such input, the neutral input is used. Each further input is a difference to the one
// before it. Zero bits pad the message to a whole byte.

// eventBits is the size of the event count of a message, moreEventBits the size if the protocol has commands.
const (
	eventBits     = 4
	moreEventBits = 6
)

// laneBits is the maximum size of a lane before its inputs, tailBits that of the fields after all lanes, in bits.
const (
	laneBits = 2 + 40 + 40
	tailBits = 40 + 8
)

// Append appends the message to a client to dst, in at most limit bytes. The session must send it as packet seq.
// Append appends nothing while the client has no state of the world. Slots that do not fit come first in the next
// message. limit must be at least 512 plus a byte for each eight players.
func (s *Server) Append(dst []byte, player uint32, seq uint16, limit int) []byte {
	p := s.peer(player)
	if p == nil || !p.state.confirmed {
		return dst
	}
	return s.append(dst, p, seq, limit)
}

// append appends the message to a client that has a state of the world.
func (s *source) append(dst []byte, p *peer, seq uint16, limit int) []byte {
	c, now, begin := s.coder, s.now(), len(dst)
	c.W.Reset(dst)
	c.W.Bits(uint64(p.state.current), 8)
	c.W.Bits(uint64(now), 16)
	sendWaited := s.wait || p.known.waited != s.waited
	c.W.Bool(sendWaited)
	if sendWaited {
		c.W.Bits(uint64(s.delay), 8)
		c.W.Bits(uint64(uint16(s.waited)), 16)
	}
	c.W.Bool(p.checks.askDigests)
	p.checks.askDigests = false
	s.appendHash(p, now)
	horizon := s.timeline.Horizon()
	events := s.appendEvents(p, now)
	unsent := s.events[events-s.removedEvents:]
	for i := range unsent {
		horizon = min(horizon, unsent[i].tick())
	}
	base := s.baseTick(p, unsent, now)
	c.writeNumber(now - base)
	c.writeNumber(uint32(len(s.lanes)))
	c.W.Bool(p.known.firstSlot > 0)
	if p.known.firstSlot > 0 {
		c.writeNumber(uint32(p.known.firstSlot))
	}
	s.count = 0
	nextFirst := 0
	for i := range s.lanes {
		slot := (p.known.firstSlot + i) % len(s.lanes)
		room := (begin+limit-c.W.Len())*8 - (len(s.lanes) - i) - tailBits
		l, t := s.lanes[slot], &p.known.lanes[slot]
		s.sentEnds[slot] = t.acked
		if l == nil || joinsIn(unsent, slot) {
			c.W.Bool(false)
			continue
		}
		from := t.firstTick(now, p.known.repeats, resendInterval(s.tickRate))
		if end := s.appendLane(l, from, l.previousInput(base, t.start), now, room); end > from {
			t.recordSent(from, end)
			s.sentEnds[slot] = end
		}
		if t.end < l.end && nextFirst == 0 {
			nextFirst = slot
		}
	}
	p.known.firstSlot = nextFirst
	c.writeNumber(now - horizon)
	p.known.recordMessage(seq, events, s.waited, s.sentEnds)
	return c.W.Bytes()
}

// joinsIn reports whether one of the events is a join in a slot.
func joinsIn(events []event, slot int) bool {
	for i := range events {
		if events[i].slot == slot && !events[i].leave {
			return true
		}
	}
	return false
}

// baseTick returns the tick before which the client has the inputs of all lanes of which it lacks later ones. It
// returns 0, the neutral inputs, if that tick is too old for the client to have kept.
func (s *source) baseTick(p *peer, unsent []event, now uint32) uint32 {
	if p.record {
		return 0 // a client that begins with the newest state lacks what another one has
	}
	base := now
	for slot, l := range s.lanes {
		if t := &p.known.lanes[slot]; l != nil && t.acked < l.To && !joinsIn(unsent, slot) {
			base = min(base, t.acked)
		}
	}
	if now-base > maxReach(s.stored) {
		return 0
	}
	return base
}

// maxReach returns two limits of messages, in ticks: how far back a message may refer, and how late it may arrive. keep
// is the number of ticks whose inputs are stored.
func maxReach(keep int) uint32 { return uint32(keep / 4) }

// appendLane writes as many inputs of a lane from tick from on as fit into room bits, and returns the tick after
// the last.
func (s *source) appendLane(l *lane, from uint32, before []int32, now uint32, room int) uint32 {
	c, n := s.coder, int(l.end-min(l.end, from))
	if n > 0 {
		n = c.countFitting(l, from, n, before, room-laneBits)
	}
	c.W.Bool(n > 0)
	if n == 0 {
		return from
	}
	end := from + uint32(n)
	c.writeSigned(int32(now - end))
	c.W.Bool(n == s.count)
	if n != s.count {
		c.writeNumber(uint32(n))
		s.count = n
	}
	c.writeInputs(l, from, n, before, true)
	return end
}

// appendEvents writes unacknowledged events and returns the number of events that the client has after this
// message.
func (s *source) appendEvents(p *peer, now uint32) int {
	c := s.coder
	news := s.events[p.known.events-s.removedEvents:]
	news = news[:countEvents(news, 1<<c.eventBits)]
	c.W.Bool(len(news) > 0)
	if len(news) == 0 {
		return p.known.events
	}
	c.W.Bits(uint64(len(news)-1), c.eventBits)
	c.W.Bits(uint64(p.known.events), 16)
	for i := range news {
		e := &news[i]
		if c.commands != nil {
			c.W.Bool(e.command)
		}
		if e.command {
			c.writeSigned(int32(now - e.tick()))
			c.W.Bits(uint64(e.Player), 32)
			c.writeCommand(e.Value)
			continue
		}
		c.W.Bool(e.leave)
		c.writeNumber(uint32(e.slot))
		c.writeSigned(int32(now - e.tick()))
		if !e.leave {
			c.W.Bits(uint64(e.Player), 32)
			c.writeNumber(e.First - e.From)
			c.writeJoinValue(e.Value)
		}
	}
	return p.known.events + len(news)
}

// countEvents returns how many of the events a message contains: at least one, at most limit, and no more bytes of
// values than leave room for inputs.
func countEvents(news []event, limit int) int {
	n, bytes, commands := 0, 0, 0
	for n < min(len(news), limit) {
		if e := &news[n]; e.command {
			commands += len(e.Value) + commandHead
		} else {
			bytes += len(e.Value)
		}
		if n > 0 && (bytes > maxValues || commands > maxCommands) {
			break
		}
		n++
	}
	return n
}

const (
	// maxValues is the maximum number of bytes of join requests in a message with several.
	maxValues = ecs.MaxRequest
	// maxCommands is the maximum number of bytes of commands in a message with several.
	maxCommands = 720
	// commandHead is the size of the fields before a command, rounded up.
	commandHead = 7
)

// appendHash writes the hash of a final tick, once.
func (s *source) appendHash(p *peer, now uint32) {
	c := s.coder
	tick, sum, ok := checkpoint(s.timeline)
	ok = ok && tick != p.checks.lastSent
	c.W.Bool(ok)
	if ok {
		p.checks.lastSent = tick
		c.writeNumber(now - tick)
		c.W.Bits(uint64(uint32(sum)), 32)
	}
}

// checkpoint returns the newest final tick whose hash is compared.
func checkpoint(t *timeline.Timeline) (tick uint32, sum uint64, ok bool) {
	h := t.Horizon()
	if h == 0 {
		return 0, 0, false
	}
	tick = (h - 1) / checkEvery * checkEvery
	sum, ok = t.Hash(tick)
	return tick, sum, ok
}
