package wasm

import (
	"encoding/binary"
	"math"
	"net/netip"
	"testing"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
)

// The game of these tests: players walk and jump, have names, and talk.

type keys struct {
	DX   int8 `net:"-1..1"`
	Jump bool `net:"edge"`
}

type jumps struct {
	Count uint8 `net:"0..255"`
}

type tag struct {
	Name components.Text[[8]byte]
}

type said struct {
	Text components.Text[[16]byte]
}

func protocol() *ecs.Protocol {
	p := ecs.NewProtocol("module/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[jumps](p, ecs.Predicted)
	ecs.Replicate[tag](p, 0)
	ecs.Input[keys](p)
	ecs.Join(p, func(w *ecs.World, client uint32, l *tag) {
		w.Spawn(components.Owner{Client: client}, components.Position{}, jumps{}, *l, keys{})
	})
	ecs.Command(p, func(w *ecs.World, client uint32, r *tag) {
		for _, t := range ecs.EachOf[struct{ Tag *tag }](w, client) {
			t.Tag.Name = r.Name
		}
	})
	p.Simulate("walk", func(w *ecs.World) {
		for _, x := range ecs.Each[struct {
			Pos   *components.Position
			Jumps *jumps
			In    *keys
		}](w) {
			x.Pos.X += float32(x.In.DX) * w.Step()
			if x.In.Jump {
				x.Jumps.Count++
			}
		}
	})
	return p
}

// talk returns the one type of message.
func talk() (*channel.Registry, *channel.Type[said]) {
	r := channel.NewRegistry(channel.Config{})
	return r, channel.Register[said](r, "event")
}

func game() Game {
	return Game{Protocol: protocol, Config: func() host.Config {
		r, t := talk()
		b := &host.Book{}
		host.Message(b, t)
		return host.Config{Client: systems.ClientConfig{Session: systems.ClientSession{Messages: r}}, Input: host.InputOf[keys](nil), Book: b}
	}}
}

// match is a server or two, and a module whose sockets lead to them, in virtual time.
type match struct {
	t       testing.TB
	now     time.Time
	net     *netsys.Network
	key     netcode.Key
	at      netip.AddrPort // of the first server
	servers []*systems.Server
	module  module
	nodes   map[*link]netsys.Wire
	leads   map[int32]netip.AddrPort // links by number that lead elsewhere
}

func newMatch(t testing.TB) *match {
	t.Helper()
	m := &match{
		t: t, now: time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC), net: netsys.NewNetwork(), key: netcode.GenerateKey(netsys.SeededRandom(1)),
		at: netip.MustParseAddrPort("10.0.0.1:7777"), nodes: make(map[*link]netsys.Wire), leads: make(map[int32]netip.AddrPort),
	}
	m.serve(m.at, systems.ServerConfig{Session: systems.ServerSession{InsecureAllowAnyAddress: true}})
	g, seed := game(), uint64(1)
	m.module = module{protocol: g.Protocol(), machine: func() time.Time { return m.now }}
	m.module.game = Game{Config: func() host.Config {
		c := g.Config()
		seed++
		c.Client.Session.Random = netsys.SeededRandom(seed)
		return c
	}}
	return m
}

// serve adds a server.
func (m *match) serve(at netip.AddrPort, c systems.ServerConfig) *systems.Server {
	m.t.Helper()
	c.Session.Messages, _ = talk()
	c.Start, c.Session.Random = m.now, netsys.SeededRandom(uint64(len(m.servers)+1))
	c.Session.OnMessage = func(*systems.Server, uint32, int, []byte) error { return nil }
	s, err := systems.NewServer(m.net.Node(at), protocol(), c)
	if err != nil {
		m.t.Fatal(err)
	}
	m.servers = append(m.servers, s)
	return s
}

// put writes to the room, as a page does.
func (m *match) put(b ...byte) int32 {
	copy(m.module.grow(int32(len(b))), b)
	return int32(len(b))
}

// text returns the newest text of the module.
func (m *match) text() string { return string(m.module.memory[:m.module.newest]) }

// ms returns a time as a page gives it.
func ms(t time.Time) float64 { return float64(t.UnixMilli()) }

// join makes a host and lets time pass until it has joined.
func (m *match) join(flags int32) int32 {
	m.t.Helper()
	name := []byte(m.at.String())
	n := m.module.open(ms(m.now), m.put(name...), 0, -1, 0, flags|insecure)
	if n == 0 {
		m.t.Fatal(m.text())
	}
	for range 300 {
		m.frame()
		if b := m.module.frame(n, ms(m.now)); b == nil {
			m.t.Fatal(m.text())
		}
		if m.module.hosts[n-1].Stats().Joined == 1 {
			return n
		}
	}
	m.t.Fatal("it has not joined after five seconds")
	return 0
}

// frame runs the server and all hosts for a sixtieth of a second.
func (m *match) frame() {
	m.now = m.now.Add(time.Second / 60).Truncate(time.Millisecond)
	for _, s := range m.servers {
		s.Advance(m.now)
	}
	for i, p := range m.module.hosts {
		if p == nil {
			continue
		}
		for _, l := range p.links.all {
			if node := m.nodes[l]; node != nil {
				node.Poll(m.now, func(d netsys.Datagram) { m.module.push(l.number, ms(m.now), m.put(d.Data...)) })
			}
		}
		m.module.advance(int32(i+1), ms(m.now))
		for _, l := range p.links.all {
			for _, b := range m.out(l.number) {
				if m.nodes[l] == nil {
					m.nodes[l] = m.net.Node(netip.AddrPort{})
				}
				to, ok := m.leads[l.number]
				if !ok {
					to = m.at
				}
				_ = m.nodes[l].Send(m.now, to, b)
			}
			m.module.sent(l.number)
		}
	}
}

// out returns the datagrams that wait on a link, read from memory like a page does.
func (m *match) out(number int32) (all [][]byte) {
	b := m.module.out(number)
	if b == nil {
		return nil
	}
	n, size := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	if n > maxOut || n > 0 && int(size) != len(b) {
		m.t.Fatalf("%d datagrams in %d bytes of %d", n, size, len(b))
	}
	for at := 8; n > 0; n-- {
		k := int(binary.LittleEndian.Uint32(b[at:]))
		if k > netsys.MaxDatagram {
			m.t.Fatalf("a datagram of %d bytes", k)
		}
		all = append(all, b[at+4:at+4+k])
		at += 4 + (k+3)&^3
	}
	return all
}

// input returns an input as it lies in memory.
func (m *match) input(in keys) int32 {
	return m.put(unsafe.Slice((*byte)(unsafe.Pointer(&in)), unsafe.Sizeof(in))...)
}

// stat returns a number of a host's statistics, read from memory at the place in the block.
func (m *match) stat(n int32, what func(s *host.Stats) float64) float64 {
	v := what(m.module.hosts[n-1].Stats())
	if math.IsNaN(v) {
		m.t.Fatalf("host %d: a number that is none", n)
	}
	return v
}
