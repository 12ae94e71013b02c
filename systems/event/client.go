package event

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
)

// ClientConfig configures a [Client]. The zero value is fine.
type ClientConfig struct {
	// OnRefusal is called in Receive when the server says that it did not take an event
	// of this client. Default (nil): they are counted.
	OnRefusal func(r Refusal)

	// Limit is how many events of inputs that are not confirmed can wait, and again
	// how many that the channel does not take yet. More are counted in
	// Stats.Overflowed and not sent. Default (0): 1024.
	Limit int

	// Waiting is how many events of the server wait for their tick. When there are
	// more, the oldest is handled early. Default (0): 1024.
	Waiting int
	// WaitingBytes bounds the bytes of these. Default (0): 256 KiB.
	WaitingBytes int
}

// Validate reports what is wrong with c; it never changes it.
func (c ClientConfig) Validate() error {
	return errors.Join(
		validLimit("ClientConfig.Limit", c.Limit),
		validLimit("ClientConfig.Waiting", c.Waiting),
		validLimit("ClientConfig.WaitingBytes", c.WaitingBytes),
	)
}

// Origin is where an event that a client gets comes from.
type Origin struct {
	// Tick is the server's tick that raised it, or the one that came next where it
	// was raised outside Simulate.
	Tick uint32
	// About is the entity of an event to its owner or viewers; 0 for other events.
	// This client may not have it any more.
	About components.NetID
}

// Client is the events of a client's world. It belongs to the goroutine of the world.
type Client struct {
	log
	config   ClientConfig
	channels Channels // nil when not connected
	reader   codec.ByteReader
	refused  refusal
	waiting  waiting
	resent   uint64 // the number of messages that are sent again
	session  uint32
	left     resumable // the channels of the session that has ended
	former   []former  // the newest first
}

// NewClient returns the events of a client, without a world yet, for [OnClient]. It panics
// when c is not valid.
func NewClient(r *Registry, c ClientConfig) *Client {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	c.Waiting = cmp.Or(c.Waiting, DefaultLimit)
	c.WaitingBytes = cmp.Or(c.WaitingBytes, 256<<10)
	cl := &Client{config: c}
	cl.init(r, c.Limit, false)
	cl.resent = r.resentNumber()
	cl.waiting.ordered = make([]uint32, len(r.channels))
	return cl
}

// OnClient says what a client does about events of a type: handle runs once for each, in
// Deliver, outside Simulate, and may raise events. It changes nothing that Simulate
// reads; lasting effects travel in the state. Under Rollback and Lockstep, where it would make
// peers differ, [ecs.Handle] refuses that. v is valid during the call. It panics when
// the type has a handler, and when the server may not raise it.
func OnClient[T any](c *Client, handle func(w *ecs.World, at Origin, v *T)) {
	k := c.registry.kindOf("OnClient", reflect.TypeFor[T]())
	b := c.bound[k.index].(*bound[T])
	switch {
	case k.options.From&FromServer == 0:
		panic(fmt.Sprintf("event: OnClient[%s]: the type is %v: register it with Options.From", k.name, k.options.From))
	case b.handle != nil:
		panic(fmt.Sprintf("event: OnClient[%s] twice; call both from one", k.name))
	}
	b.handle = handle
}

// Join says that the client is connected, in a session that the server knows by the same number: this is its world, where it is stored for
// [Raise], and events go out on these channels. What is left of another world is
// forgotten; so one Client can serve several connections, one after the other. It
// panics when the world has events.
func (c *Client) Join(w *ecs.World, session uint32, channels Channels) {
	for i := range c.waiting.events {
		c.put(c.waiting.events[i].words)
	}
	c.waiting.clear()
	c.former = nil
	c.join(w, session, channels)
}

func (c *Client) join(w *ecs.World, session uint32, channels Channels) {
	c.attach(w)
	c.session, c.channels, c.left = session, channels, nil
}

// Leave says that the client is not connected any more. What is raised then is dropped.
func (c *Client) Leave() {
	if c.channels != nil {
		c.left, _ = c.channels.(resumable)
	}
	c.channels = nil
}

// Receive takes in a message that the server sent on a channel. An event waits for
// [Client.Deliver]; of a refusal OnRefusal is told. It reports false for a message of a
// type that is neither, which is somebody else's.
//
// Errors: [ErrEvent].
func (c *Client) Receive(channel int, message []byte) (event bool, err error) {
	n, err := number(&c.reader, message)
	if err != nil {
		return true, err
	}
	again := n == c.resent
	if again {
		var seen bool
		if n, seen, err = c.seen(channel); seen || err != nil {
			return true, err
		}
	}
	k := c.registry.byNumber[n]
	if again && (k == nil || !k.reliable()) {
		return true, fmt.Errorf("%w: a message of type %d is sent again", ErrEvent, n)
	}
	if k == nil {
		if !c.registry.isRefusal(n) {
			return false, nil
		}
		r, err := c.registry.readRefusal(message, &c.refused)
		if err != nil {
			return true, err
		}
		c.stats.Refusals++
		if c.config.OnRefusal != nil {
			c.config.OnRefusal(r)
		}
		return true, nil
	}
	h, err := k.readHead(&c.reader, channel, true)
	if err != nil {
		return true, err
	}
	b := c.bound[k.index]
	if err := b.read(k.prefix, h.words); err != nil {
		return true, err
	}
	c.stats.Received++
	if !b.handled() {
		c.stats.Unhandled++
		return true, nil
	}
	c.waiting.add(&h, append(c.take(), h.words...))
	for len(c.waiting.events) > c.config.Waiting || c.waiting.bytes > c.config.WaitingBytes {
		c.stats.Early++
		c.play(c.waiting.first())
	}
	return true, nil
}

// Deliver calls the handlers of the events whose time has come: ticks is how many ticks
// of the server are in the confirmed state of this client, as a snapshot says. Call it
// when the state that was received is in the world.
func (c *Client) Deliver(ticks uint32) {
	for c.waiting.due(ticks) {
		c.play(c.waiting.first())
	}
}

// play calls the handler of an event.
func (c *Client) play(w waitingEvent) {
	b := c.bound[w.kind.index]
	err := b.read(w.kind.prefix, w.words)
	c.put(w.words)
	if err != nil {
		return // it was read before: this cannot be
	}
	c.stats.Handled++
	ecs.Handle(c.world, w.kind.handler, func() {
		b.play(c.world, Origin{Tick: w.tick, About: components.NetID(w.about)})
	})
}

// Settle says that inputs before the horizon, the one after the last that the server has
// confirmed, are final, and hands what was raised to the channels: at the end of each
// step, before its packet goes out. What a reliable channel has no room for waits for
// the next step. A horizon that lies before an earlier one changes nothing. It panics
// within a tick.
func (c *Client) Settle(horizon uint32) {
	c.settle(horizon)
	if c.channels == nil {
		c.drop()
		return
	}
	kept, full := 0, uint64(0) // channels that hold what comes after
	for i := range c.outbox {
		o := c.outbox[i]
		err := channel.ErrFull
		if full>>o.kind.channel&1 == 0 {
			err = c.channels.Send(o.kind.channel, o.message)
		}
		switch {
		case err == nil:
			c.stats.Sent++
		case errors.Is(err, channel.ErrFull) && o.kind.reliable():
			full |= 1 << o.kind.channel
			c.outbox[kept] = o
			kept++
			continue
		default:
			c.stats.Unsent++
		}
		c.put(o.message)
	}
	clear(c.outbox[kept:])
	c.outbox = c.outbox[:kept]
}

// Stats are the counts since the client was made.
func (c *Client) Stats() Stats { return c.stats }
