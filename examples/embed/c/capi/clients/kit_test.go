package clients

import (
	"net/netip"
	"testing"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
)

// match is an arena on a network in memory, with clients as C has them.
type match struct {
	*Clients
	t        testing.TB
	now      time.Time
	net      *netsys.Network
	server   *systems.Server
	protocol *ecs.Protocol
	held     bool // what clients send waits, so that nothing of the server is counted
}

// socket is a wire that can be held.
type socket struct {
	netsys.Wire
	match *match
}

func (w *socket) Send(now time.Time, to netip.AddrPort, b []byte) error {
	if w.match.held {
		return nil
	}
	return w.Wire.Send(now, to, b)
}

var address = netip.MustParseAddrPort("10.0.0.1:7777")

func newMatch(t testing.TB) *match {
	t.Helper()
	m := &match{t: t, net: netsys.NewNetwork(), protocol: game.CombatProtocol()}
	m.Clients = New(Game{Protocol: game.CombatProtocol, Config: func() host.Config {
		messages := game.NewMessages()
		return host.Config{
			Client: systems.ClientConfig{Session: systems.ClientSession{Messages: messages.Registry, Random: netsys.SeededRandom(1)}},
			Input:  host.InputOf(func(c *systems.Client, in *game.Action) { in.Seen = c.Claim(in.Buttons&game.Fire != 0) }),
			Book:   messages.Book(),
		}
	}})
	m.now = m.base
	m.dial = func(server string) (netsys.Wire, netip.AddrPort, error) {
		if server == "" {
			return nil, netip.AddrPort{}, netsys.ErrClosed
		}
		return &socket{m.net.Node(netip.AddrPort{}), m}, address, nil
	}
	c := systems.ServerConfig{Start: m.now, Session: systems.ServerSession{Random: netsys.SeededRandom(1)}}
	game.Arm(&c)
	game.NewMessages().Serve(&c)
	var err error
	if m.server, err = systems.NewServer(m.net.Node(address), game.CombatProtocol(), c); err != nil {
		t.Fatal(err)
	}
	game.PopulateCombat(m.server.World(), 8, 20)
	t.Cleanup(func() {
		for i := range m.seats { // a pin must not be forgotten
			if s := &m.seats[i]; s.client != nil {
				m.Close(s.turn<<8 | uint32(i+1))
			}
		}
		m.pins.Unpin()
	})
	return m
}

// at returns the time of the match in the unit of the C library.
func (m *match) at() int64 { return m.number(m.now) }

func (m *match) open(player uint64) uint32 {
	m.t.Helper()
	n, err := m.Open(Options{Server: address.String(), Player: player, Flags: Insecure, Now: m.at()})
	if err != nil {
		m.t.Fatal(err)
	}
	return n
}

// play lets time pass, with a frame of each client at 60 a second.
func (m *match) play(d time.Duration, each func(view *View), list ...uint32) {
	for end := m.now.Add(d); m.now.Before(end); {
		m.now = m.now.Add(time.Second / 60)
		m.server.Advance(m.now)
		for _, n := range list {
			m.Advance(n, m.at())
			if v := m.Frame(n, m.at()); v != nil && each != nil {
				each(v)
			}
		}
	}
}

// column returns a column of a table, as C reads it.
func column[T any](m *match, t *Table) []T {
	at := ecs.ComponentOf[T](m.protocol).Replicated()
	p := unsafe.Slice(t.Columns, len(m.protocol.Replicated()))[at]
	if (p != nil) != (t.Mask>>at&1 == 1) {
		m.t.Fatalf("mask %b, and column %d is %v", t.Mask, at, p)
	}
	if p == nil {
		return nil
	}
	return unsafe.Slice((*T)(p), t.Rows)
}

// tables returns the tables of the view.
func (v *View) tables() []Table { return unsafe.Slice(v.Table, v.Tables) }

// own returns the position of the client's own entity; ok is false before it has one.
func (m *match) own(v *View) (at components.Position, ok bool) {
	for i := range v.tables() {
		t := &v.tables()[i]
		for r, o := range column[components.Owner](m, t) {
			if float64(o.Client) == v.Stats.Client && v.Stats.Client != 0 {
				return column[components.Position](m, t)[r], true
			}
		}
	}
	return at, false
}

// bytesOf returns the memory of a value.
func bytesOf[T any](v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)) }
