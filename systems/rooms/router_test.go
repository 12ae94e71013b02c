package rooms

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// routerTest is a router with some ports of four seats, and nodes that send to it. The user data of tokens is port and seat.
type routerTest struct {
	*router
	t     testing.TB
	now   time.Time
	net   *netsys.Network
	wire  *netsys.Node
	ports []*port
	got   [][]string // what each port was delivered, from where
}

func newRouterTest(t testing.TB, ports int) *routerTest {
	t.Helper()
	reader, err := netcode.NewReader(netcode.ServerConfig{Key: netcode.Key{1}, Random: netsys.SeededRandom(1)})
	if err != nil {
		t.Fatal(err)
	}
	x := &routerTest{t: t, now: birth, net: netsys.NewNetwork(), got: make([][]string, ports)}
	x.wire = x.net.Node(netip.AddrPort{})
	x.router = newRouter(routerConfig{wires: []netsys.Wire{x.wire}, reader: reader, find: func(_ time.Time, a netcode.Asked) (*port, uint16) {
		if int(a.UserData[0]) >= len(x.ports) {
			return nil, 0
		}
		return x.ports[a.UserData[0]], binary.LittleEndian.Uint16(a.UserData[1:])
	}})
	for range ports {
		x.ports = append(x.ports, x.newPort(4))
	}
	return x
}

// request returns a connection request with a token for a seat.
func (x *routerTest) request(port, seat byte) (b []byte) {
	x.t.Helper()
	token, err := netcode.TokenConfig{
		Key: netcode.Key{1}, ClientID: 1, Servers: []netip.AddrPort{x.wire.LocalAddr()}, UserData: []byte{port, seat}, Lifetime: time.Hour,
	}.Issue(x.now)
	if err != nil {
		x.t.Fatal(err)
	}
	c, err := netcode.NewClient(token, func(_ netip.AddrPort, d []byte) error { b = bytes.Clone(d); return nil })
	if err != nil {
		x.t.Fatal(err)
	}
	c.Update(x.now, nil)
	return b
}

func (x *routerTest) send(from *netsys.Node, b []byte) {
	x.t.Helper()
	if err := from.Send(x.now, x.wire.LocalAddr(), b); err != nil {
		x.t.Fatal(err)
	}
}

// poll polls all ports, some time later.
func (x *routerTest) poll(after time.Duration) {
	x.now = x.now.Add(after)
	for i, p := range x.ports {
		x.got[i] = nil
		p.Poll(x.now, func(d netsys.Datagram) { x.got[i] = append(x.got[i], d.From.String()) })
	}
}

func (x *routerTest) want(what string, counts ...int) {
	x.t.Helper()
	for i, n := range counts {
		if len(x.got[i]) != n {
			x.t.Errorf("%s: port %d got %d datagrams, want %d", what, i, len(x.got[i]), n)
		}
	}
}

var routerPacket = []byte{5, 1, 2, 3} // of a session, to the router

// A request goes to the port in its token, and so do the following datagrams from its address. Requests without a known port,
// and datagrams from unknown addresses, go to no room.
func TestRequestsFindTheirPort(t *testing.T) {
	x := newRouterTest(t, 2)
	a, b, c := x.net.Node(netip.AddrPort{}), x.net.Node(netip.AddrPort{}), x.net.Node(netip.AddrPort{})
	x.send(a, x.request(0, 0))
	x.send(b, x.request(1, 3))
	x.send(c, x.request(2, 0))
	x.send(c, routerPacket)
	x.poll(0)
	x.want("requests", 1, 1)
	x.send(a, routerPacket)
	x.send(a, routerPacket)
	x.send(b, routerPacket)
	x.poll(time.Millisecond)
	x.want("packets", 2, 1)
	if d := x.readDrops(); d.Roomless != 1 || d.Strays != 1 {
		t.Errorf("%+v", d)
	}
	if err := x.ports[0].Close(); err != nil {
		t.Fatal(err)
	}
	x.send(a, routerPacket)
	x.poll(time.Millisecond)
	x.want("closed", 0, 0)
	if n := x.routeCount(); n != 1 {
		t.Errorf("%d addresses", n)
	}
}

