package runner

import (
	"errors"
	"math"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
)

// player is one bot with its client and link.
type player struct {
	n      int
	game   Game
	client *systems.Client
	link   *netsys.Conditioner // nil in virtual time
	clean  func()              // removes the conditions of the link
	bot    Bot
	id     atomic.Uint32 // client number on the server
	watch  playerWatch
	own    ecs.Entity // in the client's world
	drawn  ecs.Entity // in the view
	live   struct {
		mu    sync.Mutex
		at    time.Time
		stats systems.ClientStats
	}
}

// botSeed returns the seed of all random numbers of bot n.
func (o *Options) botSeed(n int) uint64 { return o.Seed*0x9e3779b97f4a7c15 + uint64(n) + 1 }

// addPlayer adds bot n, which has no client yet.
func (m *match) addPlayer(n int) *player {
	p := &player{n: n, bot: m.game.Bot(&m.o, n), game: m.game}
	p.watch.init(&m.o)
	m.players = append(m.players, p)
	return p
}

// connect adds bot n, with a client on a transport.
func (m *match) connect(n int, wire netsys.Wire, server netip.AddrPort) error {
	link, err := netsys.Condition(wire, netsys.ConditionerConfig{Seed: m.o.botSeed(n), In: m.o.link()})
	if err != nil {
		return err
	}
	token, err := m.o.access.token(n, &m.o, server, m.start)
	if err != nil {
		return err
	}
	p := m.addPlayer(n)
	p.link, p.clean = link, func() { _ = p.link.SetLinks(netsys.Link{}, netsys.Link{}) }
	if p.client, err = systems.NewClient(link, server, m.game.Protocol(&m.o), p.config(m, token)); err != nil {
		m.players = m.players[:n] // close closes the clients of the others
	}
	return err
}

// config returns the configuration of the bot's client. The first ticks of the clients are spread over a step.
func (p *player) config(m *match, token *netcode.ConnectToken) systems.ClientConfig {
	o := &m.o
	config := m.game.botConfig(o, p.bot)
	config.Session.Token, config.Session.InsecureAllowAnyAddress = token, o.Insecure
	config.Start = m.start.Add(o.tickLength() * time.Duration(p.n) / time.Duration(o.bots()))
	if p.n == 0 {
		config.Logger = o.files.log // log one bot only
	}
	// The history covers the round trip, the buffer and a send gap.
	config.Prediction.History = max(systems.DefaultHistory, int((o.RTT+2*o.Jitter+2*time.Second)/o.tickLength()))
	config.Session.Random = o.random(o.botSeed(p.n))
	if o.Save != "" || o.Load != "" {
		config.Session.ClientID = o.botSeed(p.n) // the same player in the match that continues
	}
	m.game.configure(o, p.bot, &config)
	if config.Session.Reach == nil {
		config.Session.Reach = func(t systems.Ticket) (netsys.Wire, netip.AddrPort, error) { return p.reach(o, t) }
	}
	config.Schedule = chain(config.Schedule, o.removeSystems)
	return config
}

// botConfig returns what the flags say about the client of any bot.
func (g *Game) botConfig(o *Options, b Bot) systems.ClientConfig {
	return systems.ClientConfig{Session: systems.ClientSession{Trained: o.files.trained}, Models: g.Presets, Gather: b.Gather()}
}

// configure calls Game.Client and the bot's own Configure.
func (g *Game) configure(o *Options, b Bot, c *systems.ClientConfig) {
	if g.Client != nil {
		g.Client(o, c)
	}
	if own, ok := b.(Configurer); ok {
		own.Configure(c)
	}
}

// Company returns the client of bot n of a room, which plays thin if the model allows it.
func (g *Game) Company(o *Options, n int) systems.ClientConfig {
	b := g.Bot(o, n)
	config := g.botConfig(o, b)
	g.configure(o, b, &config)
	if o.canBeThin() {
		config.Schedule = chain(config.Schedule, systems.Thin)
	}
	return config
}

// reach opens a transport to the destination of a ticket, with the same kind and link conditions as the current one.
func (p *player) reach(o *Options, t systems.Ticket) (netsys.Wire, netip.AddrPort, error) {
	wire, server, err := reach(o.Transport, t)
	if err != nil {
		return nil, server, err
	}
	link, err := netsys.Condition(wire, netsys.ConditionerConfig{Seed: o.botSeed(p.n), In: o.link(), Out: o.link()})
	if err != nil {
		return nil, server, errors.Join(err, wire.Close())
	}
	p.link = link
	return link, server, nil
}

// player returns the bot with this client number.
func (m *match) player(id uint32) *player {
	if int(id) < len(m.byID) && m.byID[id] != nil {
		return m.byID[id]
	}
	for _, p := range m.players {
		if p.id.Load() == id {
			for len(m.byID) <= int(id) {
				m.byID = append(m.byID, nil)
			}
			m.byID[id] = p
			return p
		}
	}
	return nil
}

// advance runs what is due, draws a frame for every step, and measures.
func (p *player) advance(m *match, now time.Time) {
	c := p.client
	if c.Advance(now) == 0 {
		return
	}
	c.Frame(now)
	p.drew(m, now)
}

// drew measures the frame that the client has drawn; with m nil it measures nothing.
func (p *player) drew(m *match, now time.Time) {
	p.id.Store(p.client.ID())
	if m != nil && !m.o.thin {
		p.watch.frame(m, p, now)
	}
}

// publish copies the client's figures for other goroutines, twice a second. It reports whether it did.
func (p *player) publish(now time.Time) bool {
	if now.Sub(p.live.at) < publishEvery {
		return false
	}
	p.live.mu.Lock()
	defer p.live.mu.Unlock()
	p.live.at, p.live.stats = now, p.client.Stats()
	return true
}

// release releases the keys and removes the link conditions.
func (p *player) release() {
	p.bot.Release()
	p.clean()
}

// find sets e to the own entity in w. It searches only if the entity no longer exists.
func (p *player) find(w *ecs.World, e *ecs.Entity) bool {
	if w.Alive(*e) {
		return true
	}
	var ok bool
	*e, ok = p.client.Own(w)
	return ok
}

// direction returns the unit vector at a share of the full turn.
func direction(turn float64) (dx, dy float32) {
	s, c := math.Sincos(2 * math.Pi * turn)
	return float32(c), float32(s)
}
