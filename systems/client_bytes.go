package systems

import (
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/internal/reuse"
)

// Received is what the snapshots were made of that a client received while it counted, in
// bytes without what sessions add:
//
//	Bytes = Rest + World and Own of all Components
type Received struct {
	Bytes uint64 // of all snapshot messages
	// Rest is heads, which entities there are, which of them have news, and what coders
	// take to end a block.
	Rest float64
	// Components are those that are replicated, in order of registration.
	Components []ComponentReceived
}

// ComponentReceived is what a component took.
type ComponentReceived struct {
	Name string
	// World is what it took among the state of the world, and Own among the own state of
	// this client, which comes in full precision.
	World, Own float64
}

// tally is what a client counts of what it receives.
type tally struct {
	on    bool
	bytes uint64
	costs []delta.Cost
}

// CountBytes makes the client count, from now on or no longer, what the snapshots that it
// receives are made of, for [Client.Received]. Counting costs the decoder up to an
// eighth; while it is off a snapshot costs one comparison more.
func (c *Client) CountBytes(on bool) {
	c.decode.tally.on = on
	c.decode.world.Account, c.decode.own.Account = on, on
}

// Received writes what was received while the client counted to t, whose memory is used
// again. Where inputs travel instead of snapshots there is nothing to count.
func (c *Client) Received(t *Received) {
	t.Bytes, t.Rest = c.decode.tally.bytes, float64(c.decode.tally.bytes)
	t.Components = reuse.Slice(t.Components, len(c.shape.replicated))
	for i, comp := range c.shape.replicated {
		t.Components[i] = ComponentReceived{Name: comp.Name}
	}
	take := func(d *delta.Decoder, add func(x *ComponentReceived, bytes float64)) {
		c.decode.tally.costs = d.Costs(c.decode.tally.costs[:0])
		for _, cost := range c.decode.tally.costs {
			if cost.Component >= 0 {
				add(&t.Components[cost.Component], cost.Bits/8)
				t.Rest -= cost.Bits / 8
			}
		}
	}
	take(&c.decode.world, func(x *ComponentReceived, bytes float64) { x.World += bytes })
	take(&c.decode.own, func(x *ComponentReceived, bytes float64) { x.Own += bytes })
}
