package systems

import (
	"fmt"
	"math/bits"
	"net/netip"
	"os"
	"testing"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// The plaza is the world of these tests: pawns walk where their owner's inputs
// say, everything else is moved and reshaped by the test.

// push is the input of a player.
type push struct {
	DX, DY int8 `net:"-1..1"`
	Fire   bool `net:"edge"`
}

// place is predicted and interpolated. shots is only predicted, tint is neither.
type place struct {
	X, Y float32 `net:"-512..512 step 0.01"`
}

type shots struct {
	Count uint16 `net:"0..65535"`
}

type tint struct {
	Color uint8 `net:"0..200"`
}

type pawn struct {
	At    *place
	Shots *shots `ecs:"optional"`
	In    *push
}

// walking is a row with a pawn and its player's input.
type walking struct {
	At    *place
	Shots *shots `ecs:"optional"`
	In    push
}

func plaza() *ecs.Protocol {
	p := plazaParts("plaza/1")
	ecs.Input[push](p)
	p.Simulate("walk", ecs.Rows(func(e walking, _ ecs.Step) {
		e.At.X = min(max(e.At.X+float32(e.In.DX)/8, -500), 500)
		e.At.Y = min(max(e.At.Y+float32(e.In.DY)/8, -500), 500)
		if e.In.Fire && e.Shots != nil {
			e.Shots.Count++
		}
	}))
	return p
}

func plazaParts(name string) *ecs.Protocol {
	p := ecs.NewProtocol(name)
	ecs.Replicate[place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[shots](p, ecs.Predicted)
	ecs.Replicate[tint](p, 0)
	ecs.Local[veil](p, 0)
	return p
}

// veil is on entities whose visibility a test decides. It counts the decisions.
type veil struct{ Decisions uint32 }

// decide makes the filter of seenIf ask about an entity again.
func decide(w *ecs.World, e ecs.Entity) {
	if v := ecs.Get[veil](w, e); v != nil {
		v.Decisions++
	} else {
		ecs.Add(w, e, veil{1})
	}
}

// seenIf returns an interest in the entities for which f returns true.
func seenIf(f func(e ecs.Entity, client uint32) bool) Interest {
	return Filter(func(me struct{ Client Viewer }, it struct {
		Entity ecs.Entity
		NetID  *components.NetID
		Veil   *veil `ecs:"optional"`
	}) bool {
		return f(it.Entity, uint32(me.Client))
	})
}

// spawnPawn is the join function of most tests.
func spawnPawn(w *ecs.World, client uint32) {
	w.Spawn(components.Owner{Client: client}, place{X: float32(client)}, shots{}, push{})
}

// joining returns a protocol with a join function.
func joining(protocol func() *ecs.Protocol, join func(w *ecs.World, client uint32)) func() *ecs.Protocol {
	return func() *ecs.Protocol {
		p := protocol()
		ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) { join(w, client) })
		return p
	}
}

// peopled returns the plaza in which each player gets a pawn.
func peopled() *ecs.Protocol { return joining(plaza, spawnPawn)() }

// birth is the start of virtual time.
var birth = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

const testTick = time.Second / 60

// game is a server and its clients on a virtual network.
type game struct {
	t        testing.TB
	now      time.Time
	network  *netsys.Network
	addr     netip.AddrPort
	protocol func() *ecs.Protocol
	server   *Server
	clients  []*Client
	nodes    []*netsys.Node
	links    []*netsys.Conditioner
	joins    int
	frozen   bool // the server does not run
	blind    bool // the clients draw nothing
}

// newGame creates a server. Its random numbers depend only on the seed in c.
func newGame(t testing.TB, protocol func() *ecs.Protocol, c ServerConfig) *game {
	t.Helper()
	g := &game{t: t, now: birth, network: netsys.NewNetwork(), protocol: protocol}
	wire := g.network.Node(netip.MustParseAddrPort("127.0.0.1:7777"))
	g.addr = wire.LocalAddr()
	c.Start = birth
	if c.Session.Random == nil {
		c.Session.Random = netsys.SeededRandom(c.Seed + 1)
	}
	var err error
	if g.server, err = NewServer(wire, protocol(), c); err != nil {
		t.Fatal(err)
	}
	return g
}

