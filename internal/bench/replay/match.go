package replay

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/swarm"
)

// Match is a match that can be recorded.
type Match struct {
	// Protocol makes the game's protocol, for the server and for each client.
	Protocol func() *ecs.Protocol
	// Server configures the server. Its Start, Random and Workers are set here.
	Server systems.ServerConfig
	// Populate spawns what is there before anybody joins; may be nil.
	Populate func(w *ecs.World)
	// Clients is how many there are; Input is what their players do.
	Clients int
	Input   swarm.InputFunc
	// RoundTrip is that of every client.
	RoundTrip time.Duration
}

var (
	serverAddr = netip.MustParseAddrPort("127.0.0.1:7777")
	epoch      = time.Unix(0, 0).UTC()
)

// open makes the server on a wire.
func (m *Match) open(on netsys.Wire, workers int) (*systems.Server, error) {
	c := m.Server
	c.Start, c.Random, c.Workers = epoch, netsys.SeededRandom(c.Seed), workers
	c.MaxClients = max(m.Clients, 1)
	s, err := systems.NewServer(on, m.Protocol(), c)
	if err == nil && m.Populate != nil {
		m.Populate(s.World())
	}
	return s, err
}

// step is how often clients look whether something has come, or is due.
const step = time.Millisecond

// rampRate is how many clients a second begin to connect.
const rampRate = 1000

// Record plays the match for so many ticks, with clients that open what they are told and decode nothing, and returns
// what the server was sent. The error says why not all of them were in by the end.
func (m *Match) Record(ticks int) (*Tape, error) {
	network := netsys.NewNetwork()
	t := &Tape{match: *m, ticks: ticks}
	s, err := m.open(&recorder{Wire: network.Node(serverAddr), tape: t}, 1)
	if err != nil {
		return nil, err
	}
	var clients *swarm.Swarm
	if m.Clients > 0 {
		if clients, err = m.clients(network); err != nil {
			return nil, err
		}
		defer func() { _ = clients.Close(s.Next()) }()
	}
	for now, made := epoch, 0; made < ticks; now = now.Add(step) {
		for made < ticks && !s.Next().After(now) {
			made += s.Advance(s.Next())
		}
		if clients != nil {
			clients.Step(now)
		}
	}
	if clients != nil {
		clients.Look(s.Next())
		if r := clients.Report(); r.Connected < m.Clients {
			return nil, fmt.Errorf("replay: %d of %d clients were in after %d ticks: %v", r.Connected, m.Clients, ticks, r.Reasons)
		}
	}
	t.World = s.World().Hash()
	return t, s.Err()
}

// clients makes them.
func (m *Match) clients(network *netsys.Network) (*swarm.Swarm, error) {
	seed := func(n int) uint64 { return m.Server.Seed*0x9e3779b97f4a7c15 + uint64(n) + 1 }
	link := netsys.Link{Latency: m.RoundTrip / 2}
	return swarm.New(context.Background(), swarm.Config{
		Protocol: m.Protocol, Addr: serverAddr.String(), Clients: m.Clients, Ramp: rampRate, Input: m.Input,
		Client: func(n int, c *systems.ClientConfig) { c.Random = netsys.SeededRandom(seed(n)) },
		Wire: func(n int) (netsys.Wire, error) {
			node := network.Node(netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, byte(n>>8) + 1, byte(n)}), 7778))
			if link == (netsys.Link{}) {
				return node, nil
			}
			return netsys.Condition(node, netsys.ConditionerConfig{Seed: seed(n), In: link, Out: link})
		},
	})
}
