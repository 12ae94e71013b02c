package swarm

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/swarm/internal/manysockets"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// plaza returns a game where each client has a pawn.
func plaza() *ecs.Protocol {
	return testgame.Plaza(func(p *ecs.Protocol) {
		ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
			w.Spawn(components.Owner{Client: client}, testgame.Place{X: float32(client)}, testgame.Shots{}, testgame.Push{})
		})
	})
}

// walk returns the input of players who go back and forth, each at its own time.
func walk() InputFunc {
	return Input(func(n int) func(*Player, *testgame.Push) {
		return func(p *Player, in *testgame.Push) {
			in.DX = int8((p.Tick+uint64(n))/20%3) - 1
			in.Fire = p.Tick%50 == 0
		}
	})
}

// match is a server and a swarm on a network in memory, in virtual time.
type match struct {
	server  *systems.Server
	swarm   *Swarm
	network *netsys.Network
	now     time.Time
	link    netsys.Link // of each client, both ways
}

var serverAddr = netip.MustParseAddrPort("10.0.0.1:7777")

// newMatch makes one.
func newMatch(t testing.TB, server systems.ServerConfig, config Config, link netsys.Link) *match {
	t.Helper()
	m := &match{network: netsys.NewNetwork(), now: time.Unix(1_000_000, 0), link: link}
	server.Start, server.Session.Random = m.now, netsys.SeededRandom(1)
	if server.MaxClients == 0 {
		server.MaxClients = 1000
	}
	var err error
	if m.server, err = systems.NewServer(m.network.Node(serverAddr), plaza(), server); err != nil {
		t.Fatal(err)
	}
	config.Protocol, config.Addr, config.dial = plaza, serverAddr.String(), m.dial
	client := config.Client
	config.Client = func(n int, c *systems.ClientConfig) {
		c.Session.Random, c.Session.InsecureAllowAnyAddress = netsys.SeededRandom(uint64(n)+2), true
		if client != nil {
			client(n, c)
		}
	}
	if m.swarm, err = New(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.swarm.Close(m.now) })
	return m
}

// until lets time pass until something holds, and fails the test where it does not within a minute.
func (m *match) until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := m.now.Add(time.Minute); !holds(); m.now = m.now.Add(time.Millisecond) {
		if m.now.After(end) {
			m.swarm.Look(m.now)
			t.Fatalf("%s: not within a minute: %+v", what, m.swarm.Report())
		}
		m.server.Advance(m.now)
		m.swarm.Step(m.now)
	}
}

// ticks runs the server for n ticks.
func (m *match) ticks(t testing.TB, n uint32) {
	t.Helper()
	last := m.server.Tick() + n
	m.until(t, "ticks", func() bool { return m.server.Tick() >= last })
}

// memory is a carrier on a network in memory.
type memory struct {
	match *match
	wires []netsys.Wire
}

func (m *match) dial(clients int) carrier {
	return &memory{match: m, wires: make([]netsys.Wire, clients)}
}

func (c *memory) Wire(n int) (netsys.Wire, error) {
	w, err := netsys.Condition(c.match.network.Node(netip.AddrPort{}), netsys.ConditionerConfig{Seed: uint64(n), In: c.match.link, Out: c.match.link})
	c.wires[n] = w
	return w, err
}

func (c *memory) RemoteAddr() netip.AddrPort { return serverAddr }

func (c *memory) Poll(now time.Time, arrived func(n int)) {
	for n, w := range c.wires {
		if w != nil {
			arrived(n)
		}
	}
}

func (c *memory) Flush(time.Time)          {}
func (c *memory) Stats() manysockets.Stats { return manysockets.Stats{} }
func (c *memory) Close() error             { return nil }
