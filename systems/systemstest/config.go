package systemstest

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// Config configures a [Crowd]. Only Protocol is needed.
type Config struct {
	// Protocol builds the protocol. It is called once for the server and then
	// once for every client, as in separate programs.
	Protocol func() *ecs.Protocol
	// Server configures the server. The crowd sets Start, and Seed and Random
	// where they are zero.
	Server systems.ServerConfig
	// Populate fills the server's world before the first tick. May be nil.
	Populate func(w *ecs.World)
	// ServerAddr is the server's address, which connect tokens name. Links draw
	// random numbers that depend on it. Default (zero): 10.0.0.1:7777.
	ServerAddr netip.AddrPort
	// ServerWire, when not nil, wraps the wire of the server, for example to count
	// or to record datagrams.
	ServerWire func(w netsys.Wire) netsys.Wire
	// Client configures the n-th client, from 0. The crowd sets Start and Random
	// where these are zero. Default (nil): the zero ClientConfig.
	Client func(n int) systems.ClientConfig
	// Play fills the clients' inputs; see [Play]. Default (zero): what
	// ClientConfig.Gather says, which the crowd cannot make neutral.
	Play Script
	// Clients is how many clients there are from the start. Default (0): none.
	Clients int
	// Link is each client's link to the server, the same both ways. Default
	// (zero): perfect.
	Link netsys.Link
	// Links, when not nil, gives the n-th client's links in place of Link: up to
	// the server and down from it.
	Links func(n int) (up, down netsys.Link)
	// LinkSeed, when not nil, returns the seed of the n-th client's link. Default
	// (nil): derived from Seed and n.
	LinkSeed func(n int) uint64
	// FrameRate is how many frames a second each client draws; −1 means none.
	// Default (0): one after every tick.
	FrameRate int
	// CountOnly makes [Crowd.NoCorrections] tell how many corrections there were,
	// but not of what, so that a correction allocates nothing: for tests that
	// count allocations. Default: it tells.
	CountOnly bool
	// Seed is the root of everything random. 0 is a seed like any other.
	Seed uint64
}

// Validate reports what is wrong with c; it never changes it. What Server, Client
// and the links hold is checked by [New].
func (c Config) Validate() error {
	switch {
	case c.Protocol == nil:
		return fmt.Errorf("systemstest: Config.Protocol is nil: give the function that builds the game's protocol")
	case c.Clients < 0:
		return fmt.Errorf("systemstest: Config.Clients %d is negative", c.Clients)
	case c.FrameRate < -1:
		return fmt.Errorf("systemstest: Config.FrameRate %d is below -1, which means no frames", c.FrameRate)
	}
	return nil
}

// RoundTrip is the link, for both directions, of which a round trip takes rtt on
// average: each datagram's one-way delay varies uniformly by ±jitter, and loss is
// the share lost each way. [New] refuses a jitter above rtt/2.
func RoundTrip(rtt, jitter time.Duration, loss float64) netsys.Link {
	return netsys.Link{Latency: rtt / 2, Jitter: jitter, Loss: loss}
}

// Script fills the inputs of all clients of a crowd. Make one with [Play].
type Script struct {
	gather func(c *Client) systems.GatherFunc
}

// Play makes a Script of a typed function, called before every tick of every
// client. T must be the protocol's input type; in is zero, and
// [systems.Client.Input] of c is its sequence. A client that is told to be
// neutral is not asked.
func Play[T any](fill func(c *Client, in *T)) Script {
	return Script{func(c *Client) systems.GatherFunc {
		return systems.Gather(func(_ *systems.Client, in *T) {
			if !c.neutral {
				fill(c, in)
			}
		})
	}}
}
