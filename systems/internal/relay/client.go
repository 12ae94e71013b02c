package relay

import (
	"fmt"

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

	lanes []*lane // by slot; nil: free
	spare []*lane
	live  int // lanes in use
	keep  int // ticks that the server keeps
	own   *lane

	mine    *lane  // own inputs as they were gathered
	stamped uint32 // the next tick to be given one; 0: none has been
	delay   int    // of inputs
	need    int    // under lockstep, the least delay that would do for this client
	telling telling
	repeats int // messages that bring each input
	again   int // ticks between two messages that bring all
	slack   slack

	state    uint8 // that it goes on from; 0: it needs one
	arriving arriving
	newest   uint16 // number of the newest message, when any came
	any      bool
	heard    bool
	ack      uint16 // number of the newest message that was taken in
	events   int    // how many events it knows, of all there were
	tick     uint32 // the server's next one, in the newest message
	waited   uint32 // ticks that the server had not made then, though they were due
	horizon  uint32 // told

	checked  uint32 // tick of the last hash that was told
	agreed   uint32 // newest tick whose hash is known to be the server's
	reported uint32 // tick in which digests were, and 1
	suspect  int    // ticks that forced rollback looks on
	out      [][]byte
	scratch  []int32
	stats    ClientStats
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
		player: player, timeline: timeline.New(w, c.Timeline, listeners...), world: w, config: c, delay: c.Delay, need: c.Delay, waited: 1 << 16,
		repeats: usual, again: againEvery(w.TickRate()),
	}
	l.coder = coderOf(w)
	l.mine = newLane(mineKept, len(l.coder.neutral))
	l.scratch = make([]int32, len(l.coder.neutral))
	return l
}

// mineKept is for how many ticks own inputs are kept: more than MaxDelay and Redundancy.
const mineKept = 1024

// maxSlots bounds the slots that a server may speak of.
const maxSlots = 4096

// Timeline is the client's timeline, for looking, and for its [timeline.Stats].
func (c *Client) Timeline() *timeline.Timeline { return c.timeline }

// Stats are the counts so far.
func (c *Client) Stats() ClientStats { return c.stats }

// Following reports whether the client has a state of the world and simulates.
func (c *Client) Following() bool { return c.state != 0 }

// Playing reports whether the client has heard that its player is in the game.
func (c *Client) Playing() bool { return c.state != 0 && c.own != nil }

// ServerTick is the server's next tick as of the newest message, 0 before the first.
func (c *Client) ServerTick() uint32 { return c.tick }

// Waited is how many ticks that were due the server had not made by then, as it stood still, or as inputs were missing
// under lockstep: together with the ticks that it has made they are its time. It counts from anywhere.
func (c *Client) Waited() uint32 { return c.waited }

// Delay is how many ticks after it was gathered an input applies now.
func (c *Client) Delay() int { return c.delay }

// Lag is how many ticks behind the server a client should be under lockstep: half of the delay of everybody's inputs,
// which is what the way from the server may take, so that all show a tick at the same time.
func (c *Client) Lag() float64 {
	if !c.config.Timeline.Wait {
		return 0
	}
	return float64(c.delay) / 2
}

// Due reports whether the next [Client.Step] uses the input that it is given. It does not while
// lockstep waits, while the client catches up over ticks whose inputs the server has told, and once in a while
// when the delay becomes shorter.
func (c *Client) Due() bool {
	return c.Playing() && max(c.stamped, c.own.end) <= c.timeline.Next()+uint32(c.delay)
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
	for _, l := range c.lanes {
		if l != nil && !c.feed(l) {
			c.lose()
			return false
		}
	}
	if c.suspect > 0 {
		if c.suspect--; c.suspect == 0 {
			c.world.ForceRollback(nil)
		}
	}
	if !c.timeline.Step() {
		return false
	}
	c.retire()
	return true
}

// Repeat says in how many messages in a row the server is sent each input, 1 to 24: as many as make it improbable
// that all of them are lost. It is 6 until it is called; other numbers are taken for the nearest.
func (c *Client) Repeat(messages int) { c.repeats = min(max(messages, 1), maxRepeats) }

// Foresee gives all players the inputs that the next tick would be simulated with if it were now,
// for a look at a part of it; see [timeline.Timeline.Foresee]. own is asked for the player's,
// quantized, where that tick has none yet: its words are good until it is asked again.
func (c *Client) Foresee(own func() []int32) {
	var words []int32
	if c.Playing() && c.stamped <= c.timeline.Next() {
		words = own()
	}
	c.timeline.Foresee(c.player, words)
}

