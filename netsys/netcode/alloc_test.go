package netcode

import (
	"net/netip"
	"testing"
	"time"
)

// quiet is a handler of both kinds that does nothing.
type quiet struct{}

func (quiet) Connected(time.Time, *Peer)               {}
func (quiet) Payload(time.Time, *Peer, []byte)         {}
func (quiet) Disconnected(time.Time, *Peer, error)     {}
func (quietClient) Connected(time.Time, *Client)       {}
func (quietClient) Payload(time.Time, *Client, []byte) {}
func (quietClient) Disconnected(time.Time, *Client, error) {
}

type quietClient struct{}

// pipe is a server and a client that are connected, with one datagram in each direction kept.
type pipe struct {
	now      time.Time
	server   *Server
	client   *Client
	peer     *Peer
	addr     netip.AddrPort
	up, down []byte
}

func newPipe(t testing.TB) *pipe {
	w, s, c := connected(t, ServerConfig{PacketsPerSecond: 1e6})
	p := &pipe{now: w.now, server: s.Server, client: c.Client, peer: s.last, addr: c.addr, up: make([]byte, 0, MaxDatagram), down: make([]byte, 0, MaxDatagram)}
	p.server.lane.out = func(_ netip.AddrPort, b []byte) error { p.down = append(p.down[:0], b...); return nil }
	p.client.out = func(_ netip.AddrPort, b []byte) error { p.up = append(p.up[:0], b...); return nil }
	return p
}

// exchange sends a payload up and one down.
func (p *pipe) exchange(t testing.TB, up, down []byte) {
	p.now = p.now.Add(time.Millisecond)
	must(t, p.client.Send(p.now, up))
	if drop := p.server.Receive(p.now, p.addr, p.up, quiet{}); drop != DropNone {
		t.Fatal(drop)
	}
	must(t, p.peer.Send(p.now, down))
	if drop := p.client.Receive(p.now, testServer, p.down, quietClient{}); drop != DropNone {
		t.Fatal(drop)
	}
}

func TestSessionsAllocateNothing(t *testing.T) {
	p := newPipe(t)
	up, down := make([]byte, 100), make([]byte, 400)
	elsewhere := netip.MustParseAddrPort(mallory)
	for what, f := range map[string]func(){
		"payloads": func() { p.exchange(t, up, down) },
		"keep-alives": func() {
			p.now = p.now.Add(sendInterval)
			p.server.Update(p.now, quiet{})
			p.client.Update(p.now, quietClient{})
			p.server.Receive(p.now, p.addr, p.up, quiet{})
			p.client.Receive(p.now, testServer, p.down, quietClient{})
		},
		"resumption": func() {
			p.now = p.now.Add(sendInterval)
			if p.client.Send(p.now, up) != nil || p.server.Find(p.now, elsewhere, p.up, quiet{}) != p.peer {
				t.Error("not found")
			}
			if p.peer.SendTo(p.now, elsewhere, up) != nil || !p.server.Rebind(p.peer, elsewhere) || !p.server.Rebind(p.peer, p.addr) {
				t.Error("not moved")
			}
		},
		"replays":  func() { p.server.Receive(p.now, p.addr, p.up, quiet{}) },
		"stranger": func() { p.server.Receive(p.now, testServer, p.up, quiet{}) },
	} {
		if n := testing.AllocsPerRun(200, f); n != 0 {
			t.Errorf("%s: %v allocations", what, n)
		}
	}
}

// A flood of invalid requests allocates nothing either.
func TestBadRequestsAllocateNothing(t *testing.T) {
	w := newWorld(t, ServerConfig{RequestsPerSecond: 1e6})
	s := w.servers[0]
	b := request(w.issue(w.config(1)))
	from := netip.MustParseAddrPort(mallory)
	b[requestSize-1]++
	if n := testing.AllocsPerRun(200, func() { s.Receive(w.now, from, b, quiet{}) }); n != 0 {
		t.Errorf("not authentic: %v allocations", n)
	}
}
