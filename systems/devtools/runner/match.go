package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// match is a server and its bots in one process.
type match struct {
	o      Options
	game   Game
	start  time.Time
	first  float64 // the server's first tick, above 0 after -load
	server *systems.Server
	link   *netsys.Conditioner // on the server's transport
	open   bool                // other clients, with their own links, may join

	virtual *systemstest.Crowd // in virtual time: server and bots; otherwise nil

	players []*player
	byID    []*player // by client number
	watch   watch
	live    live

	spectator *systems.Replay // of the recording; nil: none

	inspector Inspector // nil: none
}

// newVirtual returns a match in virtual time.
func newVirtual(game Game, o Options) (*match, error) {
	m := &match{o: o, game: game, start: time.Unix(0, 0).UTC()}
	m.watch.init(&m.o)
	address := netip.MustParseAddrPort("127.0.0.1:7777")
	var failed error // of callbacks that return no error
	fail := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	var err error
	m.virtual, err = systemstest.Open(systemstest.Config{
		Protocol:   func() *ecs.Protocol { return game.Protocol(&m.o) },
		Populate:   func(w *ecs.World) { game.populate(w, &m.o) },
		Server:     game.serverConfig(&m.o, m.start, m.schedule),
		ServerAddr: address,
		ServerWire: func(w netsys.Wire) netsys.Wire {
			link, err := m.condition(w)
			if fail(err); err != nil {
				return w
			}
			return link
		},
		Clients: o.bots(),
		Client: func(n int) systems.ClientConfig {
			p := m.addPlayer(n)
			token, err := m.o.access.token(n, &m.o, address, m.start)
			fail(err)
			return p.config(m, token)
		},
		Links:     func(int) (up, down netsys.Link) { return netsys.Link{}, o.link() },
		LinkSeed:  m.o.botSeed,
		CountOnly: true,
		Seed:      o.Seed,
	})
	if err = cmp.Or(failed, err); err != nil {
		return nil, o.loadError(err)
	}
	m.server = m.virtual.Server
	m.first = float64(m.server.Tick())
	for n, k := range m.virtual.Clients {
		p := m.players[n]
		p.client, p.clean = k.Client, func() { k.SetLinks(netsys.Link{}, netsys.Link{}) }
	}
	m.forceRollback()
	if err := o.record(m.server); err != nil {
		return nil, err
	}
	m.server.SetProbe(&m.watch.wakeUp)
	m.virtual.OnServerTick(func() {
		m.watch.served(m, m.virtual.Now(), m.watch.wakeUp.took)
		m.watchRecording(m.virtual.Now())
	})
	m.virtual.OnFrame(func(k *systemstest.Client) { m.players[k.N].drew(m, m.virtual.Now()) })
	return m, nil
}

// newReal returns a match on real sockets of this machine.
func newReal(ctx context.Context, game Game, o Options, listen string) (*match, error) {
	wire, err := game.Listen[o.Transport](listen)
	if err != nil {
		return nil, err
	}
	return newOn(ctx, game, o, wire, wire.LocalAddr().String(), false)
}

// newOn returns a match on a transport whose address for bots is at. If open is set, other clients use the transport
// too, so the link conditions apply on the side of the bots.
func newOn(ctx context.Context, game Game, o Options, wire netsys.Wire, at string, open bool) (*match, error) {
	m := &match{o: o, game: game, start: time.Now(), open: open}
	if err := m.assemble(wire); err != nil {
		return nil, errors.Join(err, wire.Close())
	}
	if open {
		m.removeLinkConditions()
	}
	for n := range o.bots() {
		w, server, err := dial(ctx, o.Transport, at)
		if err == nil {
			err = m.connect(n, w, server)
		}
		if err == nil && open {
			err = m.players[n].link.SetLinks(o.link(), o.link())
		}
		if err != nil {
			return nil, errors.Join(err, m.close())
		}
	}
	return m, nil
}

