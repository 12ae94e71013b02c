package netsys

import (
	"fmt"
	"net/netip"
	"testing"
	"time"
)

// A client whose address changes goes on with the same session, in both directions, and its reliable messages too.
func TestAddressChange(t *testing.T) {
	m := newMatch(t, matchConfig{link: Link{Latency: 40 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.05}}).connect()
	var events []string
	m.atServer.onMessage = func(_ int, message []byte) { events = append(events, string(message)) }
	play := func(seconds int) {
		for i := range seconds * 60 {
			m.send(m.client.Session(), "input")
			m.send(m.atServer.last, "snapshot")
			if i%6 == 0 {
				if err := m.client.Session().Channels().Send(0, fmt.Append(nil, m.sent)); err != nil {
					t.Fatal(err)
				}
				m.sent++
			}
			m.step()
		}
	}
	for move := range 4 {
		play(5)
		before := m.atServer.last.RemoteAddr()
		m.clientNode.Rebind(netip.AddrPort{})
		up, down := m.atServer.received, m.atClient.received
		play(5)
		if up, down = m.atServer.received-up, m.atClient.received-down; up < 260 || down < 260 {
			t.Errorf("move %d: of 300, %d up and %d down", move, up, down)
		}
		s := m.atServer.last
		if s.RemoteAddr() == before || s.RemoteAddr() != m.clientNode.LocalAddr() || s.Stats().Moves != uint64(move+1) {
			t.Errorf("move %d: at %v after %v, not %v, %d moves", move, s.RemoteAddr(), before, m.clientNode.LocalAddr(), s.Stats().Moves)
		}
	}
	play(2)
	if m.atServer.connected != 1 || m.atServer.disconnected+m.atClient.disconnected != 0 {
		t.Errorf("server %+v, client %+v", m.atServer, m.atClient)
	}
	for i, e := range events {
		if e != fmt.Sprint(i) {
			t.Fatalf("event %d is %s", i, e)
		}
	}
	if len(events) < m.sent-20 {
		t.Errorf("%d of %d events", len(events), m.sent)
	}
}

// Who can make copies of packets come from another address cannot draw a session there, and what the server sends to
// that address is little.
func TestStolenPacketMovesNothing(t *testing.T) {
	m := newMatch(t, matchConfig{}).connect()
	thief := m.network.Node(netip.AddrPort{})
	home := m.atServer.last.RemoteAddr()
	in, out, answers := 0, 0, 0
	for range 5 * 60 {
		m.send(m.client.Session(), "input")
		m.now = m.now.Add(time.Second / 60)
		m.client.Poll(m.now, &m.atClient)
		// All that the client sent goes astray for a second now and then; the thief passes it on.
		if m.now.Unix()%2 == 0 {
			node := m.server.carrier.wire.(*Node)
			var caught []delayed
			for node.queue.due(m.now) {
				caught = append(caught, node.queue.pop())
			}
			for _, p := range caught {
				_ = thief.Send(m.now, node.LocalAddr(), p.data)
				in += len(p.data)
			}
		}
		m.server.Poll(m.now, &m.atServer)
		thief.Poll(m.now, func(d Datagram) { out += len(d.Data); answers++ })
	}
	s := m.atServer.last
	if s.RemoteAddr() != home || s.Stats().Moves != 0 || m.atServer.disconnected != 0 {
		t.Errorf("moved to %v, %d times; %v", s.RemoteAddr(), s.Stats().Moves, m.atServer.reason)
	}
	if answers == 0 || answers > 5*10 || out > in {
		t.Errorf("%d challenges of %d bytes for %d bytes", answers, out, in)
	}
}

// An outage that is shorter than the timeout changes nothing.
func TestOutage(t *testing.T) {
	m := newMatch(t, matchConfig{}).connect()
	for range 60 {
		m.step()
	}
	silence := Link{Loss: 1}
	if err := m.link.SetLinks(silence, silence); err != nil {
		t.Fatal(err)
	}
	if err := m.client.Session().Channels().Send(0, []byte("in the dark")); err != nil {
		t.Fatal(err)
	}
	for range 3 * 60 {
		m.send(m.client.Session(), "lost")
		m.step()
	}
	if err := m.link.SetLinks(Link{}, Link{}); err != nil {
		t.Fatal(err)
	}
	m.until("the message came", func() bool { return m.atServer.messages == 1 })
	m.send(m.client.Session(), "found")
	m.until("the payload came", func() bool { return m.atServer.received == 1 })
	if m.atServer.connected != 1 || m.atServer.disconnected+m.atClient.disconnected != 0 || m.atServer.last.Stats().Moves != 0 {
		t.Errorf("server %+v, client %+v", m.atServer, m.atClient)
	}
}
