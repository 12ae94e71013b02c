package systems

import (
	"errors"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
)

// line is a line of a chat.
type line struct {
	Text struct {
		N     uint8    `net:"count"`
		Bytes [40]byte `net:"text"`
	}
}

func newLine(text string) (m line) {
	m.Text.N = uint8(copy(m.Text.Bytes[:], text))
	return m
}

func (m *line) String() string { return string(m.Text.Bytes[:m.Text.N]) }

// chat holds the messages of a game, created equally by both ends.
type chat struct {
	registry *channel.Registry
	line     *channel.Type[line]
}

func newChat() (c chat) {
	c.registry = channel.NewRegistry(channel.Config{})
	c.line = channel.Register[line](c.registry, "event")
	return c
}

// A typed message of a player reaches all other clients once and in order over a bad link.
func TestTypedMessages(t *testing.T) {
	up, heard := newChat(), []string{}
	lines := channel.NewDispatcher[*Server](up.registry)
	channel.Handle(lines, up.line, func(s *Server, m *line) {
		for c := range s.Clients {
			if err := up.line.Send(s.Session(c.ID).Channels(), m); err != nil {
				t.Error(err)
			}
		}
	})
	g := newGame(t, peopled, ServerConfig{
		Session: ServerSession{
			Messages:  up.registry,
			OnMessage: func(s *Server, _ uint32, number int, b []byte) error { return lines.Deliver(s, number, b) },
		},
	})
	bad := netsys.Link{Latency: 60 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.2}
	down := newChat()
	for n := range 3 {
		replies := channel.NewDispatcher[int](down.registry)
		channel.Handle(replies, down.line, func(n int, m *line) {
			if n == 2 {
				heard = append(heard, m.String())
			}
		})
		g.join(ClientConfig{
			Session: ClientSession{
				Messages:  down.registry,
				OnMessage: func(_ *Client, number int, b []byte) error { return replies.Deliver(n, number, b) },
			},
		}, bad)
	}
	g.connect()
	g.run(30)
	want := []string{"one", "two", "three", "four", "five"}
	for _, text := range want {
		m := newLine(text)
		if err := down.line.Send(g.clients[0].Session().Channels(), &m); err != nil {
			t.Fatal(err)
		}
		g.run(3)
	}
	g.run(300)
	if !slices.Equal(heard, want) {
		t.Errorf("heard %q", heard)
	}
	if s := g.server.Stats(); s.ChannelMessages != 5 || s.MalformedMessages > 0 {
		t.Errorf("%d messages, %d malformed", s.ChannelMessages, s.MalformedMessages)
	}
	c := g.join(ClientConfig{}, netsys.Link{})
	g.run(60)
	if !errors.Is(c.Err(), netsys.ErrSchema) {
		t.Errorf("a client without the messages: %v", c.Err())
	}
}

// deafening is a wire that receives nothing once deaf is set.
type deafening struct {
	netsys.Wire
	deaf bool
}

func (w *deafening) Poll(now time.Time, deliver func(netsys.Datagram)) {
	w.Wire.Poll(now, func(d netsys.Datagram) {
		if !w.deaf {
			deliver(d)
		}
	})
}