// An attacker who repeats a captured request or one token from thousands of addresses gets one place in the table. The
// requesting client and the client in the seat keep theirs.
func TestStolenRequestsTakeNoPlace(t *testing.T) {
	x := newRouterTest(t, 1)
	client, request := x.net.Node(netip.AddrPort{}), x.request(0, 0)
	x.send(client, request)
	x.poll(0)
	thief := x.net.Node(netip.AddrPort{})
	for range 50 {
		for range 20 {
			thief.Rebind(netip.AddrPort{})
			x.send(thief, request)
		}
		x.send(client, routerPacket)
		x.poll(50 * time.Millisecond)
		x.want("the client that asks", 1)
	}
	x.ports[0].setAddress(0, client.LocalAddr())
	for range 100 {
		for range 20 {
			thief.Rebind(netip.AddrPort{})
			x.send(thief, request)
		}
		x.send(client, routerPacket)
		x.poll(50 * time.Millisecond)
		n := 0
		for _, from := range x.got[0] {
			if from == client.LocalAddr().String() {
				n++
			}
		}
		if n != 1 || len(x.got[0]) > 21 {
			t.Fatalf("the client was heard %d times, all together %d", n, len(x.got[0]))
		}
	}
	if n := x.routeCount(); n != 2 {
		t.Errorf("%d addresses of one seat", n)
	}
	x.poll(time.Minute)
	if n := x.routeCount(); n != 1 {
		t.Errorf("%d addresses when only the client is left", n)
	}
	x.ports[0].clearAddress(0)
	if n := x.routeCount(); n != 0 {
		t.Errorf("%d addresses of nobody", n)
	}
}

// Datagrams from unknown addresses reach only rooms with a silent client. A flood of them is limited.
func TestStrays(t *testing.T) {
	x := newRouterTest(t, 2)
	for i := range x.ports {
		x.ports[i].inbox = netsys.NewInbox(1 << 14)
		n := x.net.Node(netip.AddrPort{})
		x.send(n, x.request(byte(i), 0))
		x.poll(0)
		x.ports[i].setAddress(0, n.LocalAddr())
	}
	stranger := x.net.Node(netip.AddrPort{})
	x.send(stranger, routerPacket)
	x.poll(10 * time.Millisecond)
	x.want("nobody is missed", 0, 0)
	x.poll(300 * time.Millisecond)
	for range 5000 {
		x.send(stranger, routerPacket)
	}
	x.poll(time.Millisecond)
	if n := len(x.got[0]) + len(x.got[1]); n != maxStrays {
		t.Errorf("%d strays were handed on, want %d", n, maxStrays)
	}
	x.poll(100 * time.Millisecond)
	x.send(stranger, routerPacket)
	x.poll(time.Millisecond)
	x.want("after the flood", 1, 1)
}

// A client whose address changes gets the route of the new address, whoever had it before.
func TestSettleMoves(t *testing.T) {
	x := newRouterTest(t, 2)
	a, b := x.net.Node(netip.AddrPort{}), x.net.Node(netip.AddrPort{})
	x.ports[0].setAddress(0, a.LocalAddr())
	x.ports[1].setAddress(0, b.LocalAddr())
	x.ports[0].setAddress(0, b.LocalAddr())
	x.send(a, routerPacket)
	x.send(b, routerPacket)
	x.poll(0)
	x.want("moved", 1, 0)
	x.ports[1].clearAddress(0) // it has lost that address
	x.send(b, routerPacket)
	x.poll(time.Millisecond)
	x.want("vacated", 1, 0)
}

// collectingWire is a transport whose only sender collects datagrams until Flush.
type collectingWire struct {
	*netsys.Node
	collected, flushed []string
}

func (w *collectingWire) Senders(int) []netsys.Sender { return []netsys.Sender{collectingSender{w}} }

func (w *collectingWire) Flush(time.Time) {
	w.flushed, w.collected = append(w.flushed, w.collected...), nil
}

type collectingSender struct{ *collectingWire }

func (s collectingSender) Send(_ time.Time, _ netip.AddrPort, b []byte) error {
	s.collected = append(s.collected, string(b))
	return nil
}

func (s collectingSender) Room() []byte { return nil }

// A transport that sends many datagrams at once gets all those of a room together.
func TestDatagramsOfARoomAreSentTogether(t *testing.T) {
	w := &collectingWire{Node: netsys.NewNetwork().Node(netip.AddrPort{})}
	p := newRouter(routerConfig{wires: []netsys.Wire{w}}).newPort(4)
	want := []string{"one", "two", "three"}
	for _, text := range want {
		if err := p.Send(birth, w.LocalAddr(), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if p.Flush(birth); !slices.Equal(w.flushed, want) {
		t.Errorf("got %q, want %q", w.flushed, want)
	}
}