// join adds a client behind a link with the same quality in both directions.
func (g *game) join(c ClientConfig, link netsys.Link) *Client {
	g.t.Helper()
	return g.joinWith(g.protocol(), c, link)
}

func (g *game) joinWith(p *ecs.Protocol, c ClientConfig, link netsys.Link) *Client {
	g.t.Helper()
	n := uint64(g.joins)
	g.joins++
	node := g.network.Node(netip.AddrPort{})
	wire, err := netsys.Condition(node, netsys.ConditionerConfig{Seed: n + 1, In: link, Out: link})
	if err != nil {
		g.t.Fatal(err)
	}
	c.Start = g.now
	if c.Session.Random == nil {
		c.Session.Random = netsys.SeededRandom(1000 + n)
	}
	k, err := NewClient(wire, g.addr, p, c)
	if err != nil {
		g.t.Fatal(err)
	}
	g.clients, g.links, g.nodes = append(g.clients, k), append(g.links, wire), append(g.nodes, node)
	return k
}

// overhear calls sent for each message that the server sends.
func (g *game) overhear(sent func(client uint32, message []byte)) {
	g.t.Helper()
	err := g.server.Schedule().Wrap("Send", func(run func(*ecs.World)) func(*ecs.World) {
		return func(w *ecs.World) {
			for _, p := range g.server.sessions.peers.All() {
				for _, q := range p.snapshot.Packets() {
					sent(p.ID, q.Bytes)
				}
			}
			run(w)
		}
	})
	if err != nil {
		g.t.Fatal(err)
	}
}

// step runs one tick.
func (g *game) step() {
	g.now = g.now.Add(testTick)
	if !g.frozen {
		g.server.Advance(g.now)
	}
	for _, c := range g.clients {
		c.Advance(g.now)
		if !g.blind {
			c.Frame(g.now)
		}
	}
}

func (g *game) run(ticks int) {
	for range ticks {
		g.step()
	}
}

// until runs until holds returns true, for at most a virtual minute.
func (g *game) until(what string, holds func() bool) {
	g.t.Helper()
	for range 60 * 60 {
		if holds() {
			return
		}
		g.step()
	}
	g.t.Fatalf("never happened: %s", what)
}

// connect runs until all clients are connected.
func (g *game) connect() *game {
	g.t.Helper()
	g.until("all are connected", func() bool {
		for _, c := range g.clients {
			if !c.Connected() {
				return false
			}
		}
		return true
	})
	return g
}

// settle makes all links perfect and runs until everything has arrived.
func (g *game) settle() {
	g.t.Helper()
	for _, l := range g.links {
		if err := l.SetLinks(netsys.Link{}, netsys.Link{}); err != nil {
			g.t.Fatal(err)
		}
	}
	g.run(3 * 60)
}

// converged returns an error for the first client that differs from the server.
func (g *game) converged() error {
	for i, c := range g.clients {
		if err := Difference(g.server, c); err != nil {
			return fmt.Errorf("client %d: %w", i, err)
		}
	}
	return nil
}

func (g *game) mustConverge() {
	g.t.Helper()
	g.settle()
	if err := g.converged(); err != nil {
		g.t.Error(err)
	}
}

// gatherPush returns inputs that walk a square and fire sometimes.
func gatherPush() GatherFunc {
	n := 0
	return Gather(func(_ *Client, in *push) {
		n++
		in.DX, in.DY = int8(n/20%3-1), int8(n/50%3-1)
		in.Fire = n%30 == 0
	})
}

// seeds runs f in parallel for the seeds 1 to n with TACTUS_LONG, otherwise for seed 1.
func seeds(t *testing.T, n int, f func(t *testing.T, seed uint64)) {
	t.Helper()
	if !long() {
		n = 1
	}
	testgame.Seeds(t, n, func(t *testing.T, seed uint64) {
		t.Parallel()
		f(t, seed)
	})
}

// long reports whether the environment variable TACTUS_LONG asks for long tests.
func long() bool { return os.Getenv("TACTUS_LONG") != "" }

func ptr[T any](p *T) unsafe.Pointer { return unsafe.Pointer(p) }

// ownerRow is a row with the owner of an entity.
type ownerRow struct{ Owner components.Owner }

// trailing returns the smallest element of a set.
func trailing(set uint64) int { return bits.TrailingZeros64(set) }
