package replay

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// Match is a match that can be recorded.
type Match struct {
	// Protocol makes the game's protocol, for the server and for each client.
	Protocol func() *ecs.Protocol
	// Server configures the server. Its Start, Random and Workers are set here.
	Server systems.ServerConfig
	// Populate spawns what is there before anybody joins; may be nil.
	Populate func(w *ecs.World)
	// Clients is how many there are; Gather is what the n-th does.
	Clients int
	Gather  func(n int) systems.GatherFunc
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

// tick is how long a tick is.
func (m *Match) tick() time.Duration {
	return time.Second / time.Duration(cmp.Or(m.Server.TickRate, ecs.DefaultTickRate))
}

// players are clients, a heap by when each is due.
type players []*systems.Client

func (p players) Len() int           { return len(p) }
func (p players) Less(i, j int) bool { return p[i].Next().Before(p[j].Next()) }
func (p players) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *players) Push(x any)        { *p = append(*p, x.(*systems.Client)) }
func (p *players) Pop() any          { panic("replay: nobody leaves") }

// Record plays the match for so many ticks, and returns what the server was sent. The error is that of a server or
// of a client that could not go on.
func (m *Match) Record(ticks int) (*Tape, error) {
	network := netsys.NewNetwork()
	t := &Tape{match: *m, ticks: ticks}
	s, err := m.open(&recorder{Wire: network.Node(serverAddr), tape: t}, 1)
	if err != nil {
		return nil, err
	}
	var all players
	for n := range m.Clients {
		c, err := m.join(network, n)
		if err != nil {
			return nil, err
		}
		heap.Push(&all, c)
	}
	for made := 0; made < ticks; {
		next := s.Next()
		if len(all) > 0 && all[0].Next().Before(next) {
			c := all[0]
			c.Advance(c.Next())
			heap.Fix(&all, 0)
			if c.Err() != nil {
				return nil, fmt.Errorf("replay: client %d: %w", c.ID(), c.Err())
			}
			continue
		}
		made += s.Advance(next)
		if s.Err() != nil {
			return nil, s.Err()
		}
	}
	for _, c := range all {
		if _, ok := c.Loaded(); !ok {
			return nil, errors.New("replay: the match is too short: not all clients have joined")
		}
	}
	return t, nil
}

// join makes the n-th client; their ticks are spread over one.
func (m *Match) join(network *netsys.Network, n int) (*systems.Client, error) {
	seed := m.Server.Seed*0x9e3779b97f4a7c15 + uint64(n) + 1
	addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, byte(n>>8) + 1, byte(n)}), 7778)
	link := netsys.Link{Latency: m.RoundTrip / 2}
	wire, err := netsys.Condition(network.Node(addr), netsys.ConditionerConfig{Seed: seed, In: link, Out: link})
	if err != nil {
		return nil, err
	}
	c := systems.ClientConfig{
		Start: epoch.Add(m.tick() * time.Duration(n) / time.Duration(m.Clients)), Random: netsys.SeededRandom(seed),
		Schedule: systems.Thin,
	}
	if m.Gather != nil {
		c.Gather = m.Gather(n)
	}
	return systems.NewClient(wire, serverAddr, m.Protocol(), c)
}
