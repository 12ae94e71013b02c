package rooms

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// birth is where virtual time begins.
var birth = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const step = 10 * time.Millisecond

// push is the input of the games of these tests.
type push struct {
	DX int8 `net:"-1..1"`
}

// place is where a player is.
type place struct {
	X float32 `net:"-512..512 step 0.01"`
}

// field returns a game in which players walk.
func field() *ecs.Protocol { return fieldWith(nil) }

// fieldWith returns the game with one more system of the server.
func fieldWith(system func(w *ecs.World)) *ecs.Protocol {
	p := ecs.NewProtocol("field/1")
	ecs.Replicate[place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[push](p)
	p.Simulate("walk", func(w *ecs.World) {
		for _, r := range ecs.Each[struct {
			At *place
			In *push
		}](w) {
			r.At.X = min(max(r.At.X+float32(r.In.DX)/8, -500), 500)
		}
	})
	if system != nil {
		p.Authority("trouble", system)
	}
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, place{}, push{})
	})
	return p
}

// house is a process and players in virtual time.
type house struct {
	t       testing.TB
	now     time.Time
	ahead   time.Duration // by how much the clock of server was set
	down    bool          // nothing reaches the server, and nothing leaves it
	net     *netsys.Network
	server  *Server
	others  []*Server // that are there
	players []*player
	notices []Notice
	events  map[Event]int
}

// player is a client.
type player struct {
	*systems.Client
	id   uint64
	wire *netsys.Node
	lost bool // nothing reaches it on other transports
}

// fields returns a kind. Its rooms refuse nobody because the machine is busy.
func fields(capacity int) Kind {
	server := systems.ServerConfig{TickRate: 20, Overload: systems.Overload{Off: true}}
	return Kind{Name: "field", Protocol: field, Capacity: capacity, Server: server}
}

func newHouse(t testing.TB, c Config) *house {
	t.Helper()
	h := &house{t: t, now: birth, net: netsys.NewNetwork(), events: make(map[Event]int)}
	c.Now = h.clock
	if c.Random == nil {
		c.Random = netsys.SeededRandom(1)
	}
	c.Told = func(n Notice) { h.notices = append(h.notices, n); h.events[n.Event]++ }
	var err error
	if h.server, err = New(c, &clocked{h.net.Node(netip.AddrPort{}), h}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.server.Close(h.clock()); err != nil {
			t.Error(err)
		}
	})
	return h
}

// clock returns what the server's clock shows.
func (h *house) clock() time.Time { return h.now.Add(h.ahead) }

// stepClock sets the server's clock forward, or back, as an administrator does.
func (h *house) stepClock(d time.Duration) { h.ahead += d }

// clocked is the server's transport. The network has its own time.
type clocked struct {
	*netsys.Node
	h *house
}

func (c *clocked) Poll(_ time.Time, deliver func(netsys.Datagram)) {
	c.Node.Poll(c.h.now, func(d netsys.Datagram) {
		if d.At = d.At.Add(c.h.ahead); !c.h.down {
			deliver(d)
		}
	})
}

func (c *clocked) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	if c.h.down {
		return nil
	}
	return c.Node.Send(c.h.now, to, b)
}

// play makes a client of an admission.
func (h *house) play(a Admission) *player {
	h.t.Helper()
	return h.playAs(a, h.server.kinds[a.Kind].Protocol())
}

func (h *house) playAs(a Admission, p *ecs.Protocol) *player {
	h.t.Helper()
	x := &player{id: a.Seat.Player, wire: h.net.Node(netip.AddrPort{})}
	reach := func(systems.Ticket) (netsys.Wire, netip.AddrPort, error) {
		var link netsys.Link
		if x.lost {
			link.Loss = 1
		}
		w, err := netsys.Condition(h.net.Node(netip.AddrPort{}), netsys.ConditionerConfig{In: link, Out: link})
		return w, netip.AddrPort{}, err
	}
	var err error
	x.Client, err = systems.NewClient(x.wire, netip.AddrPort{}, p, systems.ClientConfig{
		Session: systems.ClientSession{Token: a.Token, Reach: reach}, Spectate: a.Spectator, Start: h.now, Gather: systems.Gather(func(_ *systems.Client, in *push) { in.DX = 1 }),
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.players = append(h.players, x)
	return x
}

// run lets time pass.
func (h *house) run(d time.Duration) {
	for end := h.now.Add(d); h.now.Before(end); {
		h.now = h.now.Add(step)
		if h.server != nil {
			h.server.Advance(h.clock())
		}
		for _, s := range h.others {
			s.Advance(h.now)
		}
		for _, p := range h.players {
			if p.Err() == nil {
				p.Advance(h.now)
				p.Frame(h.now)
			}
		}
	}
}

// until waits for something.
func (h *house) until(what string, f func() bool) {
	h.t.Helper()
	for range 3000 {
		if f() {
			return
		}
		h.run(step)
	}
	h.t.Fatalf("%s: not within 30 s", what)
}

// join gives a player a seat of a kind.
func (h *house) join(kind string, id uint64) Admission {
	h.t.Helper()
	a, err := h.server.Join(kind, nil, Player{ID: id, Data: fmt.Append(nil, "player ", id)})
	if err != nil {
		h.t.Fatal(err)
	}
	return a[0]
}

// entered joins and waits until the player has its entity.
func (h *house) entered(kind string, id uint64) (*player, Admission) {
	h.t.Helper()
	a := h.join(kind, id)
	p := h.play(a)
	h.until("in the game", func() bool { return p.playing() })
	return p, a
}

// playing reports whether a player sees its own entity.
func (p *player) playing() bool {
	_, ok := p.Own(p.World())
	return ok
}

// anywhere returns an address.
func anywhere(t testing.TB, s string) netip.AddrPort {
	t.Helper()
	at, err := netip.ParseAddrPort(s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
