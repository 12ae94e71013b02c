package relay

import (
	"fmt"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// readResult is the result of reading a message.
type readResult struct {
	old   bool   // newer messages arrived before
	gap   bool   // some of its inputs leave a gap or are further ahead than the lanes hold
	lost  bool   // the message changes a final tick
	base  uint32 // first inputs are encoded as differences to the input before this tick
	count int    // number of inputs of the previous slot
}

// Receive processes a message of [Server.Append] that arrived as the session's packet seq. Messages may arrive in
// any order; pass each once.
//
// Receive returns [ErrMessage], wrapped.
func (c *Client) Receive(seq uint16, msg []byte) error {
	r := &c.coder.R
	r.Reset(msg)
	c.coder.Bad = false
	state := uint8(r.Bits(8))
	if r.Err() == nil && (c.state == 0 || state != c.state) {
		c.stats.Old++
		return nil
	}
	o := readResult{old: c.server.recordArrival(seq)}
	switch err := c.readMessage(&o); {
	case err != nil:
		c.stats.Malformed++
		return err
	case o.lost:
		c.requestState()
	case o.gap:
		c.stats.Gaps++ // keep what was read; the server repeats the rest
	default:
		c.server.recordAccepted(seq)
	}
	return nil
}

// requestState makes the client request a new state.
func (c *Client) requestState() {
	c.state, c.slots.own = 0, nil
	c.stats.Lost++
}

// readMessage reads a message after its first byte.
func (c *Client) readMessage(o *readResult) error {
	k, r := c.coder, &c.coder.R
	tick := codec.Lift(uint16(r.Bits(16)), c.server.tick)
	switch {
	case tick > maxTick, tick != c.server.tick && o.old != (tick < c.server.tick):
		return fmt.Errorf("%w: tick %d after %d", ErrMessage, tick, c.server.tick)
	case o.old && c.server.tick-tick > maxReach(c.slots.keep):
		o.gap = true // its base inputs may be gone
		return nil
	}
	if r.Bool() {
		if delay, waited := int(r.Bits(8)), uint16(r.Bits(16)); !o.old {
			c.inputs.setDelay(delay, &c.config)
			c.server.waited = codec.Lift(waited, c.server.waited)
		}
	}
	ask := r.Bool()
	if r.Bool() {
		back, sum := k.readNumber(tick), uint32(r.Bits(32))
		if c.verifier != nil && !k.Failed() {
			c.verifier.addHash(tick-back, sum)
		}
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
			o.gap = true // an old message about the previous player of this slot: the rest of the message cannot be decoded
			return nil
		}
		if err := c.readLane(l, tick, o); err != nil {
			return err
		}
	}
	horizon := tick - k.readNumber(tick)
	if !k.atEnd() {
		return fmt.Errorf("%w: invalid data at the end", ErrMessage)
	}
	c.server.tick = max(c.server.tick, tick)
	if !o.lost {
		c.server.horizon = max(c.server.horizon, c.slots.horizon(horizon))
		c.timeline.SetServerHorizon(c.server.horizon)
		c.inputs.adaptNeed(c.slots.own, had, c.server.tick, !o.old && !o.gap, &c.config)
	}
	if ask && !o.lost {
		c.reportDigests()
	}
	return nil
}

// readEvents reads joins, leaves and commands.
func (c *Client) readEvents(tick uint32, o *readResult) error {
	k, r := c.coder, &c.coder.R
	n := int(r.Bits(k.eventBits)) + 1
	first := codec.Lift(uint16(r.Bits(16)), uint32(c.server.events))
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
			p.Value = k.readJoinValue()
		}
		if k.Failed() || at < 0 || at+int64(p.First) > maxTick {
			return fmt.Errorf("%w: event", ErrMessage)
		}
		p.From = uint32(at)
		p.First += p.From
		switch known := int(first) + i; {
		case known < c.server.events:
			continue
		case known > c.server.events:
			return fmt.Errorf("%w: event %d after %d", ErrMessage, known, c.server.events)
		}
		var err error
		switch {
		case command:
			if c.timeline.AddCommand(p.Player, p.From, p.Value) != nil {
				o.lost = true // the tick is final here without this command
			}
		case leave:
			err = c.leave(slot, p.From, o)
		default:
			err = c.join(slot, p, o)
		}
		if err != nil {
			return err
		}
		c.server.events++
		if leave {
			p = c.slots.lanes[slot].Presence
		}
		c.recorder.event(event{leave: leave, command: command, slot: slot, Presence: p})
	}
	return nil
}

