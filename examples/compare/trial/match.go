package trial

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/compare/world"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
)

// rate is how many ticks a second has, step how long one is.
const (
	rate = 60
	step = time.Second / rate
)

var epoch = time.Unix(0, 0).UTC()

// setup is what a match is made of.
type setup struct {
	model   policy.Policies
	wake    int // steps that the server wakes after; 0: 1
	rules   world.Rules
	seed    uint64
	links   []netsys.Link // of each player, the same both ways
	play    func(n int, now moment) world.Input
	spread  bool // players' ticks lie between the server's, as on real machines; else at the same moments
	journal bool
}

// moment is when a player gathers an input.
type moment struct {
	time.Time
	tick uint32 // by the player's own world
}

// match is a server and its players on a network in memory, in virtual time.
type match struct {
	setup
	server  *systems.Server
	players []*player
	journal *world.Journal // of the server; nil: none is kept
	now     time.Time
	kills   kills
	killed  func(world.Kill) // hears of those that are final; may be nil
	ticked  func()           // after the server ran what was due; may be nil
	framed  func(p *player)  // after a player did, and has a new frame; may be nil
}

// player is one client.
type player struct {
	*systems.Client
	n    int // from 0
	link *netsys.Conditioner
}

// kills is what became of the outcomes of the server's world.
type kills struct{ begun, committed, withdrawn int }

// newMatch makes a match at tick 0: its players have yet to connect.
func newMatch(s setup) (*match, error) {
	m := &match{setup: s, now: epoch}
	if s.journal {
		m.journal = &world.Journal{}
	}
	network := netsys.NewNetwork()
	address := netip.MustParseAddrPort("127.0.0.1:7777")
	var err error
	m.server, err = systems.NewServer(network.Node(address), world.Protocol(s.rules, m.journal), systems.ServerConfig{
		Seed:      s.seed,
		TickRate:  rate,
		WakeEvery: s.wake,
		Policies:  s.model,
		Start:     epoch,
		Random:    netsys.SeededRandom(s.seed),
		Outcomes: func(l *outcome.Log) {
			outcome.Handle(l, outcome.Handlers[world.Kill]{
				Begin: func(*ecs.World, outcome.Outcome[world.Kill]) { m.kills.begun++ },
				Commit: func(_ *ecs.World, o outcome.Outcome[world.Kill]) {
					m.kills.committed++
					if m.killed != nil {
						m.killed(o.Value)
					}
				},
				Cancel: func(*ecs.World, outcome.Outcome[world.Kill]) { m.kills.withdrawn++ },
			})
		},
	})
	if err != nil {
		return nil, err
	}
	for n, link := range s.links {
		if err := m.add(n, link, network, address); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// add makes the n-th player.
func (m *match) add(n int, link netsys.Link, network *netsys.Network, server netip.AddrPort) error {
	seed := m.seed*0x9e3779b97f4a7c15 + uint64(n) + 1
	node := network.Node(netip.AddrPortFrom(server.Addr(), uint16(10_000+n)))
	wire, err := netsys.Condition(node, netsys.ConditionerConfig{Seed: seed, In: link, Out: link})
	if err != nil {
		return err
	}
	p := &player{n: n, link: wire}
	start := epoch
	if m.spread {
		start = start.Add(step * time.Duration(n) / time.Duration(len(m.links)))
	}
	p.Client, err = systems.NewClient(wire, server, world.Protocol(m.rules, nil), systems.ClientConfig{
		Gather: systems.Gather(func(c *systems.Client, in *world.Input) { *in = m.play(n, moment{m.now, c.World().Tick()}) }),
		Start:  start,
		Random: netsys.SeededRandom(seed),
	})
	m.players = append(m.players, p)
	return err
}

// run lets time pass until end.
func (m *match) run(end time.Time) error {
	for {
		at, who := m.server.Next(), (*player)(nil)
		for _, p := range m.players {
			if err := p.Err(); err != nil {
				return fmt.Errorf("%s: player %d: %w", m.model, p.n+1, err)
			}
			if t := p.Next(); t.Before(at) {
				at, who = t, p
			}
		}
		if !at.Before(end) {
			m.now = end
			return nil
		}
		m.now = at
		if who != nil {
			who.advance(m)
			continue
		}
		for _, p := range m.players {
			p.link.Flush(at)
		}
		if m.server.Advance(at) > 0 && m.ticked != nil {
			m.ticked()
		}
	}
}

func (p *player) advance(m *match) {
	if p.Advance(m.now) == 0 || !p.Connected() {
		return
	}
	p.Frame(m.now)
	if m.framed != nil {
		m.framed(p)
	}
}

// pass lets a number of ticks pass.
func (m *match) pass(ticks int) error { return m.run(m.now.Add(time.Duration(ticks) * step)) }

// begin lets everybody join and every clock settle.
func (m *match) begin(warmup time.Duration) error {
	if err := m.run(epoch.Add(warmup)); err != nil {
		return err
	}
	for _, p := range m.players {
		if !p.Connected() || p.ID() == 0 {
			return fmt.Errorf("%s: player %d has not joined within %v", m.model, p.n+1, warmup)
		}
		if _, ok := world.Find(m.server.World(), p.ID()); !ok {
			return fmt.Errorf("%s: player %d does not play after %v", m.model, p.n+1, warmup)
		}
	}
	return nil
}
