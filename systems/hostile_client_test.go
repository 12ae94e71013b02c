package systems

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/serverapply"
)

// A client that sends ten thousand packets a tick has no more of them read than
// the limit, moves no faster than others, and nobody else notices.
func TestInputFlood(t *testing.T) {
	t.Parallel()
	for _, timing := range inputTimings {
		t.Run(timing.String(), func(t *testing.T) {
			g := newGame(t, peopled, ServerConfig{Model: timing.model()})
			c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
			g.connect()
			i := g.intrude()
			g.run(30)
			corrections := c.Stats().Corrections
			from, _ := g.pawnOf(t, i.id)
			const ticks, flood = 6, 10_000
			seq := uint16(0)
			for range ticks {
				for range flood {
					seq++
					i.send(i.input(seq, push{DX: 1}))
				}
				i.tick()
			}
			s := g.server.Stats()
			unread := s.FloodedMessages + s.DatagramDrops[netcode.DropFlood]
			if least := uint64(ticks * (flood - MaxMessages)); unread < least || s.FloodedMessages == 0 {
				t.Errorf("%d messages were not read, %d of them by the server, should be %d at least", unread, s.FloodedMessages, least)
			}
			to, there := g.pawnOf(t, i.id)
			most := float32(ticks+2) / 8
			if timing == onArrival {
				most += serverapply.ArrivalBurst / 8.0
			}
			if !there || to.X-from.X > most {
				t.Errorf("the intruder's pawn went %v in %d ticks, at most %v (there: %v)", to.X-from.X, ticks, most, there)
			}
			if n := c.Stats().Corrections; n != corrections {
				t.Errorf("the honest client was corrected %d times", n-corrections)
			}
			g.mustConverge()
		})
	}
}

// Inputs from far in the future or the past move nothing faster and are counted.
func TestInputsFromElsewhen(t *testing.T) {
	g := newGame(t, peopled, ServerConfig{})
	c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
	g.connect()
	i := g.intrude()
	from, _ := g.pawnOf(t, i.id)
	ticks := 0
	play := func(n int, next func(n int) uint16) (got InputStats) {
		before := g.server.Stats().Inputs
		for k := range n {
			i.send(i.input(next(k), push{DX: 1}))
			i.tick()
			ticks++
		}
		got = g.server.Stats().Inputs
		got.Resyncs -= before.Resyncs
		got.Rejected -= before.Rejected
		return got
	}
	play(60, func(n int) uint16 { return uint16(n + 1) })
	if s := play(60, func(n int) uint16 { return uint16(30_000 + 300*n) }); s.Resyncs < 50 {
		t.Errorf("sixty jumps: %+v", s)
	}
	play(200, func(n int) uint16 { return uint16(50_000 + n) })
	// Old packets that overtook nothing: the session says that they are not the
	// newest, so they say nothing of where the client is.
	for k := range 50 {
		g.server.model.applier.Receive(g.server.sessions.peers.All()[1], netsys.Packet{Data: i.input(uint16(40_000+k), push{})})
	}
	if s := g.server.Stats().Inputs; s.Rejected != 50 {
		t.Errorf("fifty inputs of long ago: %+v", s)
	}
	play(60, func(n int) uint16 { return uint16(1 + 40_000*(n%2)) })
	to, there := g.pawnOf(t, i.id)
	if most := float32(ticks+1) / 8; !there || to.X-from.X > most {
		t.Errorf("went %v in %d ticks, at most %v", to.X-from.X, ticks, most)
	}
	g.mustConverge()
	if n := c.Stats().Corrections; n > 0 {
		t.Errorf("the honest client was corrected %d times", n)
	}
}

