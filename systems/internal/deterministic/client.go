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

// Client simulates everything from the inputs of all players. Under rollback it stays at the server's tick and
// guesses inputs that have not arrived. Under lockstep it simulates a tick when the inputs have arrived, at the
// same time as all other clients.
type Client struct {
	Pace
	// Counts counts the sent datagrams.
	Counts Counts

	channel          int
	inputs           *inputgather.System
	table            *schema.Table
	view             *interpolate.Present
	words            []int32 // input for the coming tick
	shown            []int32 // memory for the input of a frame
	currentInputFunc func() []int32
	advanced         bool // a tick was simulated since the last drawn frame
	loaded           bool // a state of the world has arrived
	packet           []byte
}

// Counts counts what a client sent.
type Counts struct {
	Bytes  uint64 // bytes of datagrams
	Errors uint64 // datagrams that the session refused
}

// ClientParts holds what a client needs.
type ClientParts struct {
	World     *ecs.World
	Player    uint32
	Session   netsys.Session
	Time      Time
	Channel   int // channel of reliable messages: see BulkChannel
	Inputs    *inputgather.System
	Table     *schema.Table // of the input component
	Relay     relay.ClientConfig
	Drawing   interpolate.Parts
	Followers timeline.Listener
	Replay    bool // it plays a recording: under rollback it shows few ticks that may still change
}

// NewClient returns a client.
func NewClient(p ClientParts) *Client {
	c := &Client{
		channel: p.Channel, inputs: p.Inputs, table: p.Table,
		words: p.Table.NeutralWords(), shown: p.Table.NeutralWords(),
	}
	c.view = interpolate.NewPresent(p.Drawing, func() uint32 { return c.relay.Timeline().Next() })
	c.Pace = Pace{replay: p.Replay && !p.Relay.Timeline.Wait, time: p.Time, session: p.Session, since: clock.Ticks{Start: p.Time.Now(), Step: p.World.StepDuration()}}
	p.Relay.Replay = p.Replay
	c.relay = relay.NewClient(p.World, p.Player, p.Relay, p.Followers, c.view)
	c.clock.Snap = snapAway * float64(p.World.TickRate())
	c.currentInputFunc = c.currentInput
	return c
}

// Relay returns the client's end of package relay, for inspection.
func (c *Client) Relay() *relay.Client { return c.relay }

// Record returns a recorder of what the client knows. See [relay.Client.Record].
func (c *Client) Record(channels channel.Config) *relay.Recorder {
	_, longest := BulkChannel(channels)
	return c.relay.Record(partSize(longest), limit)
}

// View returns the system that writes the drawn view.
func (c *Client) View() *interpolate.System { return c.view.System }

// Receive processes a datagram.
func (c *Client) Receive(pk netsys.Packet) error {
	b, err := ParseDatagram(pk.Data)
	if err != nil {
		return err
	}
	if err := c.relay.Receive(pk.Seq, b); err != nil {
		return err
	}
	c.receive(pk.At)
	return nil
}

// Message processes a part of the state of the world. own is false if the message belongs to another receiver.
func (c *Client) Message(number int, message []byte) (own bool, err error) {
	b, ok := ParseMessage(message)
	if !ok || number != c.channel {
		return false, nil
	}
	return true, c.relay.Deliver(b)
}

// Loaded reports whether a state of the world has arrived. Call it after all received messages were processed.
func (c *Client) Loaded() bool {
	c.loaded = c.loaded || c.relay.Following()
	return c.loaded
}

// Reconcile is a system. It simulates ticks again whose guessed inputs turned out wrong.
func (c *Client) Reconcile(*ecs.World) {
	c.view.BeginStep(c.relay.Timeline().Next())
	if c.relay.Following() {
		c.relay.Timeline().Resimulate()
	}
	c.view.EndStep()
}

// Gather is the system InputGather. It asks the game for the input of the coming tick if that input will be used.
func (c *Client) Gather(w *ecs.World) {
	if c.relay.Due() {
		c.inputs.Run(w)
		c.words = c.inputs.Log.Words(c.inputs.Log.Newest)
	}
}

// Predict is a system. It simulates the next tick, after ticks that own inputs have changed.
func (c *Client) Predict(*ecs.World) {
	c.view.BeginStep(c.relay.Timeline().Next())
	if c.stepped = false; c.held {
		c.relay.GiveInput(c.words)
	} else {
		c.stepped = c.relay.Step(c.words)
	}
	c.view.EndStep()
	c.advanced = c.advanced || c.stepped
	c.held = false
}

// Send is a system. It sends inputs that the server has not acknowledged.
func (c *Client) Send(*ecs.World) {
	c.relay.SetRepeats(repeats(c.session.Stats(), c.since.Step))
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
		c.relay.Sent() // a report that is too long for the channel is dropped
	}
}

// Interpolate is a system. It draws all entities at the present tick. The view stalls if no tick was simulated
// since the last frame.
func (c *Client) Interpolate(w *ecs.World) {
	if c.loaded && !c.advanced && !c.stepped {
		c.view.Stall()
	}
	c.advanced = false
	c.view.Run(w)
}

// Applied returns the newest simulated tick, which under these models is the number of its input.
func (c *Client) Applied() uint32 {
	if next := c.relay.Timeline().Next(); c.relay.Playing() && next > 0 {
		return next - 1
	}
	return 0
}

// Gathering returns the tick of the input that the game is filling in, which is its number.
func (c *Client) Gathering() uint32 { return c.relay.Timeline().Next() + uint32(c.relay.Delay()) }

// Coming returns the timeline's next tick, in which everything is simulated.
func (c *Client) Coming() (tick, input uint32, share float64) {
	tick = c.relay.Timeline().Next()
	switch {
	case !c.relay.Following():
		return tick, tick, 0
	case !c.stepped:
		return tick, tick, 1 // the tick was due and was not simulated: the view has drawn all of it already
	}
	return tick, tick, c.time.Passed()
}

// Foresee sets the known and guessed inputs of all players for the coming tick.
func (c *Client) Foresee(uint32) { c.relay.PredictInputs(c.currentInputFunc) }

// currentInput returns the input as the game gathers it for this frame.
func (c *Client) currentInput() []int32 {
	if p := c.inputs.Now(); p != nil {
		c.table.Quantize(c.shown, c.table.Words, p, 1)
	}
	return c.shown
}

// Differs compares the world with the server's after the newest tick that is final on both. It returns an error
// that describes the first difference.
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
