package systems

import (
	"net/netip"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// A client that requests full states in every packet gets them at most once per send, at the cost of a joining client.
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
	b := i.input(1, push{})
	b[1] = p.snapshot.Epoch() + 7
	(*serverHandler)(g.server).Received(g.now, p.Session, netsys.Packet{Newest: true, Data: b})
	if p.snapshot.Epoch() == b[1] {
		t.Error("a new epoch at once")
	}
	s := g.server.Stats()
	if full := uint64(100 * 16); s.BytesOut > s.Updates*full {
		t.Errorf("%d bytes in %d updates", s.BytesOut, s.Updates)
	}
}

// Clients that join and leave within one tick leave nothing behind: the entities that Join spawned are despawned as usual,
// Leave sees them, and no number is given twice.
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
