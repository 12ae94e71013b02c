package relay

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// Client is the following end. It passes its own inputs to its timeline and to the server, and the other players'
// inputs from the server to its timeline. Use it only from the goroutine of its world.
type Client struct {
	player   uint32
	timeline *timeline.Timeline
	world    *ecs.World
	config   ClientConfig
	coder    *coder

	slots    slots
	inputs   ownInputs
	state    uint8 // number of the state that it uses; 0: it needs a state
	incoming incomingState
	server   serverInfo
	checks   clientChecks
	pace     clientPace
	recorder *Recorder // nil: nobody records
	verifier *verifier // nil: it plays with a server
	packet   []byte    // scratch
	stats    ClientStats
}

// serverInfo is what the server has sent besides inputs.
type serverInfo struct {
	newest  uint16 // sequence number of the newest message, if any
	any     bool
	hasAck  bool
	ack     uint16 // sequence number of the newest accepted message
	events  int    // number of known events, counted from the start
	tick    uint32 // the server's next tick in the newest message
	waited  uint32 // ticks that were due but that the server had not simulated; tick plus waited advances with real time
	horizon uint32
}

// recordArrival records the arrival of a message and reports whether newer messages arrived before.
func (h *serverInfo) recordArrival(seq uint16) (old bool) {
	if h.any && !codec.Newer(seq, h.newest) {
		return true
	}
	h.any, h.newest = true, seq
	return false
}

// recordAccepted records that a message was completely accepted.
func (h *serverInfo) recordAccepted(seq uint16) {
	if !h.hasAck || codec.Newer(seq, h.ack) {
		h.hasAck, h.ack = true, seq
	}
}

// restart starts over with a state of the world before a tick.
func (h *serverInfo) restart(tick uint32, events int) {
	h.events, h.tick, h.horizon, h.hasAck = events, tick, tick, false
}

// NewClient returns the end of a player for a world that simulates everything: a world made without
// ecs.Config.Client. The server's state replaces the contents of the world when it arrives. NewClient panics if c
// is invalid.
func NewClient(w *ecs.World, player uint32, c ClientConfig, listeners ...timeline.Listener) *Client {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	c = c.defaulted(w.TickRate())
	l := &Client{
		player: player, timeline: timeline.New(w, c.Timeline, listeners...), world: w, config: c, coder: newWorldCoder(w),
		server: serverInfo{waited: 1 << 16}, pace: newClientPace(c.Start, w.StepDuration(), w.TickRate()),
	}
	l.inputs.init(c.Delay, w.TickRate(), len(l.coder.neutral))
	if c.Replay {
		l.timeline.KeepSums()
		l.verifier = &verifier{timeline: l.timeline}
	}
	return l
}

// maxSlots is the largest number of slots that a server may use.
const maxSlots = 4096

// Timeline returns the client's timeline, for inspection and its [timeline.Stats].
func (c *Client) Timeline() *timeline.Timeline { return c.timeline }

// Stats returns the counters.
func (c *Client) Stats() ClientStats { return c.stats }

// Following reports whether the client has a state of the world and simulates.
func (c *Client) Following() bool { return c.state != 0 }

// Playing reports whether the client knows that its player is in the game.
func (c *Client) Playing() bool { return c.state != 0 && c.slots.own != nil }

// ServerTick returns the server's next tick in the newest message, 0 before the first message.
func (c *Client) ServerTick() uint32 { return c.server.tick }

// Delay returns the number of ticks between gathering an input and applying it.
func (c *Client) Delay() int { return c.inputs.delay }

// Due reports whether the next [Client.Step] uses the input that it receives. It does not use the input while
// lockstep waits, while the client catches up over ticks whose inputs are known, and sometimes when the delay
// becomes shorter.
func (c *Client) Due() bool {
	return c.Playing() && max(c.inputs.next, c.slots.own.end) <= c.timeline.Next()+uint32(c.inputs.delay)
}

// Step takes the input gathered for this tick, in quantized words, and simulates the next tick. Ticks that changed
// are simulated again first. Step returns false and simulates nothing before the first state of the world, under
// lockstep until the inputs of the tick have arrived, when nothing has arrived from the server for a window, and when
// [Client.Rate] found the client too far ahead. In these cases call it again in the next frame. Other peers wait for the
// input, so Step takes it even then. Step panics if len(words) differs from the words of an input.
func (c *Client) Step(words []int32) bool {
	if len(words) != len(c.coder.neutral) {
		panic(fmt.Sprintf("relay: an input of %d words; the input has %d", len(words), len(c.coder.neutral)))
	}
	if c.Playing() {
		c.assignInput(words)
	}
	c.pace.stepped = !c.pace.held && c.simulate()
	c.pace.held = false
	return c.pace.stepped
}

