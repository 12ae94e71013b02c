package relay

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// What a server sends to each client in each tick, bits from the lowest up; for
// numbers see coder:
//
//	state 8   the state of the world that this goes on from
//	tick 16   the server's next tick
//	1 bit     1 and delay 8, waited 16: under lockstep, the delay of everybody's inputs, and how many ticks
//	          that were due were not made; else until the client has heard how many those are
//	1 bit     1: report the digests of recent ticks
//	1 bit     1 and ticks back, a number, sum 32: the low half of the hash of the world after a final tick
//	1 bit     1 and count less 1 4, or 6 where the protocol has commands, place of the first 16, events: who
//	          comes and goes and what is commanded, from what the client has acknowledged on
//	base      ticks back, a number: first inputs are told against the one before this tick
//	slots     a number, the slots in use
//	1 bit     1 and the slot that is first, a number
//	for each slot, in order, and round from the last to the first:
//	1 bit     1 and ticks from behind the last one told to the server's, signed | 1 bit: 1, as many are
//	          told as of the slot before, or 0 and how many, a number | inputs; see wire.InputWords
//	horizon   ticks back, a number: all before is final
//
//	event     1 bit: 1 leaves | slot, a number | ticks back, signed: the first one in which the
//	          player plays, or plays no more | for one who comes, number of the player 32,
//	          and ticks until its first input, a number | what it asks to be, where the protocol has
//	          that: 1 bit: 1 and its bytes, 0 nothing. Where the protocol has commands, before all that
//	          1 bit: 1 and, instead: ticks back, signed: of the command | number of the player 32 | kind 8 |
//	          value, as many bytes as that kind has
//
// Messages bring what may have been lost with those before them; see telling. A lane may begin behind what
// the client has: what is between comes with another message, and the client acknowledges none that leaves a gap.
// The first input of a lane is told against the one before base, which the client has acknowledged to
// have of all lanes, or the neutral one where that is none or the client was never told of it; each other one
// against the one before it. Zero bits go up to the next byte.

// eventBits count the events of a message, less 1; moreEventBits where there are commands among them.
const (
	eventBits     = 4
	moreEventBits = 6
)

// laneBits is how long a lane is before its inputs, at most, and tailBits what follows on
// all lanes.
const (
	laneBits = 2 + 40 + 40
	tailBits = 40 + 8
)

// Append appends to dst what a client is to be told now, in at most limit bytes, which
// the session will send as packet seq; nothing while the client has no state of the
// world to go on from. What does not fit, longest ago told first, goes with the next. limit is
// at least 512 and a byte for each eight players: less would not hold what a message may begin
// with.
func (s *Server) Append(dst []byte, player uint32, seq uint16, limit int) []byte {
	p := s.peer(player)
	if p == nil || !p.state.follows {
		return dst
	}
	c, now, begin := s.coder, s.timeline.Next(), len(dst)
	c.W.Reset(dst)
	c.W.Bits(uint64(p.state.current), 8)
	c.W.Bits(uint64(now), 16)
	late := s.config.Timeline.Wait || p.known.late != s.waited
	c.W.Bool(late)
	if late {
		c.W.Bits(uint64(s.delay), 8)
		c.W.Bits(uint64(uint16(s.waited)), 16)
	}
	c.W.Bool(p.checks.ask)
	p.checks.ask = false
	s.appendCheck(p, now)
	horizon := s.timeline.Horizon()
	events := s.appendEvents(p, now)
	untold := s.events[events-s.before:]
	for i := range untold {
		horizon = min(horizon, untold[i].tick())
	}
	base := s.base(p, untold, now)
	c.number(now - base)
	c.number(uint32(len(s.lanes)))
	c.W.Bool(p.known.turn > 0)
	if p.known.turn > 0 {
		c.number(uint32(p.known.turn))
	}
	s.scratch.count = 0
	turn := 0
	for i := range s.lanes {
		slot := (p.known.turn + i) % len(s.lanes)
		room := (begin+limit-c.W.Len())*8 - (len(s.lanes) - i) - tailBits
		l, t := s.lanes[slot], &p.known.lanes[slot]
		s.scratch.told[slot] = t.acked
		if l == nil || announced(untold, slot) {
			c.W.Bool(false)
			continue
		}
		from := t.from(now, p.known.repeats, againEvery(s.tickRate))
		if end := s.appendLane(l, from, l.before(base, t.start), now, room); end > from {
			t.told(from, end)
			s.scratch.told[slot] = end
		}
		if t.end < l.end && turn == 0 {
			turn = slot
		}
	}
	p.known.turn = turn
	c.number(now - horizon)
	p.known.note(seq, events, s.waited, s.scratch.told)
	return c.W.Bytes()
}

