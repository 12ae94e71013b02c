//go:build !js

package main

import (
	"context"
	"io"
	"math"
	"net"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/internal/web"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
)

// match is a server with bots for a browser to play on, and what it knows of players.
type match struct {
	url string

	proxy *proxy // between browsers and the server

	mu      sync.Mutex
	players map[string]known
	walked  map[uint32]*walk
	others  map[uint32]point // what another client draws, by owner
	heard   string           // the newest line of chat that it was told
}

// walk is how far a player has walked, without the jumps to where it comes back.
type walk struct{ x, y, far float64 }

// proxy passes TCP connections on, until they are cut.
type proxy struct {
	net.Listener
	to string

	mu     sync.Mutex
	conns  []net.Conn
	passed int // connections so far
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: ln, to: to}
	t.Cleanup(func() { _ = ln.Close(); p.cut() })
	go func() {
		for {
			in, err := ln.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", p.to)
			if err != nil {
				_ = in.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, in, out)
			p.passed++
			p.mu.Unlock()
			go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
			go func() { _, _ = io.Copy(in, out); _ = in.Close() }()
		}
	}()
	return p
}

// cut breaks all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

// connections is how many there were.
func (p *proxy) connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.passed
}

func (p *proxy) port() uint16 { return uint16(p.Addr().(*net.TCPAddr).Port) }

// known is what the server knows of a player.
type known struct {
	client uint32
	x, y   float32
	rtt    time.Duration
	shots  uint8
	walked float64
}

// newMatch starts a server, bots, another client, and the page.
func newMatch(t *testing.T, bots int) *match {
	t.Helper()
	m := &match{players: map[string]known{}, walked: map[uint32]*walk{}, others: map[uint32]point{}}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	wire := m.serve(ctx, t, &all, bots, policy.LocalSync)
	all.Go(func() { m.look(ctx, wire.LocalAddr().String()) })
	m.proxy = newProxy(t, wire.WebSocketAddr().String())
	site := web.New(web.Config{Package: "examples/play", Port: m.proxy.port(), Progress: t.Output()})
	page := httptest.NewServer(site)
	m.url = page.URL
	t.Cleanup(func() { page.Close(); cancel(); all.Wait() })
	if err := site.Prepare(ctx); err != nil {
		t.Fatal(err)
	}
	return m
}

// serve starts a server and bots under a model.
func (m *match) serve(ctx context.Context, t *testing.T, all *sync.WaitGroup, bots int, p policy.Preset) *eventloop.Listener {
	t.Helper()
	wire, err := eventloop.ListenConfig{WebSocket: eventloop.WebSocketConfig{Addr: "127.0.0.1:0"}}.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	config := systems.ServerConfig{Seed: 7, Policies: p.Policies()}
	game.Arm(&config)
	game.NewMessages().Serve(&config)
	var server *systems.Server
	config.Schedule = func(s *ecs.Schedule) error {
		s.Stage("After").Add(ecs.System{Name: "watch", Run: func(w *ecs.World) { m.watch(server, w) }})
		return nil
	}
	server, err = systems.NewServer(wire, game.CombatProtocol(), config)
	if err != nil {
		t.Fatal(err)
	}
	game.PopulateCombat(server.World(), bots, 60)
	all.Go(func() { _ = server.Run(ctx) })
	for n := range bots {
		all.Go(func() { _ = playBot(ctx, wire.LocalAddr().String(), n, bots, p) })
	}
	return wire
}

// look is another client, which draws.
func (m *match) look(ctx context.Context, address string) {
	config := systems.ClientConfig{}
	game.NewMessages().Play(&config, func(s *game.Said) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.heard = s.Text.String()
	})
	c, err := systems.Dial(ctx, address, game.CombatProtocol(), config)
	if err != nil {
		return
	}
	_ = c.Run(ctx, func(c *systems.Client) {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, r := range ecs.All[struct {
			Owner components.Owner
			Pos   components.Position
		}](c.View()) {
			m.others[r.Owner.Client] = point{float64(r.Pos.X), float64(r.Pos.Y)}
		}
	})
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
