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
	"github.com/tactusgo/tactus/systems"
)

// player is one bot with its client and link.
type player struct {
	n      int
	world  World
	client *systems.Client
	link   *netsys.Conditioner
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

// crowd is the list of bots.
type crowd struct {
	players []*player
	byID    []*player // by client number
}

// addPlayer creates bot n on a transport. The first ticks of the clients are spread over a step.
func (m *match) addPlayer(n int, wire netsys.Wire, server netip.AddrPort) error {
	world, o, start := m.world, m.o, m.start
	seed := o.Seed*0x9e3779b97f4a7c15 + uint64(n) + 1
	link, err := netsys.Condition(wire, netsys.ConditionerConfig{Seed: seed, In: o.link()})
	if err != nil {
		return err
	}
	p := &player{n: n, link: link, bot: world.Bot(&o, n), world: world}
	token, err := o.access.token(n, &o, server, start)
	if err != nil {
		return err
	}
	config := systems.ClientConfig{
		Token: token,

		InsecureAllowAnyAddress: o.Insecure,

		Gather:  p.bot.Gather(),
		Trained: o.files.trained,
		Start:   start.Add(o.tickLength() * time.Duration(n) / time.Duration(o.bots())),
	}
	if n == 0 {
		config.Logger = o.files.log // log one bot only
	}
	// The history covers the round trip, the buffer and a send gap.
	config.History = max(systems.DefaultHistory, int((o.RTT+2*o.Jitter+2*time.Second)/o.tickLength()))
	config.Random = o.random(seed)
	if world.Client != nil {
		world.Client(&o, &config)
	}
	if own, ok := p.bot.(Configurer); ok {
		own.Configure(&config)
	}
	if config.Reach == nil {
		config.Reach = func(t systems.Ticket) (netsys.Wire, netip.AddrPort, error) { return p.reach(&o, seed, t) }
	}
	config.Schedule = both(config.Schedule, o.leaveOut)
	p.client, err = systems.NewClient(link, server, world.Protocol(&o), config)
	if err != nil {
		return err
	}
	p.watch.init(&o)
	m.players = append(m.players, p)
	return nil
}

// reach opens a transport to the destination of a ticket, with the same kind and link conditions as the current one.
func (p *player) reach(o *Options, seed uint64, t systems.Ticket) (netsys.Wire, netip.AddrPort, error) {
	wire, server, err := reach(o.Transport, t)
	if err != nil {
		return nil, server, err
	}
	link, err := netsys.Condition(wire, netsys.ConditionerConfig{Seed: seed, In: o.link(), Out: o.link()})
	if err != nil {
		return nil, server, errors.Join(err, wire.Close())
	}
	p.link = link
	return link, server, nil
}

// player returns the bot with this client number.
func (c *crowd) player(id uint32) *player {
	if int(id) < len(c.byID) && c.byID[id] != nil {
		return c.byID[id]
	}
	for _, p := range c.players {
		if p.id.Load() == id {
			for len(c.byID) <= int(id) {
				c.byID = append(c.byID, nil)
			}
			c.byID[id] = p
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
	p.id.Store(c.ID())
	c.Frame(now)
	if m == nil || m.o.thin {
		return
	}
	p.watch.frame(m, p, now)
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
	_ = p.link.SetLinks(netsys.Link{}, netsys.Link{})
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