// announced reports whether the player of a slot comes in one of these events.
func announced(untold []event, slot int) bool {
	for i := range untold {
		if untold[i].slot == slot && !untold[i].leave {
			return true
		}
	}
	return false
}

// base is the tick before which the client has the inputs of all lanes of which it lacks any, and their server has
// them yet; 0, before which there are none, when that is long ago.
func (s *Server) base(p *peer, untold []event, now uint32) uint32 {
	base := now
	for slot, l := range s.lanes {
		if t := &p.known.lanes[slot]; l != nil && t.acked < l.To && !announced(untold, slot) {
			base = min(base, t.acked)
		}
	}
	if now-base > reach(s.config.Keep) {
		return 0
	}
	return base
}

// reach is how many ticks back, where inputs of so many are kept, messages refer to, and come to any use themselves.
// Both together are what a lane holds, less what is early.
func reach(keep int) uint32 { return uint32(keep / 4) }

// appendLane tells the inputs of a lane from a tick on, as many of them as have room, and returns up to where.
func (s *Server) appendLane(l *lane, from uint32, before []int32, now uint32, room int) uint32 {
	c, n := s.coder, int(l.end-min(l.end, from))
	if n > 0 {
		n = c.fit(l, from, n, before, room-laneBits)
	}
	c.W.Bool(n > 0)
	if n == 0 {
		return from
	}
	end := from + uint32(n)
	c.signed(int32(now - end))
	c.W.Bool(n == s.scratch.count)
	if n != s.scratch.count {
		c.number(uint32(n))
		s.scratch.count = n
	}
	c.write(l, from, n, before, true)
	return end
}

// appendEvents tells who came and left and commanded, and returns how many events the client knows then.
func (s *Server) appendEvents(p *peer, now uint32) int {
	c := s.coder
	news := s.events[p.known.events-s.before:]
	news = news[:fitting(news, 1<<c.eventBits)]
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
			c.signed(int32(now - e.tick()))
			c.W.Bits(uint64(e.Player), 32)
			c.command(e.Value)
			continue
		}
		c.W.Bool(e.leave)
		c.number(uint32(e.slot))
		c.signed(int32(now - e.tick()))
		if !e.leave {
			c.W.Bits(uint64(e.Player), 32)
			c.number(e.First - e.From)
			c.ask(e.Value)
		}
	}
	return p.known.events + len(news)
}

// fitting is how many events a message of so many at most holds: one at least, and no more values than have room beside
// the inputs.
func fitting(news []event, most int) int {
	n, bytes, commands := 0, 0, 0
	for n < min(len(news), most) {
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
	// maxValues is how many bytes of what players ask to be a message holds, where it tells of more than one.
	maxValues = ecs.MaxRequest
	// maxCommands is how many bytes of commands it holds, where it tells of more than one.
	maxCommands = 720
	// commandHead is what stands before a command, rounded up.
	commandHead = 7
)

// appendCheck tells the hash of a final tick, once.
func (s *Server) appendCheck(p *peer, now uint32) {
	c := s.coder
	tick, sum, ok := checkpoint(s.timeline, s.config.Checks)
	ok = ok && tick != p.checks.told
	c.W.Bool(ok)
	if ok {
		p.checks.told = tick
		c.number(now - tick)
		c.W.Bits(uint64(uint32(sum)), 32)
	}
}

// checkpoint is the newest final tick whose hash is compared.
func checkpoint(t *timeline.Timeline, every int) (tick uint32, sum uint64, ok bool) {
	h := t.Horizon()
	if every == 0 || h == 0 {
		return 0, 0, false
	}
	tick = (h - 1) / uint32(every) * uint32(every)
	sum, ok = t.Hash(tick)
	return tick, sum, ok
}

// tick is when an event happens.
func (e *event) tick() uint32 {
	if e.leave {
		return e.To
	}
	return e.From
}
