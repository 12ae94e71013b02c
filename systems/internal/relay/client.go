package relay

import (
	"fmt"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// Client is the end that follows: it gives its own inputs to its timeline and to the
// server, and those that the server tells of others. It belongs to the goroutine of its
// world.
type Client struct {
	player   uint32
	timeline *timeline.Timeline
	world    *ecs.World
	config   ClientConfig
	coder    *coder

	slots    slots
	inputs   ownInputs
	state    uint8 // that it goes on from; 0: it needs one
	arriving arriving
	heard    heard
	checks   clientChecks
	stats    ClientStats
}

// heard is what the server has told beside inputs, and in which messages.
type heard struct {
	newest  uint16 // number of the newest message, when any came
	any     bool
	acks    bool
	ack     uint16 // number of the newest message that was taken in
	events  int    // how many are known, of all there were
	tick    uint32 // the server's next one, in the newest message
	waited  uint32 // ticks that the server had not made then, though they were due
	horizon uint32
}

// comes notes that a message has come, and reports whether newer ones came before.
func (h *heard) comes(seq uint16) (old bool) {
	if h.any && !codec.Newer(seq, h.newest) {
		return true
	}
	h.any, h.newest = true, seq
	return false
}

// taken notes that all of a message was taken in.
func (h *heard) taken(seq uint16) {
	if !h.acks || codec.Newer(seq, h.ack) {
		h.acks, h.ack = true, seq
	}
}

// resume begins anew with a state of the world before a tick.
func (h *heard) resume(tick uint32, events int) {
	h.events, h.tick, h.horizon, h.acks = events, tick, tick, false
}

// NewClient makes the end of a player for a world that simulates everything: one not made with
// ecs.Config.Client. What is in the world is replaced by the server's when that
// comes. It panics when c is not valid.
func NewClient(w *ecs.World, player uint32, c ClientConfig, listeners ...timeline.Listener) *Client {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	c = c.defaulted(w.TickRate())
	l := &Client{
		player: player, timeline: timeline.New(w, c.Timeline, listeners...), world: w, config: c, coder: coderOf(w),
		heard: heard{waited: 1 << 16},
	}
	l.inputs.init(c.Delay, w.TickRate(), len(l.coder.neutral))
	return l
}

// maxSlots bounds the slots that a server may speak of.
const maxSlots = 4096

// Timeline is the client's timeline, for looking, and for its [timeline.Stats].
func (c *Client) Timeline() *timeline.Timeline { return c.timeline }

// Stats are the counts so far.
func (c *Client) Stats() ClientStats { return c.stats }

// Following reports whether the client has a state of the world and simulates.
func (c *Client) Following() bool { return c.state != 0 }

// Playing reports whether the client has heard that its player is in the game.
func (c *Client) Playing() bool { return c.state != 0 && c.slots.own != nil }

// ServerTick is the server's next tick as of the newest message, 0 before the first.
func (c *Client) ServerTick() uint32 { return c.heard.tick }

// Waited is how many ticks that were due the server had not made by then, as it stood still, or as inputs were missing
// under lockstep: together with the ticks that it has made they are its time. It counts from anywhere.
func (c *Client) Waited() uint32 { return c.heard.waited }

// Delay is how many ticks after it was gathered an input applies now.
func (c *Client) Delay() int { return c.inputs.delay }

// Lag is how many ticks behind the server a client should be under lockstep: half of the delay of everybody's inputs,
// which is what the way from the server may take, so that all show a tick at the same time.
func (c *Client) Lag() float64 {
	if !c.config.Timeline.Wait {
		return 0
	}
	return float64(c.inputs.delay) / 2
}

// Due reports whether the next [Client.Step] uses the input that it is given. It does not while
// lockstep waits, while the client catches up over ticks whose inputs the server has told, and once in a while
// when the delay becomes shorter.
func (c *Client) Due() bool {
	return c.Playing() && max(c.inputs.next, c.slots.own.end) <= c.timeline.Next()+uint32(c.inputs.delay)
}

// Step gives the input gathered for this tick, in words as the input's table quantizes it,
// and simulates the next tick, after what has changed. It
// does nothing and reports false before a state of the world has come, under lockstep until the
// server has told the tick, and when the server has told nothing for a window: call it
// again in the next frame. It panics unless there are as many words as an input has.
func (c *Client) Step(words []int32) bool {
	if c.Hold(words); c.state == 0 || c.waits() {
		return false
	}
	for _, l := range c.slots.lanes {
		if l != nil && !c.feed(l) {
			c.lose()
			return false
		}
	}
	c.checks.step(c.world)
	if !c.timeline.Step() {
		return false
	}
	c.slots.retire(c.timeline.Next(), c.config.Timeline.Window)
	return true
}

// Repeat says in how many messages in a row the server is sent each input, 1 to 24: as many as make it improbable
// that all of them are lost. It is 6 until it is called; other numbers are taken for the nearest.
func (c *Client) Repeat(messages int) { c.inputs.repeats = min(max(messages, 1), maxRepeats) }

// Foresee gives all players the inputs that the next tick would be simulated with if it were now,
// for a look at a part of it; see [timeline.Timeline.Foresee]. own is asked for the player's,
// quantized, where that tick has none yet: its words are good until it is asked again.
func (c *Client) Foresee(own func() []int32) {
	var words []int32
	if c.Playing() && c.inputs.next <= c.timeline.Next() {
		words = own()
	}
	c.timeline.Foresee(c.player, words)
}

// Ahead is how many ticks the server has told all of that are not simulated yet: as often
// lockstep can Step now.
func (c *Client) Ahead() int {
	return int(c.heard.horizon - min(c.heard.horizon, c.timeline.Next()))
}

// waits reports whether the next tick cannot be simulated before more is heard: under
// lockstep all of it; else as much as keeps what may change within the window.
func (c *Client) waits() bool {
	next := c.timeline.Next()
	if c.config.Timeline.Wait {
		return c.heard.horizon <= next
	}
	return next >= c.heard.horizon+uint32(c.config.Timeline.Window)
}

// Hold gives the input as [Client.Step] does and simulates nothing: for a client that is further ahead
// than it should be, whose inputs others wait for all the same. It panics as Step does.
func (c *Client) Hold(words []int32) {
	if len(words) != len(c.coder.neutral) {
		panic(fmt.Sprintf("relay: an input of %d words; the input has %d", len(words), len(c.coder.neutral)))
	}
	if c.Playing() {
		c.stamp(words)
	}
}

// stamp gives inputs to the ticks up to that which this one is for, but to those of which the server has
// told. Before the first one they are neutral; where the delay became longer the last one is repeated.
func (c *Client) stamp(words []int32) {
	in, to := &c.inputs, c.timeline.Next()+uint32(c.inputs.delay)
	in.next = max(in.next, c.slots.own.end, 1)
	if in.next < to {
		copy(in.scratch, c.coder.neutral)
		if in.lane.at(in.next-1) == real {
			copy(in.scratch, in.lane.input(in.next-1))
			c.coder.snap(in.scratch, true)
		}
		for in.next < to {
			c.give()
		}
	}
	if in.next == to {
		copy(in.scratch, words)
		c.coder.snap(in.scratch, false)
		c.give()
	}
}

// give makes the words in scratch the input of the next tick that has none.
func (c *Client) give() {
	c.timeline.Put(c.player, c.inputs.next, c.inputs.scratch)
	c.inputs.give()
}

// Append appends to dst what the server is to be told now, in at most limit bytes: once a
// tick, after [Client.Step], whether that has simulated or not. limit is at least 128.
func (c *Client) Append(dst []byte, limit int) []byte {
	in, own := &c.inputs, c.slots.own
	in.slack.frame++
	m := up{state: c.state, heard: c.heard.acks, ack: c.heard.ack, needs: c.config.Timeline.Wait && own != nil, need: uint8(in.need)}
	if c.state != 0 {
		m.ready = c.heard.acks && c.timeline.Next()+readyWithin >= c.heard.tick
		m.checkTick, m.checkSum, m.check = c.checks.due(c.timeline, c.config.Checks)
	}
	var before []int32
	from := uint32(0)
	if own != nil && in.next > own.end {
		from = in.due(own.end, c.config.Redundancy)
		before = own.before(own.end, own.start)
		room := limit*8 - upBits - 8
		for n := int(in.next - from); n > 1 && c.coder.fit(in.lane, from, n, before, room) < n; n = int(in.next - from) {
			from += uint32(n / 2)
		}
		m.count, m.first = int(in.next-from), uint16(from)
		if before != nil {
			m.back = from - own.end + 1
		}
		c.stats.Sent += uint64(m.count)
		if m.count > 0 {
			in.telling.told(from, in.next)
		}
	}
	c.coder.W.Reset(dst)
	c.coder.writeUp(&m)
	c.coder.write(in.lane, from, m.count, before, false)
	return c.coder.W.Bytes()
}

// readyWithin is how many ticks behind the server's last word a client may be that
// says it is ready to play.
const readyWithin = 4