func (c *Client) join(slot int, p timeline.Presence, o *readResult) error {
	before := c.slots.at(slot)
	if before != nil && before.To == timeline.Forever || c.slots.live > 2*c.config.Timeline.Players {
		return fmt.Errorf("%w: player %d joins in slot %d, which is in use", ErrMessage, p.Player, slot)
	}
	if c.timeline.Join(p.Player, p.From, p.First, p.Value) != nil || before != nil && before.end < before.To {
		o.lost = true // the tick is final here without this player, or inputs of the player before are missing
	}
	c.assignSlot(slot, p, p.From)
	return nil
}

// assignSlot assigns a slot to a presence that the timeline has received.
func (c *Client) assignSlot(slot int, p timeline.Presence, start uint32) {
	l := c.slots.assign(slot, p, start, len(c.coder.neutral))
	if p.Player == c.player && p.To == timeline.Forever {
		c.slots.own = l
		c.inputs.reset(l, &c.config)
	}
}

func (c *Client) leave(slot int, tick uint32, o *readResult) error {
	l := c.slots.at(slot)
	if l == nil || l.To != timeline.Forever {
		return fmt.Errorf("%w: leave in slot %d, which has no player", ErrMessage, slot)
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

// readCount reads the number of inputs of a lane.
func (c *Client) readCount(o *readResult) int {
	if !c.coder.R.Bool() {
		o.count = int(c.coder.readNumber(uint32(c.slots.keep)))
	}
	return o.count
}

// readLane reads inputs of a player.
func (c *Client) readLane(l *lane, tick uint32, o *readResult) error {
	k := c.coder
	end := int64(tick) - int64(k.readSigned())
	n := c.readCount(o)
	from := end - int64(n)
	if k.Failed() || from < int64(l.start) || end > maxTick || o.base > l.start && (o.base > l.end || l.at(o.base-1) == inputUnknown) {
		return fmt.Errorf("%w: inputs of ticks %d to %d with base %d; all inputs before %d have arrived", ErrMessage, from, end, o.base, l.end)
	}
	k.readInputs(n, l.previousInput(o.base, l.start), true, func(i int, words []int32) {
		switch at := uint32(from) + uint32(i); {
		case at < l.end || at >= l.To || at-l.fed >= uint32(c.slots.keep):
		case words == nil:
			l.set(at, inputAbsent, nil)
		default:
			l.set(at, inputKnown, words)
		}
	})
	o.gap = o.gap || int64(l.end) < min(end, int64(l.To))
	if !c.feedTimeline(l) {
		o.lost = true
	}
	return nil
}

// feedTimeline passes inputs of a lane to the timeline, as far ahead as the timeline accepts them. It returns false
// if an input changes a tick that is final here.
func (c *Client) feedTimeline(l *lane) bool {
	for ; l.fed < min(l.end, l.To); l.fed++ {
		var words []int32
		if l.at(l.fed) == inputKnown {
			words = l.input(l.fed)
		}
		switch c.timeline.Overrule(l.Player, l.fed, words) {
		case timeline.TooEarly:
			return true
		case timeline.TooOld:
			return false
		}
		if words == nil && l == c.slots.own && c.inputs.lane.at(l.fed) == inputKnown {
			c.stats.Overruled++
		}
	}
	return true
}
