package netcode

import (
	"bytes"
	"net/netip"
	"testing"
	"time"
)

const there = "198.51.100.7:6000"

// mover is a connected client whose datagrams are kept instead of delivered.
type mover struct {
	*world
	s    *serverNode
	p    *Peer
	c    *clientNode
	last []byte
}

// newMover returns a client whose address has changed: its packets do not come from its old address any more.
func newMover(t *testing.T, config ServerConfig) *mover {
	w, s, c := connected(t, config)
	m := &mover{world: w, s: s, p: s.last, c: c}
	w.tap = func(d datagram) bool {
		if d.from == c.addr {
			m.last = d.data
			return false
		}
		return true
	}
	return m
}

// send returns the client's packet instead of delivering it.
func (m *mover) send(text string) []byte {
	m.t.Helper()
	must(m.t, m.c.Send(m.now, []byte(text)))
	return m.last
}

func (m *mover) find(from string, b []byte) *Peer {
	return m.s.Find(m.now, netip.MustParseAddrPort(from), b, m.s)
}

// A client's address changes. The server finds the client, challenges it at the new address, and continues the session there.
func TestAddressChange(t *testing.T) {
	m := newMover(t, ServerConfig{})
	s, p, c := m.s, m.p, m.c
	if b := m.send("too early"); m.find(there, b) != nil {
		t.Error("found a client that was heard just now")
	}
	m.run(findSilence)
	b := m.send("moved")
	if drop := s.Receive(m.now, netip.MustParseAddrPort(there), b, s); drop != DropUnknownSender {
		t.Fatalf("%v", drop)
	}
	broken := bytes.Clone(b)
	broken[len(broken)-1]++
	if m.find(there, broken) != nil || m.find(there, b[:10]) != nil {
		t.Fatal("found by what is not authentic")
	}
	if m.find(there, b) != p || string(s.lastPayload) != "moved" || p.Address() != c.addr {
		t.Fatalf("not found: at %v, %q", p.Address(), s.lastPayload)
	}
	if m.find(mallory, b) != nil {
		t.Error("found by a replayed packet")
	}
	// Found once, its next datagrams from there are its own at once; those from elsewhere are not.
	if m.find(mallory, m.send("elsewhere")) != nil {
		t.Error("found twice within 100 ms at different addresses")
	}
	if m.find(there, m.send("again")) != p || string(s.lastPayload) != "again" {
		t.Error("not found again")
	}
	m.tap = nil
	c.addr = netip.MustParseAddrPort(there)
	must(t, p.SendTo(m.now, c.addr, []byte("are you there?")))
	m.step()
	if string(c.lastPayload) != "are you there?" {
		t.Fatalf("the client got %q", c.lastPayload)
	}
	if !s.Rebind(p, c.addr) || p.Address() != c.addr {
		t.Fatal("not bound")
	}
	for range 100 {
		m.exchange(s, p, c)
	}
	if s.connected != 1 || s.disconnected+c.disconnected != 0 {
		t.Error("a session ended or began")
	}
	for _, n := range []int{0, MaxPayload + 1} {
		if err := p.SendTo(m.now, c.addr, make([]byte, n)); err != ErrPayloadSize {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestRebindRefuses(t *testing.T) {
	m := newMover(t, ServerConfig{})
	other := m.seat("198.51.100.8:5000", m.issue(m.config(8)))
	if m.s.Rebind(m.p, other.addr) {
		t.Error("to another client's address")
	}
	if m.find(other.addr.String(), m.send("x")) != nil {
		t.Error("found at another client's address")
	}
	m.p.Forget()
	if m.s.Rebind(m.p, netip.MustParseAddrPort(there)) || m.find(there, m.send("x")) != nil {
		t.Error("after its end")
	}
	if err := m.p.SendTo(m.now, netip.MustParseAddrPort(there), []byte("x")); err != ErrNotConnected {
		t.Errorf("%v", err)
	}
}

// A challenge to a new address does not count as sent to the old one, so that keep-alives there continue.
func TestSendToKeepsNothingAlive(t *testing.T) {
	w, s, _ := connected(t, ServerConfig{})
	sent := s.last.sent
	must(t, s.last.SendTo(w.now.Add(time.Second), netip.MustParseAddrPort(there), []byte("x")))
	if s.last.sent != sent {
		t.Error("counts as sent to the peer")
	}
}

// A hundred clients fall silent at the same time, and one of them sends from another address. The server finds it within a few
// datagrams, whichever it is.
func TestFindAmongMany(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	s := w.servers[0]
	for i := range 100 {
		config := w.config(uint64(i))
		w.join(address(i), w.issue(config))
	}
	w.until("connected", func() bool { return s.Len() == 100 })
	w.run(time.Second)
	var last []byte
	w.tap = func(d datagram) bool {
		if d.to == testServer {
			last = d.data
		}
		return false
	}
	w.run(time.Second)
	from := netip.MustParseAddrPort(there)
	for _, c := range w.clients {
		tries := 0
		for found := false; !found; tries++ {
			must(t, c.Send(w.now, []byte("x")))
			p := s.Find(w.now, from, last, s)
			if found = p != nil; found && p.ClientID() != uint64(c.addr.Addr().As4()[3]) {
				t.Fatalf("%v found for %v", p, c)
			}
			if tries > 100/findTrials+1 {
				t.Fatalf("%v is not found", c)
			}
		}
		w.now = w.now.Add(200 * time.Millisecond) // within the allowance
	}
}

// A client that was found at a new address is recognized there without another search, although strangers use up the
// allowance. The address is forgotten with the session.
func TestFoundIsNotLimited(t *testing.T) {
	m := newMover(t, ServerConfig{})
	m.run(time.Second)
	if m.find(there, m.send("moved")) != m.p {
		t.Fatal("not found")
	}
	forged := m.send("forged")
	forged[len(forged)-1]++
	for i := range 3 * findRate {
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 1)
		m.s.Find(m.now, from, forged, m.s)
	}
	for range 500 {
		if m.find(there, m.send("answer")) != m.p {
			t.Fatal("not found again")
		}
	}
	if m.find(there, bytes.Clone(m.last)) != nil {
		t.Error("found by a replay")
	}
	if !m.s.Rebind(m.p, netip.MustParseAddrPort(there)) || m.s.search.strays.len() != 0 {
		t.Errorf("%d addresses are kept after the move", m.s.search.strays.len())
	}
	m.run(2 * time.Second)
	if m.find(mallory, m.send("moved")) != m.p || m.s.search.strays.len() != 1 {
		t.Errorf("not found, %d addresses", m.s.search.strays.len())
	}
	m.p.Forget()
	if m.s.search.strays.len() != 0 {
		t.Errorf("%d addresses are kept after the end", m.s.search.strays.len())
	}
}

// A flood of datagrams that could be anybody's is tried a bounded number of times, and changes nothing.
func TestFindIsBounded(t *testing.T) {
	m := newMover(t, ServerConfig{})
	m.run(time.Second)
	b := m.send("x")
	b[len(b)-1]++
	before, finds, tried := *m.p, 0, 0
	const seconds = 3
	for range seconds * 100 {
		m.now = m.now.Add(10 * time.Millisecond)
		for i := range 1000 {
			finds++
			from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(finds >> 16), byte(finds >> 8), byte(finds)}), uint16(i))
			m.s.search.turn = m.p.slot // the peer that is tried has had its turn
			if m.s.Find(m.now, from, b, m.s) != nil {
				t.Fatal("found")
			}
			if m.s.search.turn == m.p.slot+1 {
				tried++
			}
		}
	}
	// A look at 256 slots counts as five trials, that of the one peer there is as one.
	if most := (seconds + 1) * findRate / 6; tried < most*9/10 || tried > most {
		t.Errorf("%d datagrams of %d were tried, of %d allowed", tried, finds, most)
	}
	if before.window != m.p.window || before.rate != m.p.rate || before.heard != m.p.heard || before.elsewhere != m.p.elsewhere {
		t.Error("a session changed")
	}
}