// assemble creates the server on a transport.
func (m *match) assemble(wire netsys.Wire) error {
	m.watch.init(&m.o)
	if loop, ok := wire.(wakeUpCounter); ok {
		m.watch.woken = loop.WakeUps
	}
	link, err := m.condition(wire)
	if err != nil {
		return err
	}
	if m.server, err = newServer(m.game, m.o, link, m.start, m.schedule); err != nil {
		return err
	}
	m.first = float64(m.server.Tick())
	m.forceRollback()
	return nil
}

// condition applies the link's conditions to what arrives at the server.
func (m *match) condition(wire netsys.Wire) (link *netsys.Conditioner, err error) {
	m.link, err = netsys.Condition(wire, netsys.ConditionerConfig{Seed: m.o.Seed, In: m.o.link()})
	return m.link, err
}

// schedule adds the systems of -push and of the measurements to the server's schedule.
func (m *match) schedule(s *ecs.Schedule) error {
	if m.o.Push > 0 {
		s.Stage("Authority").Add(ecs.System{Name: "push", Run: m.push})
	}
	if m.o.stamped() && m.game.Place != nil {
		m.watch.trail = &trail{at: m.game.Place, most: uint32(m.o.bots())}
		s.Stage("Authority").Add(ecs.System{Name: "trail", Run: m.watch.trail.record})
	}
	return nil
}

// forceRollback makes the server check every tick, if -force-rollback is set.
func (m *match) forceRollback() {
	if m.o.ForceRollback {
		m.server.World().ForceRollback(func(d ecs.Divergence) { m.watch.divergences = append(m.watch.divergences, d) })
	}
}

// ownerRow matches the entities of players.
type ownerRow struct {
	Owner components.Owner
}

// push is an Authority system that moves every player without informing the clients.
func (m *match) push(w *ecs.World) {
	every := uint32(m.o.Push.Seconds()*float64(m.o.Tick) + 0.5)
	if m.watch.done || w.Tick() == 0 || w.Tick()%every != 0 {
		return
	}
	for e, r := range ecs.All[ownerRow](w) {
		if r.Owner.Client == 0 {
			continue
		}
		draw := w.Rand(e)
		dx, dy := direction(draw.Float64())
		const distance = 10
		m.game.Push(w, e, distance*dx, distance*dy)
		if p := m.player(r.Owner.Client); p != nil && p.watch.warm.Load() {
			p.watch.push()
		}
	}
}

// removeLinkConditions removes all link conditions of the server, for the closing phase.
func (m *match) removeLinkConditions() { _ = m.link.SetLinks(netsys.Link{}, netsys.Link{}) }

func (m *match) close() error {
	now := time.Now()
	var errs []error
	for _, p := range m.players {
		errs = append(errs, p.client.Close(now))
	}
	return errors.Join(append(errs, m.server.Close(now))...)
}

// report returns the report of a match that has ended.
func (m *match) report() *Report {
	r := m.watch.report(m)
	r.thin = m.o.thin
	h := m.server.World().Hash()
	var wrong []string
	var clients []*systems.Client
	for _, p := range m.players {
		if w := p.client.World(); w != nil {
			clients = append(clients, p.client)
			h = h*0x100000001b3 ^ w.Hash()
		}
		if err := systems.Difference(m.server, p.client); err != nil {
			wrong = append(wrong, fmt.Sprintf("bot %d: %v", p.n, err))
		}
	}
	r.Divergences = len(m.watch.divergences)
	if r.Divergences > 0 {
		r.Divergence = m.watch.divergences[0].String()
	}
	r.WorldHash = fmt.Sprintf("%016x", h)
	r.Converged = len(wrong) == 0
	slices.Sort(wrong)
	r.Difference = strings.Join(wrong, "; ")
	if m.game.Proof != nil && !m.o.apart {
		r.World = m.game.Proof(m.server, clients)
	}
	return &r
}
