package main

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/swarm"
)

// match is a match of the arena that can be recorded. A budget of 0 is the server's default.
type match struct {
	clients, npcs int
	seed          uint64
	budget        int // bytes of a snapshot
}

var (
	serverAddr = netip.MustParseAddrPort("127.0.0.1:7777")
	epoch      = time.Unix(0, 0).UTC()
)

// open creates the server on a wire.
func (m *match) open(on netsys.Wire, workers int) (*systems.Server, error) {
	v := game.Variant{Players: max(m.clients, 1)}
	s, err := systems.NewServer(on, v.Protocol(), systems.ServerConfig{
		Seed: m.seed, Snapshots: systems.Snapshots{Budget: m.budget}, Workers: workers, MaxClients: max(m.clients, 1),
		Start: epoch, Session: systems.ServerSession{Random: netsys.SeededRandom(m.seed)},
	})
	if err == nil {
		v.Populate(s.World(), m.clients, m.npcs)
	}
	return s, err
}

// rampRate is the number of clients that begin to connect per second.
const rampRate = 1000

// record plays the match for a number of ticks, with blind clients, and returns the datagrams that the server received. It
// returns an error if a client did not join by the end.
func (m *match) record(ticks int) (*tape, error) {
	network := netsys.NewNetwork()
	t := &tape{match: *m, ticks: ticks}
	s, err := m.open(&recorder{Wire: network.Node(serverAddr), tape: t}, 1)
	if err != nil {
		return nil, err
	}
	var clients *swarm.Swarm
	if m.clients > 0 {
		if clients, err = m.swarm(network); err != nil {
			return nil, err
		}
		defer func() { _ = clients.Close(s.Next()) }()
	}
	for now, made := epoch, 0; made < ticks; now = now.Add(time.Millisecond) {
		for made < ticks && !s.Next().After(now) {
			made += s.Advance(s.Next())
		}
		if clients != nil {
			clients.Step(now)
		}
	}
	if clients != nil {
		clients.Look(s.Next())
		if r := clients.Report(); r.Connected < m.clients {
			return nil, fmt.Errorf("%d of %d clients were in after %d ticks: %v", r.Connected, m.clients, ticks, r.Reasons)
		}
	}
	t.world = s.World().Hash()
	return t, s.Err()
}

// swarm creates the clients.
func (m *match) swarm(network *netsys.Network) (*swarm.Swarm, error) {
	return swarm.New(context.Background(), swarm.Config{
		Protocol: game.Variant{Players: max(m.clients, 1)}.Protocol, Addr: serverAddr.String(), Clients: m.clients, Ramp: rampRate,
		Input: swarm.Input(func(n int) func(*swarm.Player, *game.Input) {
			bot := game.NewBot(m.seed, n, m.clients)
			return func(p *swarm.Player, in *game.Input) { *in = bot.Next(p.TickRate) }
		}),
		Client: func(n int, c *systems.ClientConfig) {
			c.Session.Random = netsys.SeededRandom(m.seed*0x9e3779b97f4a7c15 + uint64(n) + 1)
		},
		Wire: func(n int) (netsys.Wire, error) {
			return network.Node(netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, byte(n>>8) + 1, byte(n)}), 7778)), nil
		},
	})
}
