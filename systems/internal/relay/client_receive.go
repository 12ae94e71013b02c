package relay

import (
	"fmt"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// outcome is what became of a message that a client reads.
type outcome struct {
	old   bool   // newer ones came before
	gap   bool   // some of it is of no use before more comes, or is further ahead than the lanes hold
	lost  bool   // some of it changes what is final here
	base  uint32 // what it is told against
	count int    // inputs told of the slot before
}

// Receive takes in what [Server.Append] made, which came as the session's packet seq. It may
// come in any order; give it once.
//
// It returns [ErrMessage], wrapped.
func (c *Client) Receive(seq uint16, msg []byte) error {
	r := &c.coder.R
	r.Reset(msg)
	c.coder.Bad = false
	state := uint8(r.Bits(8))
	if r.Err() == nil && (c.state == 0 || state != c.state) {
		c.stats.Old++
		return nil
	}
	o := outcome{old: c.heard.comes(seq)}
	switch err := c.read(&o); {
	case err != nil:
		c.stats.Malformed++
		return err
	case o.lost:
		c.lose()
	case o.gap:
		c.stats.Gaps++ // what was taken in stays so, and the rest will come again
	default:
		c.heard.taken(seq)
	}
	return nil
}

// lose makes the client ask for a new state.
func (c *Client) lose() {
	c.state, c.slots.own = 0, nil
	c.stats.Lost++
}

// read takes in a message behind its first byte.
func (c *Client) read(o *outcome) error {
	k, r := c.coder, &c.coder.R
	tick := codec.Lift(uint16(r.Bits(16)), c.heard.tick)
	switch {
	case tick > maxTick, tick != c.heard.tick && o.old != (tick < c.heard.tick):
		return fmt.Errorf("%w: tick %d after %d", ErrMessage, tick, c.heard.tick)
	case o.old && c.heard.tick-tick > reach(c.slots.keep):
		o.gap = true // what it was told against may be gone
		return nil
	}
	if r.Bool() {
		if delay, waited := int(r.Bits(8)), uint16(r.Bits(16)); !o.old {
			c.inputs.delayed(delay, &c.config)
			c.heard.waited = codec.Lift(waited, c.heard.waited)
		}
	}
	ask := r.Bool()
	if r.Bool() {
		back, sum := k.readNumber(tick), uint32(r.Bits(32))
		own, ok := c.timeline.Hash(tick - back)
		switch {
		case !ok || k.Failed():
		case uint32(own) == sum:
			c.checks.agreed = max(c.checks.agreed, tick-back)
		default:
			c.stats.Mismatch++
			ask = true
		}
	}
	if r.Bool() {
		if err := c.readEvents(tick, o); err != nil {
			return err
		}
	}
	o.base = tick - k.readNumber(tick)
	had := uint32(0)
	if c.slots.own != nil {
		had = c.slots.own.end
	}
	slots := int(k.readNumber(maxSlots))
	turn := 0
	if r.Bool() && slots > 0 {
		turn = int(k.readNumber(uint32(slots - 1)))
	}
	for i := 0; i < slots && !k.Failed(); i++ {
		if !r.Bool() {
			continue
		}
		slot := (turn + i) % slots
		l := c.slots.at(slot)
		if l == nil || tick < l.From {
			o.gap = true // an old message about the player who had the slot before: its inputs cannot be read, nor what follows
			return nil
		}
		if err := c.readLane(l, tick, o); err != nil {
			return err
		}
	}
	horizon := tick - k.readNumber(tick)
	if !k.end() {
		return fmt.Errorf("%w: not as a server writes", ErrMessage)
	}
	c.heard.tick = max(c.heard.tick, tick)
	if !o.lost {
		c.heard.horizon = max(c.heard.horizon, c.slots.horizon(horizon))
		c.timeline.Told(c.heard.horizon)
		c.inputs.adapt(c.slots.own, had, c.heard.tick, !o.old && !o.gap, &c.config)
	}
	if ask && !o.lost {
		c.report()
	}
	return nil
}

// readEvents takes in who comes and goes, and what is commanded.
func (c *Client) readEvents(tick uint32, o *outcome) error {
	k, r := c.coder, &c.coder.R
	n := int(r.Bits(k.eventBits)) + 1
	first := codec.Lift(uint16(r.Bits(16)), uint32(c.heard.events))
	for i := range n {
		command := k.commands != nil && r.Bool()
		leave := !command && r.Bool()
		slot := 0
		if !command {
			slot = int(k.readNumber(maxSlots - 1))
		}
		at := int64(tick) - int64(k.readSigned())
		p := timeline.Presence{To: timeline.Forever}
		switch {
		case command:
			p.Player, p.Value = uint32(r.Bits(32)), k.readCommand()
		case !leave:
			p.Player = uint32(r.Bits(32))
			p.First = k.readNumber(maxTick)
			p.Value = k.readAsk()
		}
		if k.Failed() || at < 0 || at+int64(p.First) > maxTick || command && at > int64(tick) {
			return fmt.Errorf("%w: event", ErrMessage)
		}
		p.From = uint32(at)
		p.First += p.From
		switch known := int(first) + i; {
		case known < c.heard.events:
			continue
		case known > c.heard.events:
			return fmt.Errorf("%w: event %d after %d", ErrMessage, known, c.heard.events)
		}
		var err error
		switch {
		case command:
			if timeline.CommandsOf(c.timeline).Add(p.Player, p.From, p.Value) != nil {
				o.lost = true // it is final here that nobody did that
			}
		case leave:
			err = c.leave(slot, p.From, o)
		default:
			err = c.join(slot, p, o)
		}
		if err != nil {
			return err
		}
		c.heard.events++
	}
	return nil
}

func (c *Client) join(slot int, p timeline.Presence, o *outcome) error {
	before := c.slots.at(slot)
	if before != nil && before.To == timeline.Forever || c.slots.live > 2*c.config.Timeline.Players {
		return fmt.Errorf("%w: player %d joins in slot %d, where one plays", ErrMessage, p.Player, slot)
	}
	if c.timeline.Join(p.Player, p.From, p.First, p.Value) != nil || before != nil && before.fed < before.To {
		o.lost = true // it is final here that nobody came, or the slot holds what is needed yet
	}
	c.seat(slot, p, p.From)
	return nil
}

// seat notes a presence that the timeline has been told.
func (c *Client) seat(slot int, p timeline.Presence, start uint32) {
	l := c.slots.seat(slot, p, start, len(c.coder.neutral))
	if p.Player == c.player && p.To == timeline.Forever {
		c.slots.own = l
		c.inputs.begin(l, &c.config)
	}
}

func (c *Client) leave(slot int, tick uint32, o *outcome) error {
	l := c.slots.at(slot)
	if l == nil || l.To != timeline.Forever {
		return fmt.Errorf("%w: nobody to leave in slot %d", ErrMessage, slot)
	}
	if c.timeline.Leave(l.Player, tick) != nil {
		o.lost = true
	}
	l.To = tick
	l.end, l.fed = min(l.end, tick), min(l.fed, tick)
	if l == c.slots.own {
		c.slots.own = nil
	}
	return nil
}

// readCount reads how many inputs are told.
func (c *Client) readCount(o *outcome) int {
	if !c.coder.R.Bool() {
		o.count = int(c.coder.readNumber(uint32(c.slots.keep)))
	}
	return o.count
}

// readLane takes in inputs of a player.
func (c *Client) readLane(l *lane, tick uint32, o *outcome) error {
	k := c.coder
	end := int64(tick) - int64(k.readSigned())
	n := c.readCount(o)
	from := end - int64(n)
	if k.Failed() || from < int64(l.start) || end > maxTick || o.base > l.start && (o.base > l.end || l.at(o.base-1) == open) {
		return fmt.Errorf("%w: inputs of ticks %d to %d, told against %d; all before %d are here", ErrMessage, from, end, o.base, l.end)
	}
	k.read(n, l.before(o.base, l.start), true, func(i int, words []int32) {
		switch at := uint32(from) + uint32(i); {
		case at < l.end || at >= l.To || at-l.fed >= uint32(c.slots.keep):
		case words == nil:
			l.set(at, void, nil)
		default:
			l.set(at, real, words)
		}
	})
	o.gap = o.gap || int64(l.end) < min(end, int64(l.To))
	if !c.feed(l) {
		o.lost = true
	}
	return nil
}

// feed gives the timeline what a lane holds, as far ahead as the timeline takes it; false when
// that changes what is final here.
func (c *Client) feed(l *lane) bool {
	for ; l.fed < min(l.end, l.To); l.fed++ {
		var words []int32
		if l.at(l.fed) == real {
			words = l.input(l.fed)
		}
		switch c.timeline.Overrule(l.Player, l.fed, words) {
		case timeline.TooEarly:
			return true
		case timeline.TooOld:
			return false
		}
		if words == nil && l == c.slots.own && c.inputs.lane.at(l.fed) == real {
			c.stats.Overruled++
		}
	}
	return true
}
