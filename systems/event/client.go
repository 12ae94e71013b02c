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

// ClientConfig configures a [Client]. The zero value selects all defaults.
type ClientConfig struct {
	// OnRefusal is called in Receive when the server reports that it refused an event of this client. Default (nil):
	// refusals are only counted.
	OnRefusal func(r Refusal)

	// Limit bounds the events of unconfirmed inputs, and separately the events that the channels have not accepted
	// yet. Events beyond it are not sent; Stats.Overflowed counts them. Default (0): 1024.
	Limit int

	// Waiting bounds the events of the server that wait for their tick. Beyond it, the oldest is handled early.
	// Default (0): 1024.
	Waiting int
	// WaitingBytes bounds the bytes of these events. Default (0): 256 KiB.
	WaitingBytes int
}

// Validate returns an error if a limit is negative.
func (c ClientConfig) Validate() error {
	return errors.Join(
		validLimit("ClientConfig.Limit", c.Limit),
		validLimit("ClientConfig.Waiting", c.Waiting),
		validLimit("ClientConfig.WaitingBytes", c.WaitingBytes),
	)
}

// Origin describes where an event that a client handles comes from.
type Origin struct {
	// Tick is the server's tick that raised the event. For an event raised outside Simulate it is the next tick.
	Tick uint32
	// About is the entity of an event to its owner or viewers, 0 for other events. The client may no longer have this
	// entity.
	About components.NetID
	// Unconfirmed reports that the client handles the event although its world lacks the state that the event waits for:
	// the state did not arrive in time, or too many events waited.
	Unconfirmed bool
}

// Client sends and receives the events of a client's world. Only the goroutine of the world may use it.
type Client struct {
	log
	config   ClientConfig
	channels Channels // nil while not connected
	reader   codec.ByteReader
	refused  refusal
	waiting  waiting
	named    []uint32
	resent   uint64 // message type number of events that are sent again
	session  uint32
	left     resumable // channels of the session that ended
	former   []former  // earlier sessions, the newest first
	muted    bool
}

// NewClient returns a client without a world, for [OnClient]. It panics if c is not valid.
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

// OnClient sets the handler for events of type T. Deliver calls it once for each event, outside of Simulate. The
// handler may raise events. It must not change anything that Simulate reads; lasting effects belong in the state.
// Under Rollback and Lockstep, [ecs.Handle] prevents such changes, because peers would differ. v is valid during the
// call. OnClient panics if the type already has a handler, or if the server may not raise it.
func OnClient[T any](c *Client, handle func(w *ecs.World, at Origin, v *T)) {
	k := c.registry.kindOf("OnClient", reflect.TypeFor[T]())
	b := c.bound[k.index].(*bound[T])
	switch {
	case k.options.From&FromServer == 0:
		panic(fmt.Sprintf("event: OnClient[%s]: the type is %v: change Options.From when you register it", k.name, k.options.From))
	case b.handle != nil:
		panic(fmt.Sprintf("event: OnClient[%s] already has a handler: call both functions from one handler", k.name))
	}
	b.handle = handle
}

// Join connects the client: w is its world, which is stored there for [Raise], and channels send its events. session
// is the number by which the server knows the session. Join discards everything that remains from another world, so
// one Client can be used for several connections in sequence. It panics if the world already has events.
func (c *Client) Join(w *ecs.World, session uint32, channels Channels) {
	for i := range c.waiting.events {
		c.putBuffer(c.waiting.events[i].words)
	}
	c.waiting.clear()
	c.former = nil
	c.join(w, session, channels)
}

func (c *Client) join(w *ecs.World, session uint32, channels Channels) {
	c.attach(w)
	c.session, c.channels, c.left = session, channels, nil
}

// Leave disconnects the client. Events raised after this are dropped.
func (c *Client) Leave() {
	if c.channels != nil {
		c.left, _ = c.channels.(resumable)
	}
	c.channels = nil
}

