package netsys

import (
	"net/netip"
	"testing"
	"time"
)

// epoch is where virtual time begins in tests.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// second60 is between the frames of most tests.
const second60 = time.Second / 60

// log is a Handler that counts.
type log struct {
	connected    int
	received     int
	messages     int
	acked        int
	disconnected int
	reason       error
	last         Session
	onReceived   func(now time.Time, s Session, p Packet)
	onMessage    func(number int, message []byte)
	onAcked      func(seq uint16)

	onDisconnected func()
}

func (l *log) Connected(_ time.Time, s Session) { l.connected++; l.last = s }

func (l *log) Received(now time.Time, s Session, p Packet) {
	l.received++
	if l.onReceived != nil {
		l.onReceived(now, s, p)
	}
}

func (l *log) Message(_ time.Time, _ Session, number int, message []byte) {
	l.messages++
	if l.onMessage != nil {
		l.onMessage(number, message)
	}
}

func (l *log) Acked(_ Session, seq uint16) {
	l.acked++
	if l.onAcked != nil {
		l.onAcked(seq)
	}
}

func (l *log) Disconnected(_ time.Time, _ Session, reason error) {
	l.disconnected++
	l.reason = reason
	if l.onDisconnected != nil {
		l.onDisconnected()
	}
}

// match is a server and one client on a virtual network, the client behind a conditioner.
type match struct {
	t          testing.TB
	now        time.Time
	network    *Network
	server     *Server
	client     *Client
	link       *Conditioner
	atServer   log
	atClient   log
	clientAddr netip.AddrPort
	clientNode *Node
}

type matchConfig struct {
	link   Link
	server ServerConfig
	client ClientConfig
}

// newMatch returns a match that is not connected yet.
func newMatch(t testing.TB, c matchConfig) *match {
	t.Helper()
	m := &match{t: t, now: epoch, network: NewNetwork()}
	serverNode := m.network.Node(netip.AddrPort{})
	m.clientNode = m.network.Node(netip.AddrPort{})
	m.clientAddr = m.clientNode.LocalAddr()
	var err error
	if m.link, err = Condition(m.clientNode, ConditionerConfig{Seed: 1, In: c.link, Out: c.link}); err != nil {
		t.Fatal(err)
	}
	if c.server.Random == nil {
		c.server.Random = SeededRandom(2)
	}
	if c.client.Random == nil {
		c.client.Random = SeededRandom(3)
	}
	if m.server, err = NewServer(serverNode, c.server); err != nil {
		t.Fatal(err)
	}
	if m.client, err = NewClient(m.link, serverNode.LocalAddr(), c.client); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *match) connect() *match {
	m.t.Helper()
	m.until("connected", func() bool { return m.atServer.connected == 1 && m.atClient.connected == 1 })
	return m
}

// step lets 1/60 s pass.
func (m *match) step() {
	m.now = m.now.Add(time.Second / 60)
	m.client.Poll(m.now, &m.atClient)
	m.server.Poll(m.now, &m.atServer)
}

func (m *match) until(what string, condition func() bool) {
	m.t.Helper()
	for range 60 * 60 {
		if m.step(); condition() {
			return
		}
	}
	m.t.Fatalf("never happened: %s; server dropped %v, client %v", what, m.server.Drops(), m.client.Drops())
}

// links gives both directions another link.
func (m *match) links(l Link) {
	m.t.Helper()
	must(m.t, m.link.SetLinks(l, l))
}

func (m *match) send(s Session, payload string) uint16 {
	m.t.Helper()
	seq, err := s.Send(m.now, []byte(payload))
	must(m.t, err)
	return seq
}

// must fails the test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func serverOn(t testing.TB, w Wire, config ServerConfig) *Server {
	t.Helper()
	s, err := NewServer(w, config)
	must(t, err)
	return s
}

func clientOn(t testing.TB, w Wire, server netip.AddrPort, config ClientConfig) *Client {
	t.Helper()
	c, err := NewClient(w, server, config)
	must(t, err)
	return c
}

func condition(t testing.TB, w Wire, config ConditionerConfig) *Conditioner {
	t.Helper()
	c, err := Condition(w, config)
	must(t, err)
	return c
}

func dialUDP(t testing.TB, server string) *UDP {
	t.Helper()
	u, err := DialUDP(t.Context(), server)
	must(t, err)
	t.Cleanup(func() { _ = u.Close() })
	return u
}

func listenLoopback(t testing.TB) *UDP {
	t.Helper()
	u, err := ListenUDP("127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = u.Close() })
	return u
}
