package systemstest

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// Crowd is a match in virtual time: a server and its clients on a network in memory. Use it from one goroutine.
// Create it with [New] in tests and with [Open] in programs.
type Crowd struct {
	// Server is the server.
	Server *systems.Server
	// Clients holds all clients in the order of creation, including those that left.
	Clients []*Client

	t         reporter
	config    Config
	network   *netsys.Network
	address   netip.AddrPort
	now       time.Time
	clock     clock     // of the server
	resume    time.Time // end of a server stall
	step      time.Duration
	mark      uint32 // tick of the last Mark
	byAddress map[netip.AddrPort]*Client

	// callbacks; each may be nil
	lose       func(Packet) bool
	onDatagram func(Packet) // called for each datagram before lose
	serverTick []func()
	clientTick []func(*Client)
	frame      []func(*Client)
}

// epoch is the time at which every crowd starts.
var epoch = time.Unix(0, 0).UTC()

// New returns a crowd at tick 0, before its clients have connected. It ends the test if the configuration is
// invalid.
func New(t testing.TB, config Config) *Crowd {
	t.Helper()
	c, err := create(config)
	if err != nil {
		t.Fatalf("%v", err)
	}
	c.t = t
	return c
}

// create creates a crowd without a reporter.
func create(config Config) (*Crowd, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	c := &Crowd{
		config: config, now: epoch,
		network:   netsys.NewNetwork(),
		address:   config.ServerAddr,
		byAddress: make(map[netip.AddrPort]*Client),
	}
	if !c.address.IsValid() {
		c.address = netip.MustParseAddrPort("10.0.0.1:7777")
	}
	s := config.Server
	s.Start = epoch
	if s.Seed == 0 {
		s.Seed = config.Seed
	}
	if s.Session.Random == nil {
		s.Session.Random = netsys.SeededRandom(config.Seed)
	}
	var err error
	wire := netsys.Wire(&serverTap{c.network.Node(c.address), c})
	if config.ServerWire != nil {
		wire = config.ServerWire(wire)
	}
	if c.Server, err = systems.NewServer(wire, config.Protocol(), s); err != nil {
		return nil, fmt.Errorf("systemstest: the server: %w", err)
	}
	c.step = c.Server.World().StepDuration()
	if config.Populate != nil && config.Server.Load == nil {
		config.Populate(c.Server.World())
	}
	for range config.Clients {
		if _, err := c.join(0); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Now returns the virtual time. It starts at the Unix epoch.
func (c *Crowd) Now() time.Time { return c.now }

// Elapsed returns the virtual time since the start.
func (c *Crowd) Elapsed() time.Duration { return c.now.Sub(epoch) }

// Err returns the error of a client that lost its session without [Client.Leave] or [Client.Kill]; nil if there is
// none.
func (c *Crowd) Err() error {
	for _, k := range c.Clients {
		if err := k.Err(); err != nil && k.present() {
			return fmt.Errorf("%v: %w", k, err)
		}
	}
	return nil
}

// Run advances the virtual time by d.
func (c *Crowd) Run(d time.Duration) {
	end := c.now.Add(d)
	for c.event(end) {
	}
	c.now = end
}

// RunTicks runs until the server has completed n more ticks.
func (c *Crowd) RunTicks(n int) {
	for last := c.Server.Tick() + uint32(n); c.Server.Tick() < last; {
		c.event(forever)
	}
}

// RunUntil runs until cond, called after every tick of the server, returns true, at most for limit. It reports
// whether cond returned true.
func (c *Crowd) RunUntil(limit time.Duration, cond func() bool) bool {
	end := c.now.Add(limit)
	for tick := c.Server.Tick(); !cond(); tick = c.Server.Tick() {
		for c.Server.Tick() == tick {
			if !c.event(end) {
				c.now = end
				return cond()
			}
		}
	}
	return true
}

// connectLimit is several times what joining takes on the worst link, with each packet of a handshake lost once.
const connectLimit = time.Minute

// Connect runs until every client has joined and the server has consumed an input of each. It ends the test if that
// takes longer than a minute.
func (c *Crowd) Connect() {
	c.t.Helper()
	playing := func() bool {
		for _, k := range c.Clients {
			if k.present() && (!k.Connected() || k.status.Inputs.Consumed == 0) {
				return false
			}
		}
		return true
	}
	if c.RunUntil(connectLimit, playing) {
		return
	}
	for _, k := range c.Clients {
		switch {
		case !k.present() || k.status.Inputs.Consumed > 0:
		case k.Err() != nil:
			c.t.Errorf("%v: %v", k, k.Err())
		default:
			c.t.Errorf("%v: connected %v, but the server consumed none of its %d inputs", k, k.Connected(), k.Input())
		}
	}
	c.t.FailNow()
}

// Settle makes all links perfect and all inputs neutral, and runs for two round trips and a second, so that
// everything in flight arrives. Clients without a [Script] continue with their inputs.
func (c *Crowd) Settle() {
	trip := time.Duration(0)
	for _, k := range c.Clients {
		up, down := k.Links()
		trip = max(trip, up.Latency+up.Jitter+down.Latency+down.Jitter)
		k.SetNeutral(true)
	}
	c.SetLinks(netsys.Link{}, netsys.Link{})
	c.Run(2*trip + time.Second)
}

// SetLinks sets the links of all clients. Datagrams in flight keep their delays. SetLinks ends the test if a link
// is invalid.
func (c *Crowd) SetLinks(up, down netsys.Link) {
	c.t.Helper()
	for _, k := range c.Clients {
		k.SetLinks(up, down)
	}
}

// StallServer keeps the server from running for d. Then it catches up.
func (c *Crowd) StallServer(d time.Duration) { c.resume = c.now.Add(d) }

// OnServerTick adds a function that is called after the server has run the due ticks: one, unless it stalled.
func (c *Crowd) OnServerTick(f func()) { c.serverTick = append(c.serverTick, f) }

// OnClientTick adds a function that is called after a connected client has run the due ticks, one unless it
// stalled, and before its frame.
func (c *Crowd) OnClientTick(f func(k *Client)) { c.clientTick = append(c.clientTick, f) }

// OnFrame adds a function that is called after a client has updated its view.
func (c *Crowd) OnFrame(f func(k *Client)) { c.frame = append(c.frame, f) }

// Hash returns a hash of the worlds of the server and of all present clients. Two runs of the same configuration
// have equal hashes.
func (c *Crowd) Hash() uint64 {
	const prime = 0x100000001b3
	h := c.Server.World().Hash()
	for _, k := range c.Clients {
		if w := k.World(); w != nil && k.present() {
			h = (h*prime ^ w.Hash()) * prime
		}
	}
	return h
}

// clientConfig returns the configuration of the n-th client.
func (c *Crowd) clientConfig(n int) (k systems.ClientConfig) {
	if c.config.Client != nil {
		k = c.config.Client(n)
	}
	return k
}

// streams of random numbers of a client.
const (
	streamPlay = iota
	streamToken
	streamLink
	streamCount
)

// stream returns a seed for one stream of one client.
func (c *Crowd) stream(n, which int) uint64 {
	r := ecs.NewRand(c.config.Seed, uint64(n*streamCount+which))
	return r.Uint64()
}
