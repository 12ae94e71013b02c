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
	"github.com/tactusgo/tactus/systems/systemstest"
)

// rate is the number of ticks a second, step the length of a tick.
const (
	rate = 60
	step = time.Second / rate
)

var epoch = time.Unix(0, 0).UTC()

// setup configures a match.
type setup struct {
	model   policy.Model
	wake    int // ServerConfig.WakeEvery
	rules   world.Rules
	seed    uint64
	links   []netsys.Link // link of each player, the same in both directions
	play    func(n int, now moment) world.Input
	spread  bool // spreads the players' ticks over the server's step; false: all tick at the same moments
	journal bool
}

// moment is the time at which a player gathers an input.
type moment struct {
	time.Time
	tick uint32 // in the player's own world
}

// match is a server and its players in virtual time.
type match struct {
	setup
	*systemstest.Crowd
	journal *world.Journal // written by the server's world; nil: none
	kills   kills
	killed  func(world.Kill)            // called for final kills; may be nil
	ticked  func()                      // called after the server's ticks; may be nil
	framed  func(k *systemstest.Client) // called after a player's frame; may be nil
}

// kills counts the outcomes of the server's world.
type kills struct{ begun, committed, withdrawn int }

// newMatch creates a match at tick 0, before its players connect.
func newMatch(s setup) (*match, error) {
	m := &match{setup: s}
	if s.journal {
		m.journal = &world.Journal{}
	}
	journal := m.journal
	protocol := func() *ecs.Protocol {
		p := world.Protocol(s.rules, journal)
		journal = nil // only the server's world, the first, writes it
		return p
	}
	seed := func(n int) uint64 { return s.seed*0x9e3779b97f4a7c15 + uint64(n) + 1 }
	var err error
	m.Crowd, err = systemstest.Open(systemstest.Config{
		Protocol:   protocol,
		ServerAddr: netip.MustParseAddrPort("127.0.0.1:7777"),
		Clients:    len(s.links),
		Links:      func(n int) (up, down netsys.Link) { return s.links[n], s.links[n] },
		LinkSeed:   seed,
		Seed:       s.seed,
		Server: systems.ServerConfig{
			TickRate: rate, WakeEvery: s.wake, Model: s.model,
			Outcomes: func(l *outcome.Log) { outcome.Handle(l, m.handlers()) },
		},
		Client: func(n int) systems.ClientConfig {
			start := epoch
			if s.spread {
				start = start.Add(step * time.Duration(n) / time.Duration(len(s.links)))
			}
			return systems.ClientConfig{
				Gather:  systems.Gather(func(c *systems.Client, in *world.Input) { *in = s.play(n, moment{m.Now(), c.World().Tick()}) }),
				Start:   start,
				Session: systems.ClientSession{Random: netsys.SeededRandom(seed(n))},
			}
		},
	})
	if err != nil {
		return nil, err
	}
	m.OnServerTick(func() {
		if m.ticked != nil {
			m.ticked()
		}
	})
	m.OnFrame(func(k *systemstest.Client) {
		if m.framed != nil {
			m.framed(k)
		}
	})
	return m, nil
}

// handlers returns handlers that count the kills.
func (m *match) handlers() outcome.Handlers[world.Kill] {
	return outcome.Handlers[world.Kill]{
		Begin: func(*ecs.World, outcome.Outcome[world.Kill]) { m.kills.begun++ },
		Commit: func(_ *ecs.World, o outcome.Outcome[world.Kill]) {
			m.kills.committed++
			if m.killed != nil {
				m.killed(o.Value)
			}
		},
		Cancel: func(*ecs.World, outcome.Outcome[world.Kill]) { m.kills.withdrawn++ },
	}
}

// runUntil runs the match until end.
func (m *match) runUntil(end time.Time) error {
	m.Run(end.Sub(m.Now()))
	if err := m.Err(); err != nil {
		return fmt.Errorf("%s: %w", m.model, err)
	}
	return nil
}

// runTicks runs the match for a number of ticks.
func (m *match) runTicks(ticks int) error {
	return m.runUntil(m.Now().Add(time.Duration(ticks) * step))
}

// warmUp runs the match for a time after the epoch, and checks that all players have joined.
func (m *match) warmUp(warmup time.Duration) error {
	if err := m.runUntil(epoch.Add(warmup)); err != nil {
		return err
	}
	for _, k := range m.Clients {
		if !k.Connected() || k.ID() == 0 {
			return fmt.Errorf("%s: %v has not joined within %v", m.model, k, warmup)
		}
		if _, ok := world.Find(m.Server.World(), k.ID()); !ok {
			return fmt.Errorf("%s: %v does not play after %v", m.model, k, warmup)
		}
	}
	return nil
}
