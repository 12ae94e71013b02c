package host_test

import (
	"errors"
	"net/netip"
	"testing"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/host"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// The game of these tests: players walk and throw stones, rocks come and go, and there is a score.

type keys struct {
	DX, DY int8  `net:"-1..1"`
	Jump   bool  `net:"edge"`
	Acts   uint8 `net:"flags 3 edge"`
	Mood   uint8 `net:"enum 3"`
	Seen   lagcomp.Claim
}

type place struct{ X, Y float32 }

type leaps struct {
	Count uint8 `net:"0..255"`
	Mood  uint8 `net:"enum 3"`
	Acts  uint8 `net:"flags 3"`
}

type score struct {
	Points uint16 `net:"0..65535"`
}

type stone struct {
	Left uint8 `net:"0..255"`
}

type rename struct {
	Name components.Text[[8]byte]
	Loud bool
}

type tag struct {
	Name components.Text[[8]byte]
}

type said struct {
	Text components.Text[[16]byte]
}

type bang struct {
	Loud uint8 `net:"0..255"`
}

func protocol(add ...func(p *ecs.Protocol)) *ecs.Protocol {
	p := ecs.NewProtocol("hosted/1")
	fields := schema.Fields{"X": "-512..512 step 0.01 axis x", "Y": "-512..512 step 0.01 axis y"}
	ecs.ReplicateFields[place](p, ecs.Predicted|ecs.Interpolated, fields)
	ecs.Replicate[leaps](p, ecs.Predicted)
	ecs.Singleton[score](p, 0)
	ecs.Replicate[stone](p, ecs.Predicted)
	ecs.Replicate[tag](p, 0)
	ecs.Input[keys](p)
	ecs.Join(p, func(w *ecs.World, client uint32, l *tag) {
		w.Spawn(components.Owner{Client: client}, place{X: float32(client)}, leaps{}, *l, keys{})
	})
	ecs.Command(p, func(w *ecs.World, client uint32, r *rename) {
		for _, t := range ecs.EachOf[struct{ Tag *tag }](w, client) {
			t.Tag.Name = r.Name
		}
	})
	p.Simulate("walk", func(w *ecs.World) {
		for _, x := range ecs.Each[struct {
			Owner *components.Owner
			Place *place
			Leaps *leaps
			In    *keys
		}](w) {
			x.Place.X += float32(x.In.DX) * 0.25
			x.Place.Y += float32(x.In.DY) * 0.25
			x.Leaps.Mood, x.Leaps.Acts = x.In.Mood, x.Leaps.Acts|x.In.Acts
			if x.In.Jump {
				x.Leaps.Count++
				ecs.Spawn(w, struct {
					Owner components.Owner
					Place place
					Stone stone
				}{*x.Owner, *x.Place, stone{Left: 40}})
			}
		}
	})
	p.Simulate("fly", func(w *ecs.World) {
		for e, x := range ecs.Each[struct {
			Place *place
			Stone *stone
		}](w) {
			if x.Stone.Left--; x.Stone.Left == 0 {
				w.Despawn(e)
			}
			x.Place.X += 0.5
		}
	})
	p.Authority("count", func(w *ecs.World) {
		for _, s := range ecs.Each[struct{ Score *score }](w) {
			s.Score.Points = uint16(w.Tick() / 10)
		}
	})
	for _, f := range add {
		f(p)
	}
	return p
}

// types are the messages and events, alike on both ends.
type types struct {
	events *event.Registry
	said   *channel.Type[said]
}

func newTypes() types {
	t := types{events: event.NewRegistry(channel.Config{})}
	event.Register[bang](t.events, event.Options{From: event.FromServer | event.FromClients})
	t.said = channel.Register[said](t.events.Messages(), "event")
	return t
}

func (t types) book() *host.Book {
	var b host.Book
	host.Message(&b, t.said)
	host.Event[bang](&b, event.FromServer|event.FromClients)
	return &b
}

// match is a server and hosts on a network in memory.
type match struct {
	t      testing.TB
	now    time.Time
	net    *netsys.Network
	at     netip.AddrPort
	types  types
	events *event.Server
	server *systems.Server
	hosts  []*player
	heard  []string // messages of clients
	bangs  int
}

// player is a host with a link.
type player struct {
	*host.Host
	wire *host.Wire
	node *netsys.Conditioner
	lost bool      // its socket is gone
	held *[][]byte // where not nil, what it sends waits there, without an allocation
}

// start is the time at which tests begin. Hosts need a time near the present.
var start = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func newMatch(t testing.TB, p *ecs.Protocol, c systems.ServerConfig) *match {
	t.Helper()
	m := &match{t: t, now: start, net: netsys.NewNetwork(), at: netip.MustParseAddrPort("10.0.0.1:7777"), types: newTypes()}
	m.events = event.NewServer(m.types.events, event.ServerConfig{})
	event.OnServer(m.events, event.Handlers[bang]{Handle: func(w *ecs.World, _ event.Sender, v *bang) {
		m.bangs += int(v.Loud)
		event.Raise(w, event.ToAll(), bang{Loud: v.Loud + 1})
	}})
	c.Start, c.Session.Random, c.Events = start, netsys.SeededRandom(1), m.events
	if c.Session.OnMessage == nil {
		d := channel.NewDispatcher[uint32](m.types.events.Messages())
		channel.Handle(d, m.types.said, func(_ uint32, s *said) { m.heard = append(m.heard, s.Text.String()) })
		c.Session.OnMessage = func(_ *systems.Server, client uint32, number int, b []byte) error {
			return d.Deliver(client, number, b)
		}
	}
	var err error
	m.server, err = systems.NewServer(m.net.Node(m.at), p, c)
	must(t, err)
	return m
}

// join adds a host over a link.
func (m *match) join(p *ecs.Protocol, link netsys.Link, c host.Config) *player {
	m.t.Helper()
	k, err := m.tryJoin(p, link, c)
	must(m.t, err)
	return k
}

func (m *match) tryJoin(p *ecs.Protocol, link netsys.Link, c host.Config) (*player, error) {
	n := uint64(len(m.hosts) + 1)
	node, err := netsys.Condition(m.net.Node(netip.AddrPort{}), netsys.ConditionerConfig{Seed: n, In: link, Out: link})
	must(m.t, err)
	k := &player{node: node}
	k.wire, err = host.NewWire(host.WireConfig{Server: m.at, Out: func(b []byte) error {
		switch {
		case k.lost:
			return nil
		case k.held != nil:
			n := len(*k.held)
			*k.held = append((*k.held)[:n], append((*k.held)[:n+1][n][:0], b...))
			return nil
		}
		return node.Send(m.now, m.at, b)
	}})
	must(m.t, err)
	c.Client.Session.Random, c.Client.Session.ClientID, c.Client.Session.InsecureAllowAnyAddress = netsys.SeededRandom(n), n, true
	k.Host, err = host.New(p, k.wire, k.wire.RemoteAddr(), m.now, c)
	if err == nil {
		m.hosts = append(m.hosts, k)
	}
	return k, err
}

// config returns a host with everything.
func (m *match) config() host.Config {
	return host.Config{
		Client: systems.ClientConfig{Events: event.NewClient(m.types.events, event.ClientConfig{})},
		Input:  host.InputOf(func(c *systems.Client, in *keys) { in.Seen = c.Claim(in.Jump) }),
		Book:   m.types.book(),
	}
}

// play runs the match for a time, at rate frames per second. It calls each after every frame, unless it is nil.
func (m *match) play(d time.Duration, rate int, each func()) {
	m.t.Helper()
	for end := m.now.Add(d); m.now.Before(end); {
		m.now = m.now.Add(time.Second / time.Duration(rate))
		m.frame()
		if each != nil {
			each()
		}
	}
}

// frame is one.
func (m *match) frame() {
	m.server.Advance(m.now)
	for _, k := range m.hosts {
		k.node.Poll(m.now, func(d netsys.Datagram) {
			if k.lost {
				return
			}
			if err := k.wire.Push(m.now, d.Data); err != nil && !errors.Is(err, netsys.ErrClosed) {
				m.t.Fatal(err)
			}
		})
		if _, err := k.Advance(m.now); errors.Is(err, host.ErrTime) {
			m.t.Fatal(err)
		}
		must(m.t, k.Frame(m.now))
	}
}

// bytesOf returns a value as a host gives it.
func bytesOf[T any](v T) []byte {
	b := make([]byte, unsafe.Sizeof(v))
	copy(b, unsafe.Slice((*byte)(unsafe.Pointer(&v)), len(b)))
	return b
}

// valueOf returns a value as a host reads it.
func valueOf[T any](b []byte) (v T) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v)), b)
	return v
}

// placeOf returns the place of a component among the replicated ones.
func placeOf[T any](p *ecs.Protocol) int { return ecs.ComponentOf[T](p).Replicated() }

// column returns a column of a table, as a host reads it.
func column[T any](p *ecs.Protocol, t *host.Table) []T {
	base := t.Columns[placeOf[T](p)]
	if base == nil {
		return nil
	}
	return unsafe.Slice((*T)(base), t.Rows)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// servers returns the addresses of the match, for tokens.
func (m *match) servers() []netip.AddrPort { return []netip.AddrPort{m.at} }