// A client that sends but acknowledges nothing is dropped after the timeout. Until then it costs no more than other clients:
// messages to it are refused when its queues are full.
func TestSlowReader(t *testing.T) {
	log := &journal{}
	g := newGame(t, peopled, ServerConfig{Snapshots: Snapshots{SendRate: 60}, Session: ServerSession{Timeout: 2 * time.Second}, Logger: log.logger()})
	honest := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
	wire := &deafening{Wire: g.network.Node(netip.AddrPort{})}
	c, err := NewClient(wire, g.addr, peopled(), ClientConfig{
		Gather: gatherPush(), Start: g.now, Session: ClientSession{Timeout: time.Minute, Random: netsys.SeededRandom(9), InsecureAllowAnyAddress: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	g.clients = append(g.clients, c)
	g.connect()
	g.run(120)
	event, bulk := channel.Config{}.Channel("event"), channel.Config{}.Channel("bulk")
	session := g.server.Session(c.ID())
	wire.deaf = true
	full, queued := 0, 0
	calm := g.server.Stats()
	for n := range 150 {
		for number, size := range map[int]int{event: 100, bulk: 100_000} {
			err := session.Channels().Send(number, make([]byte, size))
			switch {
			case errors.Is(err, channel.ErrFull):
				full++
			case err != nil:
				t.Fatal(err)
			}
		}
		queued = max(queued, session.Channels().Stats().QueuedBytes)
		g.step()
		if gone := g.server.Session(c.ID()) == nil; gone != (n >= 125) && (n < 115 || n > 135) {
			t.Fatalf("%d ticks after it went deaf the client is gone: %v", n, gone)
		}
	}
	s := g.server.Stats()
	if s.Deaf != 1 || g.server.sessions.peers.Len() != 1 {
		t.Errorf("%d deaf clients, %d are left", s.Deaf, g.server.sessions.peers.Len())
	}
	if s.SendErrors > 0 {
		t.Errorf("%d packets count as refused by the wire", s.SendErrors)
	}
	if log.told("WARN client dropped", "client=2") != 1 {
		t.Errorf("%q", log.lines)
	}
	if full == 0 || queued > 3<<20 {
		t.Errorf("%d messages refused, %d bytes queued at most", full, queued)
	}
	if s.Ticks-calm.Ticks != 150 || s.TicksDropped != calm.TicksDropped {
		t.Errorf("%d ticks in 150, %d dropped", s.Ticks-calm.Ticks, s.TicksDropped-calm.TicksDropped)
	}
	if st := honest.Stats(); st.Corrections > 0 || st.Stalls > 0 {
		t.Errorf("the honest client noticed: %+v", st)
	}
}

// A path of 16 kB/s gets snapshots of that rate without a growing queue: the round trip stays near that of the path, every
// entity gets its turn, and with less traffic the client has the whole world.
func TestSnapshotsFitThePath(t *testing.T) {
	t.Parallel()
	const latency = 30 * time.Millisecond
	busy := true
	g := newGame(t, func() *ecs.Protocol {
		p := peopled()
		p.Authority("shake", func(w *ecs.World) {
			for e, r := range ecs.Each[struct {
				At *place
				_  ecs.With[tint]
			}](w) {
				if draw := w.Rand(e); busy {
					*r.At = place{float32(draw.IntN(1000) - 500), float32(draw.IntN(1000) - 500)}
				}
			}
		})
		return p
	}, ServerConfig{})
	for n := range 200 {
		g.server.World().Spawn(place{X: float32(n)}, tint{uint8(n)})
	}
	c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{Latency: latency})
	narrow := netsys.Link{Latency: latency, Bandwidth: 16_000, Queue: 2 * time.Second}
	if err := g.links[0].SetLinks(narrow, netsys.Link{Latency: latency}); err != nil {
		t.Fatal(err)
	}
	g.connect()
	worst, stale := time.Duration(0), uint32(0)
	for n := range 60 * 25 {
		g.step()
		if n > 60*15 {
			worst = max(worst, g.server.sessions.peers.All()[0].Session.Stats().RTT)
			for _, r := range c.mirror.Entities.All() {
				if tick, ok := c.StateTick(components.NetID(r.ID)); ok {
					stale = max(stale, g.server.link.tick-tick)
				}
			}
		}
	}
	in, _ := g.links[0].Stats()
	t.Logf("round trip %v at most, states %d ticks old, %d lost in the queue, %d bytes/s", worst, stale, in.Overflowed, c.Stats().Session.BytesIn/25)
	if worst > 2*latency+200*time.Millisecond {
		t.Errorf("the round trip grows to %v", worst)
	}
	if _, loaded := c.Loaded(); !loaded || stale > 60*5 {
		t.Errorf("loaded: %v; the oldest state is of %d ticks ago", loaded, stale)
	}
	busy = false
	g.run(60 * 5)
	g.settle()
	if err := g.converged(); err != nil {
		t.Error(err)
	}
}