// Receive processes a message that the server sent on a channel. Events wait for [Client.Deliver]; a refusal is
// passed to OnRefusal. It reports false for a message of any other type, which the caller must handle.
//
// Malformed messages return [ErrEvent].
func (c *Client) Receive(channel int, message []byte) (event bool, err error) {
	n, err := messageType(&c.reader, message)
	if err != nil {
		return true, err
	}
	again := n == c.resent
	if again {
		var seen bool
		if n, seen, err = c.readResent(channel); seen || err != nil {
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
	c.waiting.add(&h, append(c.getBuffer(), h.words...))
	for len(c.waiting.events) > c.config.Waiting || c.waiting.bytes > c.config.WaitingBytes {
		c.stats.Early++
		c.play(c.waiting.remove(0), true)
	}
	return true, nil
}

// Deliver calls the handlers of the events that are due. ticks is the number of the server's ticks that the newest confirmed
// state of this client includes. Call it after the received state is in the world.
//
// That state may lack entities, because of the byte budget or because a packet was lost. has reports whether the world
// contains the state of an entity after a tick, or no longer contains the entity; for entity 0 it reports whether the world
// contains the state of all entities. An event that names entities, by its target or in ref fields, waits for them; any other
// event waits for all entities. After five seconds the event is handled with [Origin].Unconfirmed.
//
// has is nil if the client simulates everything. Then ticks is the number of ticks that can no longer change, and an event with
// Options.Early that names entities waits for its tick too.
func (c *Client) Deliver(ticks uint32, has func(entity components.NetID, tick uint32) bool) {
	q, blocked := &c.waiting, uint64(0) // blocked is a bit mask of ordered channels whose next event waits
	for i := 0; q.isDue(i, ticks); {
		e := &q.events[i]
		if e.early && has == nil && e.due >= ticks && len(c.names(e)) > 0 {
			i++ // the world of a client that simulates everything may still give the number to another entity
			continue
		}
		ordered := uint64(0)
		if e.kind.promise == channel.ReliableOrdered && !e.early {
			ordered = 1 << e.kind.channel
		}
		confirmed := blocked&ordered == 0 && (has == nil || e.early || c.isConfirmed(e, has))
		if e.since == 0 {
			e.since = max(ticks, 1)
		}
		if !confirmed && (blocked&ordered != 0 || ticks-e.since <= patience(c.world.TickRate())) {
			blocked |= ordered
			i++
			continue
		}
		if !confirmed {
			c.stats.Unconfirmed++
		}
		c.play(q.remove(i), !confirmed)
	}
}

// isConfirmed reports whether the world contains the state that an event waits for.
func (c *Client) isConfirmed(e *waitingEvent, has func(components.NetID, uint32) bool) bool {
	names := c.names(e)
	if len(names) == 0 {
		return has(0, e.due)
	}
	for _, id := range names {
		if !has(components.NetID(id), e.due) {
			return false
		}
	}
	return true
}

// names returns the entities that an event names. They are valid until the next call.
func (c *Client) names(e *waitingEvent) []uint32 {
	c.named = c.named[:0]
	if b := c.bound[e.kind.index]; b.read(e.kind.prefix, e.words) == nil { // an error is impossible: Receive has read the same bytes
		c.named = b.appendRefs(c.named)
	}
	if e.about != 0 {
		c.named = append(c.named, e.about)
	}
	return c.named
}

// Mute sets whether events that are due reach no handlers, as while a replay seeks.
func (c *Client) Mute(muted bool) { c.muted = muted }

// play calls the handler of an event.
func (c *Client) play(w waitingEvent, unconfirmed bool) {
	b := c.bound[w.kind.index]
	err := b.read(w.kind.prefix, w.words)
	c.putBuffer(w.words)
	if err != nil || c.muted {
		return // an error is impossible: Receive has read the same bytes
	}
	c.stats.Handled++
	ecs.Handle(c.world, w.kind.handler, func() {
		b.play(c.world, Origin{Tick: w.tick, About: components.NetID(w.about), Unconfirmed: unconfirmed})
	})
}

// Settle marks inputs before horizon as final and gives the raised events to the channels. horizon is the input after
// the last one that the server has confirmed; an earlier horizon than before has no effect. Call it at the end of
// each step, before the packet is sent. Events that a reliable channel has no room for wait for the next step. Settle
// panics within a tick.
func (c *Client) Settle(horizon uint32) {
	c.finalize(horizon)
	if c.channels == nil {
		c.drop()
		return
	}
	kept, full := 0, uint64(0) // full is a bit mask of channels without room
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
		c.putBuffer(o.message)
	}
	clear(c.outbox[kept:])
	c.outbox = c.outbox[:kept]
}

// Stats returns the counters since NewClient.
func (c *Client) Stats() Stats { return c.stats }