// simulate simulates the next tick if it can.
func (c *Client) simulate() bool {
	if c.state == 0 || c.mustWait() {
		return false
	}
	for _, lanes := range [][]*lane{c.slots.left, c.slots.lanes} {
		for _, l := range lanes {
			if l != nil && !c.feedTimeline(l) {
				c.requestState()
				return false
			}
		}
	}
	c.slots.left = slices.DeleteFunc(c.slots.left, func(l *lane) bool { return l.fed == l.To })
	c.checks.countTick(c.world)
	if !c.timeline.Step() {
		return false
	}
	c.slots.retire(c.timeline.Next(), c.config.Timeline.Window)
	return true
}

// SetRepeats sets in how many consecutive messages each input is sent to the server, clamped to 1 to 24. Choose a
// number that makes the loss of all of them improbable. Default: 6.
func (c *Client) SetRepeats(messages int) { c.inputs.repeats = min(max(messages, 1), maxRepeats) }

// PredictInputs gives all players the inputs that the next tick would use if it were simulated now, to draw a part
// of that tick; see [timeline.Timeline.PredictInputs]. It calls own for the player's quantized input if that tick
// has none yet. The words that own returns are valid until the next call of own.
func (c *Client) PredictInputs(own func() []int32) {
	var words []int32
	if c.Playing() && c.inputs.next <= c.timeline.Next() {
		words = own()
	}
	c.timeline.PredictInputs(c.player, words)
}

// Ahead returns how many ticks with complete inputs are not simulated yet. Under lockstep, Step can succeed as many
// times now.
func (c *Client) Ahead() int {
	return int(c.server.horizon - min(c.server.horizon, c.timeline.Next()))
}

// mustWait reports whether the next tick has to wait for messages: under lockstep for its inputs, otherwise until
// all ticks that may still change are within the window.
func (c *Client) mustWait() bool {
	next := c.timeline.Next()
	if c.config.Timeline.Wait {
		return c.server.horizon <= next
	}
	return next >= c.server.horizon+uint32(c.config.Timeline.Window)
}

// assignInput assigns the input to its tick and fills ticks without an input before it. Ticks before the first
// input receive the neutral input. Where the delay has grown, the last input is repeated. Ticks whose input the
// server has sent are left out.
func (c *Client) assignInput(words []int32) {
	in, to := &c.inputs, c.timeline.Next()+uint32(c.inputs.delay)
	in.next = max(in.next, c.slots.own.end, 1)
	if in.next < to {
		copy(in.scratch, c.coder.neutral)
		if in.lane.at(in.next-1) == inputKnown {
			copy(in.scratch, in.lane.input(in.next-1))
			c.coder.snapInput(in.scratch, true)
		}
		for in.next < to {
			c.appendInput()
		}
	}
	if in.next == to {
		copy(in.scratch, words)
		c.coder.snapInput(in.scratch, false)
		c.appendInput()
	}
}

// appendInput makes the words in scratch the input of the next tick without an input.
func (c *Client) appendInput() {
	c.timeline.Put(c.player, c.inputs.next, c.inputs.scratch)
	c.inputs.appendInput()
}

// Append appends the message to the server to dst, in at most limit bytes. Call it once per tick after
// [Client.Step], whether or not Step simulated. limit must be at least 128.
func (c *Client) Append(dst []byte, limit int) []byte {
	in, own := &c.inputs, c.slots.own
	in.slack.frame++
	m := up{state: c.state, heard: c.server.hasAck, ack: c.server.ack, needs: c.config.Timeline.Wait && own != nil, need: uint8(in.need)}
	if c.state != 0 {
		m.ready = c.server.hasAck && c.timeline.Next()+readyWithin >= c.server.tick
		m.checkTick, m.checkSum, m.check = c.checks.dueHash(c.timeline)
	}
	var before []int32
	from := uint32(0)
	if own != nil && in.next > own.end {
		from = in.firstToSend(own.end)
		before = own.previousInput(own.end, own.start)
		room := limit*8 - upBits - 8
		for n := int(in.next - from); n > 1 && c.coder.countFitting(in.lane, from, n, before, room) < n; n = int(in.next - from) {
			from += uint32(n / 2)
		}
		m.count, m.first = int(in.next-from), uint16(from)
		if before != nil {
			m.back = from - own.end + 1
		}
		c.stats.Sent += uint64(m.count)
		if m.count > 0 {
			in.sender.recordSent(from, in.next)
		}
	}
	c.coder.W.Reset(dst)
	c.coder.writeUp(&m)
	c.coder.writeInputs(in.lane, from, m.count, before, false)
	return c.coder.W.Bytes()
}

// readyWithin is the maximum number of ticks behind the server at which a client reports that it is ready to play.
const readyWithin = 4