// A client that asks for full states in every packet gets them once a send: it
// costs the server what a newcomer costs.
func TestEpochFlood(t *testing.T) {
	g := newGame(t, plaza, ServerConfig{})
	for n := range 100 {
		g.server.World().Spawn(place{X: float32(n)}, tint{uint8(n)})
	}
	i := g.intrude()
	for n := range 600 {
		for k := range 15 { // as fast as a session may
			b := i.input(uint16(15*n+k+1), push{})
			b[1] = byte(15*n + k)
			i.send(b)
		}
		i.tick()
	}
	// Asking costs nothing until the next send.
	p := g.server.sessions.peers.All()[0]
	known := p.snapshot.Baselines()
	b := i.input(1, push{})
	b[1] = known.Epoch() + 7
	(*serverHandler)(g.server).Received(g.now, p.Session, netsys.Packet{Newest: true, Data: b})
	if known.Epoch() == b[1] || known.Asked() != b[1] {
		t.Errorf("epoch %d at once, %d asked for", known.Epoch(), known.Asked())
	}
	s := g.server.Stats()
	if full := uint64(100 * 16); s.BytesOut > s.Updates*full {
		t.Errorf("%d bytes in %d updates", s.BytesOut, s.Updates)
	}
	if first, n, _ := known.World.Of(0); first != 0 || n != 2 {
		t.Errorf("%d groups from %d on are known alike, not 2", n, first)
	}
}

// Clients that come and go within one tick leave nothing behind: what Join made
// for them is despawned like that of others, Leave sees it, and no number is given
// twice.
func TestComeAndGoWithinATick(t *testing.T) {
	var joined, left []uint32
	seen := 0
	g := newGame(t, func() *ecs.Protocol {
		p := joining(plaza, func(w *ecs.World, client uint32) { joined = append(joined, client); spawnPawn(w, client) })()
		p.Leave(func(w *ecs.World, client uint32) {
			left = append(left, client)
			for _, r := range ecs.All[ownerRow](w) {
				if r.Owner.Client == client {
					seen++
				}
			}
		})
		return p
	}, ServerConfig{})
	g.server.World().Spawn(components.Owner{}, place{}) // nobody's
	for n := range 100 {
		c, err := netsys.NewClient(g.network.Node(netip.AddrPort{}), g.addr, netsys.ClientConfig{Schema: g.protocol().Lines(), Random: netsys.SeededRandom(uint64(n))})
		if err != nil {
			t.Fatal(err)
		}
		i := &intruder{Client: c, game: g}
		for i.Poll(g.now, i); i.id == 0 && i.reason == nil; i.Poll(g.now, i) {
			g.step()
		}
		i.send([]byte{wire.KindSnapshot})
		if err := c.Close(g.now); err != nil {
			t.Fatal(err)
		}
		g.step()
	}
	g.step()
	if len(joined) != 100 || len(left) != 100 || seen != 100 {
		t.Errorf("%d joined, %d left, %d pawns were there to be seen", len(joined), len(left), seen)
	}
	given := map[uint32]bool{}
	for _, id := range joined {
		if given[id] || id == 0 {
			t.Errorf("number %d was given twice", id)
		}
		given[id] = true
	}
	entities := 0
	for range ecs.All[ownerRow](g.server.World()) {
		entities++
	}
	if entities != 1 || g.server.sessions.peers.Len() != 0 {
		t.Errorf("%d entities and %d clients are left", entities, g.server.sessions.peers.Len())
	}
}

// numberless is a session of a server that has given all numbers.
type numberless struct {
	netsys.Session
	id     uint64
	closed bool
}

func (n *numberless) ID() uint64                     { return n.id }
func (n *numberless) ClientID() uint64               { return 5 }
func (n *numberless) RemoteAddr() netip.AddrPort     { return netip.AddrPort{} }
func (n *numberless) Close(time.Time, netsys.Reason) { n.closed = true }

// Owners have 32 bits. A session beyond them is closed before it can own what
// belongs to somebody else, the server above all.
func TestSessionsWithoutANumber(t *testing.T) {
	joined := 0
	g := newGame(t, joining(plaza, func(*ecs.World, uint32) { joined++ }), ServerConfig{})
	n := &numberless{id: 1 << 32}
	h := (*serverHandler)(g.server)
	h.Connected(g.now, n)
	h.Received(g.now, n, netsys.Packet{Data: []byte{wire.KindInput}})
	h.Disconnected(g.now, n, errors.New("closed"))
	if !n.closed || joined != 0 || g.server.sessions.peers.Len()+len(g.server.sessions.Gone()) != 0 {
		t.Errorf("closed: %v, %d joined, %d clients", n.closed, joined, g.server.sessions.peers.Len())
	}
}
