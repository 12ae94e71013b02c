package systemstest

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// Config configures a [Crowd]. Only Protocol is required.
type Config struct {
	// Protocol builds the protocol. It is called once for the server and once for every client, as in separate
	// programs.
	Protocol func() *ecs.Protocol
	// Server configures the server. The crowd sets Start, and Seed and Random if they are zero.
	Server systems.ServerConfig
	// Populate fills the server's world before the first tick, unless Server.Load continues another world. It may be nil.
	Populate func(w *ecs.World)
	// ServerAddr is the server's address, which connect tokens name. Links draw random numbers that depend on it.
	// Default (zero): 10.0.0.1:7777.
	ServerAddr netip.AddrPort
	// ServerWire, if not nil, wraps the server's transport, for example to count or to record datagrams.
	ServerWire func(w netsys.Wire) netsys.Wire
	// Client configures the n-th client, from 0. The crowd sets Start and Random if they are zero. Default (nil): the
	// zero ClientConfig.
	Client func(n int) systems.ClientConfig
	// Play fills in the clients' inputs; see [Play]. Default (zero): ClientConfig.Gather, which the crowd cannot
	// make neutral.
	Play Script
	// Clients is the number of clients at the start. Default (0): none.
	Clients int
	// Link is each client's link to the server, the same in both directions. Default (zero): perfect.
	Link netsys.Link
	// Links, if not nil, returns the links of the n-th client, up to the server and down from it, instead of Link.
	Links func(n int) (up, down netsys.Link)
	// LinkSeed, if not nil, returns the seed of the n-th client's link. Default (nil): derived from Seed and n.
	LinkSeed func(n int) uint64
	// FrameRate is the number of frames per second that each client draws; −1 means none. Default (0): one after every
	// tick.
	FrameRate int
	// CountOnly makes [Crowd.NoCorrections] report only the number of corrections, so that a correction allocates
	// nothing: for tests that count allocations. Default: it lists them.
	CountOnly bool
	// Seed is the root of all randomness. 0 is a valid seed.
	Seed uint64
}

// Validate returns an error if a field of c is missing or negative. It never changes c. [New] validates Server,
// Client and the links.
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

// RoundTrip returns a link for both directions with an average round trip of rtt. The one-way delay of each
// datagram varies uniformly by ±jitter, and loss is the share lost in each direction. [New] refuses a jitter above
// rtt/2.
func RoundTrip(rtt, jitter time.Duration, loss float64) netsys.Link {
	return netsys.Link{Latency: rtt / 2, Jitter: jitter, Loss: loss}
}

// Script fills in the inputs of all clients of a crowd. Create it with [Play].
type Script struct {
	gather func(c *Client) systems.GatherFunc
}

// Play returns a Script that calls fill before every tick of every client. T must be the protocol's input type. in
// is zero, and [systems.Client.Input] of c is its sequence number. fill is not called for a client with
// SetNeutral(true).
func Play[T any](fill func(c *Client, in *T)) Script {
	return Script{func(c *Client) systems.GatherFunc {
		return systems.Gather(func(_ *systems.Client, in *T) {
			if !c.neutral {
				fill(c, in)
			}
		})
	}}
}
