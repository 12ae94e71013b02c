package deterministic

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/inputgather"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/interpolate"
)

// Client simulates everything from the inputs of all players: under rollback at
// the server's tick, by guesses until they come; under lockstep when they have come, and at the
// same time as everybody, so that nobody answers earlier than others to what it sees.
type Client struct {
	Pace
	// Counts are what was sent.
	Counts Counts

	channel  int
	inputs   *inputgather.System
	table    *schema.Table
	view     *interpolate.Present
	words    []int32 // gathered for the coming tick
	shown    []int32 // room for the input of a frame
	ask      func() []int32
	advanced bool // since the last frame drawn
	loaded   bool // it has had a state of the world
	packet   []byte
}

// Counts count what a client sent.
type Counts struct {
	Bytes  uint64 // of datagrams
	Errors uint64 // datagrams that the wire refused
}

// ClientParts are what a client needs.
type ClientParts struct {
	World     *ecs.World
	Player    uint32
	Session   netsys.Session
	Time      Time
	Channel   int // for reliable messages: see BulkChannel
	Inputs    *inputgather.System
	Table     *schema.Table // of an input
	Relay     relay.ClientConfig
	Drawing   interpolate.Parts
	Followers timeline.Listener
}

// NewClient makes the end that follows.
func NewClient(p ClientParts) *Client {
	c := &Client{
		channel: p.Channel, inputs: p.Inputs, table: p.Table,
		words: make([]int32, p.Table.Words), shown: make([]int32, p.Table.Words),
	}
	c.view = interpolate.NewPresent(p.Drawing, func() uint32 { return c.relay.Timeline().Next() })
	c.Pace = Pace{time: p.Time, session: p.Session, since: clock.Ticks{Start: p.Time.Now(), Step: p.World.StepDuration()}}
	c.relay = relay.NewClient(p.World, p.Player, p.Relay, p.Followers, c.view)
	c.clock.Snap = snapAway * float64(p.World.TickRate())
	c.ask = c.wordsNow
	return c
}

// Relay is the end of package relay, for looking.
func (c *Client) Relay() *relay.Client { return c.relay }

// View is what draws.
func (c *Client) View() *interpolate.System { return c.view.System }

// Receive takes in a datagram.
func (c *Client) Receive(pk netsys.Packet) error {
	b, err := Datagram(pk.Data)
	if err != nil {
		return err
	}
	if err := c.relay.Receive(pk.Seq, b); err != nil {
		return err
	}
	c.receive(pk.At)
	return nil
}

// Message takes in a part of the state of the world; it reports false for a message that is
// somebody else's.
func (c *Client) Message(number int, message []byte) (own bool, err error) {
	b, ok := Message(message)
	if !ok || number != c.channel {
		return false, nil
	}
	return true, c.relay.Deliver(b)
}

// Loaded reports whether the client has had a state of the world. Ask when all that was received
// has been.
func (c *Client) Loaded() bool {
	c.loaded = c.loaded || c.relay.Following()
	return c.loaded
}

// Reconcile is the system: it simulates again what was guessed wrong, as far as that is known
// now.
func (c *Client) Reconcile(*ecs.World) {
	c.view.BeginStep(c.relay.Timeline().Next())
	if c.relay.Following() {
		c.relay.Timeline().Pass()
	}
	c.view.EndStep()
}

// Gather is the system InputGather: it asks the game for the input of the coming tick, when it
// will be used.
func (c *Client) Gather(w *ecs.World) {
	if c.relay.Due() {
		c.inputs.Run(w)
		c.words = c.inputs.Log.Words(c.inputs.Log.Newest)
	}
}

// Predict is the system: it simulates the next tick, and before it again what own inputs have
// changed since.
func (c *Client) Predict(*ecs.World) {
	c.view.BeginStep(c.relay.Timeline().Next())
	if c.stepped = false; c.held {
		c.relay.Hold(c.words)
	} else {
		c.stepped = c.relay.Step(c.words)
	}
	c.view.EndStep()
	c.advanced = c.advanced || c.stepped
	c.held = false
}

// Send is the system: it tells the server the inputs that it has not told to have.
func (c *Client) Send(*ecs.World) {
	c.relay.Repeat(repeats(c.session.Stats(), c.since.Step))
	c.packet = append(c.packet[:0], Kind)
	c.packet = c.relay.Append(c.packet, limit)
	if _, err := c.session.Send(c.time.Now(), c.packet); err != nil {
		c.Counts.Errors++
	} else {
		c.Counts.Bytes += uint64(len(c.packet))
	}
	for b := c.relay.Outgoing(); b != nil; b = c.relay.Outgoing() {
		c.packet = AppendMessage(c.packet[:0], b)
		if err := c.session.Channels().Send(c.channel, c.packet); errors.Is(err, channel.ErrFull) {
			break
		}
		c.relay.Sent() // a report that is too long for the channel is given up
	}
}

// Interpolate is the system: it draws everything in the present. The view stalls where no tick
// has come since the last frame.
func (c *Client) Interpolate(w *ecs.World) {
	if c.loaded && !c.advanced && !c.stepped {
		c.view.Stall()
	}
	c.advanced = false
	c.view.Run(w)
}

// Applied is the number of the newest tick, as inputs count with these.
func (c *Client) Applied() uint32 {
	if next := c.relay.Timeline().Next(); c.relay.Playing() && next > 0 {
		return next - 1
	}
	return 0
}

// Coming is the timeline's next tick, in which everything is simulated.
func (c *Client) Coming() (tick, input uint32, share float64) {
	tick = c.relay.Timeline().Next()
	switch {
	case !c.relay.Following():
		return tick, tick, 0
	case !c.stepped:
		return tick, tick, 1 // it was due and did not come: all of it is drawn already
	}
	return tick, tick, c.time.Passed()
}

// Foresee gives all players the inputs that are known of the coming tick, and guessed.
func (c *Client) Foresee(uint32) { c.relay.Foresee(c.ask) }

// wordsNow is the input as it is in this frame.
func (c *Client) wordsNow() []int32 {
	if p := c.inputs.Now(); p != nil {
		c.table.Quantize(c.shown, c.table.Words, p, 1)
	}
	return c.shown
}

// Differs compares the world with the server's after the newest tick that is final on both.
func (c *Client) Differs(ours *timeline.Timeline) error {
	if !c.relay.Following() {
		return fmt.Errorf("the client has no state of the world")
	}
	theirs := c.relay.Timeline()
	final := min(ours.Horizon(), theirs.Horizon())
	if final == 0 {
		return fmt.Errorf("no tick is final on both peers")
	}
	tick := final - 1
	a, okA := ours.Hash(tick)
	b, okB := theirs.Hash(tick)
	switch {
	case !okA || !okB:
		return fmt.Errorf("tick %d, the newest that is final on both, is %d ticks old", tick, ours.Next()-final)
	case a == b:
		return nil
	}
	x, errX := ours.AppendDigest(nil, tick)
	y, errY := theirs.AppendDigest(nil, tick)
	where := "the world"
	if errX == nil && errY == nil {
		where = ours.Divergence(x, y)
	}
	return fmt.Errorf("tick %d: %s differs: hash %016x on the client, %016x on the server", tick, where, b, a)
}
