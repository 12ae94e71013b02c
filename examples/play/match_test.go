//go:build !js

package main

import (
	"cmp"
	"context"
	"math"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/runner/web"
)

// matchConfig is what a test wants of a match.
type matchConfig struct {
	bots   int
	npcs   int                // 0: 60
	preset policy.Preset      // of the server, and of bots
	each   func(w *ecs.World) // called after a tick; nil: nothing
}

// match is a server with bots to play on, and what it knows of players.
type match struct {
	ctx     context.Context // until the end of the test
	ending  sync.WaitGroup  // what ends with it
	wire    *eventloop.Listener
	address string // for clients over UDP

	url   string // of the page, where there is one
	proxy *proxy // between browsers and the server

	mu      sync.Mutex
	players map[string]known
	walked  map[uint32]*walk
	others  map[uint32]point // what another client draws, by owner
	heard   string           // the newest line of chat that it was told
}

// walk is how far a player has walked, without the jumps to where it comes back.
type walk struct{ x, y, far float64 }

// known is what the server knows of a player.
type known struct {
	client uint32
	x, y   float32
	rtt    time.Duration
	shots  uint8
	walked float64
}

// newMatch starts a server and bots, until the end of the test.
func newMatch(t *testing.T, c matchConfig) *match {
	t.Helper()
	m := &match{players: map[string]known{}, walked: map[uint32]*walk{}, others: map[uint32]point{}}
	var err error
	if m.wire, err = (eventloop.ListenConfig{WebSocket: eventloop.WebSocketConfig{Addr: "127.0.0.1:0"}}).Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	m.address = m.wire.LocalAddr().String()
	config := systems.ServerConfig{Seed: 7, Policies: c.preset.Policies()}
	game.Arm(&config)
	game.NewMessages().Serve(&config)
	var server *systems.Server
	config.Schedule = func(s *ecs.Schedule) error {
		s.Stage("After").Add(ecs.System{Name: "watch", Run: func(w *ecs.World) {
			m.watch(server, w)
			if c.each != nil {
				c.each(w)
			}
		}})
		return nil
	}
	if server, err = systems.NewServer(m.wire, game.CombatProtocol(), config); err != nil {
		t.Fatal(err)
	}
	game.PopulateCombat(server.World(), c.bots, cmp.Or(c.npcs, 60))
	ctx, cancel := context.WithCancel(context.Background())
	m.ctx = ctx
	t.Cleanup(func() { cancel(); m.ending.Wait() })
	m.ending.Go(func() { _ = server.Run(ctx) })
	for n := range c.bots {
		m.ending.Go(func() { _ = playBot(ctx, m.address, n, c.bots, c.preset) })
	}
	return m
}

// newPage starts a match with another client, and a page to play on.
func newPage(t *testing.T, c matchConfig) *match {
	t.Helper()
	m := newMatch(t, c)
	m.look()
	m.page(t)
	return m
}

// page serves a page to play on.
func (m *match) page(t *testing.T) {
	t.Helper()
	m.proxy = newProxy(t, m.wire.WebSocketAddr().String())
	site := web.New(web.Config{Package: "examples/play", Args: []string{"arena"}, Port: m.proxy.port(), Progress: t.Output()})
	page := httptest.NewServer(site)
	t.Cleanup(page.Close)
	m.url = page.URL
	if err := site.Prepare(m.ctx); err != nil {
		t.Fatal(err)
	}
}

// look starts another client, which draws.
func (m *match) look() {
	config := systems.ClientConfig{}
	game.NewMessages().Play(&config, func(s *game.Said) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.heard = s.Text.String()
	})
	m.ending.Go(func() {
		c, err := systems.Dial(m.ctx, m.address, game.CombatProtocol(), config)
		if err != nil {
			return
		}
		_ = c.Run(m.ctx, m.draws)
	})
}

// draws copies what another client draws.
func (m *match) draws(c *systems.Client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range ecs.All[struct {
		Owner components.Owner
		Pos   components.Position
	}](c.View()) {
		m.others[r.Owner.Client] = point{float64(r.Pos.X), float64(r.Pos.Y)}
	}
}

// drawn is where another client draws a player.
func (m *match) drawn(client uint32) point {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.others[client]
}

// toldLast is the newest line of chat that another client was told.
func (m *match) toldLast() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.heard
}

// watch copies what tests ask for.
func (m *match) watch(s *systems.Server, w *ecs.World) {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.players)
	for _, p := range ecs.All[struct {
		Owner components.Owner
		Pos   components.Position
		Who   game.Player
		Is    game.Fighter
	}](w) {
		now := known{client: p.Owner.Client, x: p.Pos.X, y: p.Pos.Y, shots: p.Is.Shots}
		at := m.walked[p.Owner.Client]
		if at == nil {
			at = &walk{x: float64(p.Pos.X), y: float64(p.Pos.Y)}
			m.walked[p.Owner.Client] = at
		}
		const most = 20 // units in a tick
		if d := math.Hypot(float64(p.Pos.X)-at.x, float64(p.Pos.Y)-at.y); d < most {
			at.far += d
		}
		at.x, at.y = float64(p.Pos.X), float64(p.Pos.Y)
		now.walked = at.far
		if session := s.Session(p.Owner.Client); session != nil {
			now.rtt = session.Stats().RTT
		}
		m.players[p.Who.Name.String()] = now
	}
}

// all are the players as the server knows them.
func (m *match) all() (all []known) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.players {
		all = append(all, p)
	}
	return all
}

func (m *match) player(name string) (known, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.players[name]
	return p, ok
}

// patience is how long a machine that does other things as well may take.
const patience = 2 * time.Minute

// until waits for something that the server should see.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if condition() {
			return
		}
	}
	t.Fatalf("never happened: %s", what)
}
