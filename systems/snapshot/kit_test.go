package snapshot

import (
	"cmp"
	"log/slog"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/interest"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

type (
	place = testgame.Place
	tint  = testgame.Tint
)

// plaza is a world of entities and its clients.
type plaza struct {
	w     *ecs.World
	s     *System
	all   []ecs.Entity
	peers []*peer
	came  uint32 // clients so far
	tick  uint32
}

func newPlaza(entities int, c Config, seen interest.Interest) *plaza {
	p := c.Protocol
	if p == nil {
		p = testgame.Grounds()
	}
	g := &plaza{w: ecs.NewWorld(p, ecs.Config{TickRate: 60})}
	var err error
	if c.Interest, err = interest.Compile(g.w, p, interest.Rules{Entities: seen}); err != nil {
		panic(err)
	}
	c.World, c.Protocol, c.Clock, c.SendRate, c.Logger = g.w, p, g, cmp.Or(c.SendRate, 20), slog.New(slog.DiscardHandler)
	if c.Budget == 0 {
		c.Budget = 2400
	}
	g.s = New(c, 0)
	for n := range entities {
		g.all = append(g.all, g.w.Spawn(place{X: float32(n % 500)}, tint{Color: uint8(n % 200)}))
	}
	return g
}

// unveiled returns an interest that shows entities without a veil against a client.
func unveiled() interest.Interest {
	return interest.Filter(func(me struct{ Client interest.Viewer }, it struct{ Veil *testgame.Veil }) bool {
		return it.Veil.Of > 0 && uint32(me.Client)%it.Veil.Of == it.Veil.Rest
	})
}

func (g *plaza) Now() time.Time { return time.Unix(int64(g.tick/60), 0) }
func (g *plaza) Tick() uint32   { return g.tick }

// peer is a client that acknowledges everything some ticks later.
type peer struct {
	w      *ecs.World
	c      *Client
	delay  uint32
	seq    uint16
	flying []flight
	lost   func() bool // whether a packet gets lost; nil: none does
}

type flight struct {
	seq uint16
	due uint32
}

func (*peer) Ack() (input uint32, depth uint8, shift int16) { return 0, 0, 0 }
func (*peer) Touch() byte                                   { return 0 }
func (*peer) Report() *report.Client                        { return nil }
func (*peer) Allowance(time.Time) int                       { return 1 << 20 }
func (p *peer) RoundTrip() time.Duration                    { return time.Duration(p.delay) * time.Second / 60 }
func (p *peer) Own(e ecs.Entity, c *ecs.Component) (value unsafe.Pointer) {
	return p.w.Netcode().Pointer(e, c)
}

func (g *plaza) join(delay uint32) *peer {
	p := &peer{w: g.w, delay: delay}
	g.came++
	p.c = g.s.Add(g.came, p, 0)
	g.peers = append(g.peers, p)
	return p
}

// told calls visit with the place in frames of each entity in the newest snapshot to a client.
func (g *plaza) told(p *peer, visit func(group, slot int)) {
	for i := range p.c.view.members {
		if m := &p.c.view.members[i]; m.until == 0 && p.c.held.inSnapshot(m, p.c.started) {
			visit(int(m.group), int(m.slot))
		}
	}
}

// run lets ticks pass; each shows to look, which may be nil, the packets of a send.
func (g *plaza) run(ticks int, look func(*peer, []Packet)) {
	for range ticks {
		for _, p := range g.peers {
			for len(p.flying) > 0 && p.flying[0].due <= g.tick {
				g.s.Acked(p.c, p.flying[0].seq)
				p.flying = p.flying[1:]
			}
		}
		g.tick++
		g.s.Step()
		g.s.Run(g.w)
		for _, p := range g.peers {
			packets := p.c.Packets()
			if look != nil && len(packets) > 0 {
				look(p, packets)
			}
			for i := range packets {
				p.c.Sent(p.seq, &packets[i])
				if p.lost == nil || !p.lost() {
					p.flying = append(p.flying, flight{p.seq, g.tick + p.delay})
				}
				p.seq++
			}
			p.c.Clear()
		}
	}
}

// move gives an entity news.
func (g *plaza) move(n int) {
	ecs.Get[place](g.w, g.all[n%len(g.all)]).Y++
}