// Ahead is how many ticks the server has told all of that are not simulated yet: as often
// lockstep can Step now.
func (c *Client) Ahead() int {
	return int(c.horizon - min(c.horizon, c.timeline.Next()))
}

// waits reports whether the next tick cannot be simulated before more is heard: under
// lockstep all of it; else as much as keeps what may change within the window.
func (c *Client) waits() bool {
	next := c.timeline.Next()
	if c.config.Timeline.Wait {
		return c.horizon <= next
	}
	return next >= c.horizon+uint32(c.config.Timeline.Window)
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
	to := c.timeline.Next() + uint32(c.delay)
	c.stamped = max(c.stamped, c.own.end, 1)
	if c.stamped < to {
		copy(c.scratch, c.coder.neutral)
		if c.mine.at(c.stamped-1) == real {
			copy(c.scratch, c.mine.input(c.stamped-1))
			c.coder.snap(c.scratch, true)
		}
		for c.stamped < to {
			c.give(c.scratch)
		}
	}
	if c.stamped == to {
		copy(c.scratch, words)
		c.coder.snap(c.scratch, false)
		c.give(c.scratch)
	}
}

// give makes words the input of the next tick that has none.
func (c *Client) give(words []int32) {
	c.mine.set(c.stamped, real, words)
	c.slack.given[c.stamped%mineKept] = c.slack.frame
	c.timeline.Put(c.player, c.stamped, words)
	c.stamped++
}

// Append appends to dst what the server is to be told now, in at most limit bytes: once a
// tick, after [Client.Step], whether that has simulated or not. limit is at least 128.
func (c *Client) Append(dst []byte, limit int) []byte {
	c.slack.frame++
	m := up{state: c.state, heard: c.heard, ack: c.ack, needs: c.config.Timeline.Wait && c.own != nil, need: uint8(c.need)}
	if c.state != 0 {
		m.ready = c.heard && c.timeline.Next()+readyWithin >= c.tick
		tick, sum, ok := checkpoint(c.timeline, c.config.Checks)
		if m.check = ok && tick != c.checked; m.check {
			c.checked, m.checkTick, m.checkSum = tick, tick, uint32(sum)
		}
	}
	var before []int32
	from := uint32(0)
	if c.own != nil && c.stamped > c.own.end {
		t := &c.telling
		t.acked = c.own.end
		from = max(t.from(c.stamped, c.repeats, c.again), c.stamped-min(c.stamped, uint32(c.config.Redundancy)))
		before = c.own.before(c.own.end, c.own.start)
		room := limit*8 - upBits - 8
		for n := int(c.stamped - from); n > 1 && c.coder.fit(c.mine, from, n, before, room) < n; n = int(c.stamped - from) {
			from += uint32(n / 2)
		}
		m.count, m.first = int(c.stamped-from), uint16(from)
		if before != nil {
			m.back = from - c.own.end + 1
		}
		c.stats.Sent += uint64(m.count)
		if m.count > 0 {
			t.told(from, c.stamped)
		}
	}
	c.coder.W.Reset(dst)
	c.coder.writeUp(&m)
	c.coder.write(c.mine, from, m.count, before, false)
	return c.coder.W.Bytes()
}

// readyWithin is how many ticks behind the server's last word a client may be that
// says it is ready to play.
const readyWithin = 4

// seat notes a presence that the timeline has been told.
func (c *Client) seat(slot int, p timeline.Presence, start uint32) {
	for len(c.lanes) <= slot {
		c.lanes = append(c.lanes, nil)
	}
	l := c.lanes[slot]
	if l == nil {
		n := len(c.spare)
		if n > 0 {
			l, c.spare = c.spare[n-1], c.spare[:n-1]
		}
		if l == nil || len(l.ring) != c.keep {
			l = newLane(c.keep, len(c.coder.neutral))
		}
		c.lanes[slot] = l
		c.live++
	}
	l.begin(p, start)
	if p.Player == c.player && p.To == timeline.Forever {
		c.own, c.stamped = l, 0
		c.telling.begin(l.end)
		clear(c.mine.ring)
		if c.config.Timeline.Wait && c.slack.worst == [2]int{} {
			c.need = min(max(int(p.First-p.From), c.config.Delay), c.config.MaxDelay) // until it is known better
		}
	}
}

// retire frees the lanes of those who left so long ago that nothing goes back there.
func (c *Client) retire() {
	for slot, l := range c.lanes {
		if l != nil && l.To != timeline.Forever && l.end >= l.To && uint64(l.To)+uint64(c.config.Timeline.Window) < uint64(c.timeline.Next()) {
			c.spare = append(c.spare, l)
			c.lanes[slot] = nil
			c.live--
		}
	}
}
