//go:build !js

package playtest

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
	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
	"github.com/tactusgo/tactus/systems/policy"
)

// Config configures a match.
type Config struct {
	// Bots and NPCs are numbers of entities. NPCs 0: 60.
	Bots, NPCs int
	// Preset is the model of the server, and of bots.
	Preset policy.Model
	// Each is called after every tick. nil: nothing.
	Each func(w *ecs.World)
}

// Match is a server with bots, and the server's view of players.
type Match struct {
	Ctx     context.Context // Until the end of the test
	Ending  sync.WaitGroup  // goroutines that end with the match
	wire    *eventloop.Listener
	Address string // for clients over UDP

	URL   string // of the page, if there is one
	Proxy *Proxy // between browsers and the server

	mu      sync.Mutex
	players map[string]Known
	walked  map[uint32]*walk
	others  map[uint32]paint.Point // positions drawn by another client, by owner
	heard   string                 // newest line of chat received by the other client
}

// walk is how far a player has walked, without the jumps to where it comes back.
type walk struct{ x, y, far float64 }

// Known is the server's view of a player.
type Known struct {
	Client uint32
	X, Y   float32
	RTT    time.Duration
	Shots  uint8
	Aim    float64 // radians, from -Pi to Pi
	Walked float64 // units
}

// New starts a server and bots, Until the end of the test.
func New(t *testing.T, c Config) *Match {
	t.Helper()
	m := &Match{players: map[string]Known{}, walked: map[uint32]*walk{}, others: map[uint32]paint.Point{}}
	var err error
	if m.wire, err = (eventloop.ListenConfig{WebSocket: eventloop.WebSocketConfig{Addr: "127.0.0.1:0"}}).Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	m.Address = m.wire.LocalAddr().String()
	config := systems.ServerConfig{Seed: 7, Model: c.Preset}
	game.Arm(&config)
	game.NewMessages().Serve(&config)
	var server *systems.Server
	config.Schedule = func(s *ecs.Schedule) error {
		s.Stage("After").Add(ecs.System{Name: "watch", Run: func(w *ecs.World) {
			m.watch(server, w)
			if c.Each != nil {
				c.Each(w)
			}
		}})
		return nil
	}
	if server, err = systems.NewServer(m.wire, game.CombatProtocol(), config); err != nil {
		t.Fatal(err)
	}
	game.PopulateCombat(server.World(), c.Bots, cmp.Or(c.NPCs, 60))
	ctx, cancel := context.WithCancel(context.Background())
	m.Ctx = ctx
	t.Cleanup(func() { cancel(); m.Ending.Wait() })
	m.Ending.Go(func() { _ = server.Run(ctx) })
	for n := range c.Bots {
		m.Ending.Go(func() { _ = bot(ctx, m.Address, n, c.Bots, c.Preset) })
	}
	return m
}

// NewPage starts a match with another client, and a page to play on.
func NewPage(t *testing.T, c Config) *Match {
	t.Helper()
	m := New(t, c)
	m.Look()
	m.Page(t)
	return m
}

// Page serves a page to play on.
func (m *Match) Page(t *testing.T) {
	t.Helper()
	m.Proxy = newProxy(t, m.wire.WebSocketAddr().String())
	site := web.New(web.Config{Package: "examples/play", Args: []string{"arena"}, Port: m.Proxy.port(), Progress: t.Output()})
	page := httptest.NewServer(site)
	t.Cleanup(page.Close)
	m.URL = page.URL
	if err := site.Prepare(m.Ctx); err != nil {
		t.Fatal(err)
	}
}

// Look starts another client that draws.
func (m *Match) Look() {
	config := systems.ClientConfig{}
	game.NewMessages().Play(&config, func(s *game.Said) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.heard = s.Text.String()
	})
	m.Ending.Go(func() {
		c, err := systems.Dial(m.Ctx, m.Address, game.CombatProtocol(), config)
		if err != nil {
			return
		}
		_ = c.Run(m.Ctx, m.draws)
	})
}

// draws copies the positions that the other client draws.
func (m *Match) draws(c *systems.Client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range ecs.All[struct {
		Owner components.Owner
		Pos   components.Position
	}](c.View()) {
		m.others[r.Owner.Client] = paint.Point{X: float64(r.Pos.X), Y: float64(r.Pos.Y)}
	}
}

// Drawn is where another client draws a player.
func (m *Match) Drawn(client uint32) paint.Point {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.others[client]
}

// ToldLast is the newest line of chat that another client was told.
func (m *Match) ToldLast() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.heard
}

// watch copies the server's view for tests.
func (m *Match) watch(s *systems.Server, w *ecs.World) {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.players)
	for _, p := range ecs.All[struct {
		Owner components.Owner
		Pos   components.Position
		Head  components.Heading
		Who   game.Player
		Is    game.Fighter
	}](w) {
		now := Known{Client: p.Owner.Client, X: p.Pos.X, Y: p.Pos.Y, Shots: p.Is.Shots, Aim: float64(int16(p.Head.Angle)) * math.Pi / 32768}
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
		now.Walked = at.far
		if session := s.Session(p.Owner.Client); session != nil {
			now.RTT = session.Stats().RTT
		}
		m.players[p.Who.Name.String()] = now
	}
}

// All returns the server's view of all players.
func (m *Match) All() (all []Known) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.players {
		all = append(all, p)
	}
	return all
}

// Player returns the player with a name.
func (m *Match) Player(name string) (Known, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.players[name]
	return p, ok
}

// Patience is the timeout for slow machines.
const Patience = 2 * time.Minute

// Until waits for a condition on the server.
func Until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if condition() {
			return
		}
	}
	t.Fatalf("never happened: %s", what)
}
