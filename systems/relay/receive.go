package relay

import (
	"fmt"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/systems/timeline"
)

// outcome is what became of a message that a client reads.
type outcome struct {
	early bool // some of it is further ahead than the timeline takes
	lost  bool // some of it changes what is final here
	count int  // inputs told of the slot before
}

// Receive takes in what [Server.Append] made, which came as the session's packet seq. It may
// come in any order; give it once.
//
// It returns [ErrMessage], wrapped.
func (c *Client) Receive(seq uint16, msg []byte) error {
	r := &c.coder.r
	r.Reset(msg)
	c.coder.bad = false
	state := uint8(r.Bits(8))
	switch {
	case r.Err() == nil && (c.state == 0 || state != c.state), c.any && !codec.Newer(seq, c.newest):
		c.stats.Old++
		return nil
	}
	c.any, c.newest = true, seq
	o, err := c.read()
	switch {
	case err != nil:
		c.stats.Malformed++
		return err
	case o.lost:
		c.lose()
	case o.early:
		c.stats.Early++ // what was taken in stays so, and it will come again
	default:
		c.heard, c.ack = true, seq
	}
	return nil
}

// lose makes the client ask for a new state.
func (c *Client) lose() {
	c.state, c.own = 0, nil
	c.stats.Lost++
}

// read takes in a message behind its first byte.
func (c *Client) read() (o outcome, err error) {
	k, r := c.coder, &c.coder.r
	tick := codec.Lift(uint16(r.Bits(16)), c.tick)
	if tick < c.tick || tick > maxTick {
		return o, fmt.Errorf("%w: tick %d after %d", ErrMessage, tick, c.tick)
	}
	ask := r.Bool()
	if r.Bool() {
		back, sum := k.readNumber(tick), uint32(r.Bits(32))
		own, ok := c.timeline.Hash(tick - back)
		switch {
		case !ok || k.failed():
		case uint32(own) == sum:
			c.agreed = max(c.agreed, tick-back)
		default:
			c.stats.Mismatch++
			ask = true
		}
	}
	if r.Bool() {
		if err := c.readEvents(tick, &o); err != nil {
			return o, err
		}
	}
	had := uint32(0)
	if c.own != nil {
		had = c.own.end
	}
	slots := int(k.readNumber(maxSlots))
	turn := 0
	if r.Bool() && slots > 0 {
		turn = int(k.readNumber(uint32(slots - 1)))
	}
	for i := 0; i < slots && !k.failed(); i++ {
		if !r.Bool() {
			continue
		}
		slot := (turn + i) % slots
		if slot >= len(c.lanes) || c.lanes[slot] == nil {
			c.skipLane(&o) // one who left, and whose inputs we know: the server has not heard so
			continue
		}
		if err := c.readLane(c.lanes[slot], tick, &o); err != nil {
			return o, err
		}
	}
	horizon := tick - k.readNumber(tick)
	if !k.end() {
		return o, fmt.Errorf("%w: not as a server writes", ErrMessage)
	}
	c.tick = tick
	if !o.early && !o.lost {
		c.horizon = max(c.horizon, horizon)
		c.timeline.Told(c.horizon)
		c.adapt(had)
	}
	if ask && !o.lost {
		c.report()
	}
	return o, nil
}

// readEvents takes in who comes and goes.
func (c *Client) readEvents(tick uint32, o *outcome) error {
	k, r := c.coder, &c.coder.r
	n := int(r.Bits(4)) + 1
	first := codec.Lift(uint16(r.Bits(16)), uint32(c.events))
	for i := range n {
		leave := r.Bool()
		slot := int(k.readNumber(maxSlots - 1))
		at := int64(tick) - int64(k.readSigned())
		p := timeline.Presence{To: timeline.Forever}
		if !leave {
			p.Player = uint32(r.Bits(32))
			p.First = k.readNumber(maxTick)
		}
		if k.failed() || at < 0 || at+int64(p.First) > maxTick {
			return fmt.Errorf("%w: event", ErrMessage)
		}
		p.From = uint32(at)
		p.First += p.From
		switch known := int(first) + i; {
		case known < c.events:
			continue
		case known > c.events:
			return fmt.Errorf("%w: event %d after %d", ErrMessage, known, c.events)
		}
		var err error
		if leave {
			err = c.leave(slot, uint32(at), o)
		} else {
			err = c.join(slot, p, o)
		}
		if err != nil {
			return err
		}
		c.events++
	}
	return nil
}

func (c *Client) join(slot int, p timeline.Presence, o *outcome) error {
	if slot < len(c.lanes) && c.lanes[slot] != nil && c.lanes[slot].To == timeline.Forever || c.live > 2*c.config.Timeline.Players {
		return fmt.Errorf("%w: player %d joins in slot %d, where one plays", ErrMessage, p.Player, slot)
	}
	if err := c.timeline.Join(p.Player, p.From, p.First); err != nil {
		o.lost = true // it is final here that nobody came
	}
	c.seat(slot, p, p.From)
	return nil
}

func (c *Client) leave(slot int, tick uint32, o *outcome) error {
	if slot >= len(c.lanes) || c.lanes[slot] == nil || c.lanes[slot].To != timeline.Forever {
		return fmt.Errorf("%w: nobody to leave in slot %d", ErrMessage, slot)
	}
	l := c.lanes[slot]
	if c.timeline.Leave(l.Player, tick) != nil {
		o.lost = true
	}
	l.To = tick
	l.end = min(l.end, tick)
	if l == c.own {
		c.own = nil
	}
	return nil
}

// readCount reads how many inputs are told.
func (c *Client) readCount(o *outcome) int {
	if !c.coder.r.Bool() {
		o.count = int(c.coder.readNumber(uint32(c.keep)))
	}
	return o.count
}

// skipLane reads what nobody needs any more.
func (c *Client) skipLane(o *outcome) {
	c.coder.readSigned()
	n := c.readCount(o)
	c.coder.read(n, nil, true, func(int, []int32) {})
}

// readLane takes in inputs of a player.
func (c *Client) readLane(l *lane, tick uint32, o *outcome) error {
	k := c.coder
	end := int64(tick) - int64(k.readSigned())
	n := c.readCount(o)
	from := end - int64(n)
	if k.failed() || from < int64(l.start) || from > int64(l.end) || int64(l.end)-from >= int64(c.keep) || end > maxTick {
		return fmt.Errorf("%w: inputs of ticks %d to %d, %d is expected", ErrMessage, from, end, l.end)
	}
	stop := false
	k.read(n, l.before(uint32(from), l.start), true, func(i int, words []int32) {
		at := uint32(from) + uint32(i)
		if stop || at < l.end || at >= l.To {
			return
		}
		switch v := c.timeline.Overrule(l.Player, at, words); {
		case v == timeline.TooEarly:
			o.early, stop = true, true
			return
		case v == timeline.TooOld:
			o.lost, stop = true, true
			return
		case words == nil:
			if l == c.own && c.mine.at(at) == real {
				c.stats.Overruled++
			}
			l.set(at, void, nil)
		default:
			l.set(at, real, words)
		}
	})
	return nil
}
