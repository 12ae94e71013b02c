package systems

import "github.com/tactusgo/tactus/internal/reuse"

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

// CountBytes makes the client count, from now on or no longer, what the snapshots that it
// receives are made of, for [Client.Received]. Counting costs the decoder up to an
// eighth; while it is off a snapshot costs one comparison more.
func (c *Client) CountBytes(on bool) {
	c.mirror.Decoder.CountBytes(on)
}

// Received writes what was received while the client counted to t, whose memory is used
// again. Where inputs travel instead of snapshots there is nothing to count.
func (c *Client) Received(t *Received) {
	t.Components = reuse.Slice(t.Components, len(c.shape.replicated))
	for i, comp := range c.shape.replicated {
		t.Components[i] = ComponentReceived{Name: comp.Name}
	}
	components := 0.0
	t.Bytes = c.mirror.Decoder.Costs(func(component int, own bool, bits float64) {
		x := &t.Components[component].World
		if own {
			x = &t.Components[component].Own
		}
		*x += bits / 8
		components += bits / 8
	})
	t.Rest = float64(t.Bytes) - components
}
