package netcode

import (
	"bytes"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"
)

// epoch is where virtual time begins in tests.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const (
	testProtocol = 0x1122334455667788
	stepTime     = 20 * time.Millisecond
)

var (
	testKey    = Key{1, 2, 3}
	testServer = netip.MustParseAddrPort("192.0.2.1:40000")
)

// seeded returns a Random function that repeats.
func seeded(seed byte) func([]byte) {
	source := rand.NewChaCha8([32]byte{seed})
	return func(b []byte) { _, _ = source.Read(b) }
}

// datagram is one on its way in a world.
type datagram struct {
	from, to netip.AddrPort
	data     []byte
}

// world is servers and clients on a network that delivers everything in the next step, unless tap says otherwise.
type world struct {
	t       testing.TB
	now     time.Time
	servers []*serverNode
	clients []*clientNode
	queue   []datagram
	// tap sees every datagram that is sent, and loses those for which it returns false.
	tap func(d datagram) bool
}

type serverNode struct {
	*Server
	addr netip.AddrPort
	off  time.Duration // of its clock
	serverLog
}

type clientNode struct {
	*Client
	addr netip.AddrPort
	off  time.Duration // of its clock
	clientLog
}

type serverLog struct {
	connected, disconnected, payloads int
	last                              *Peer
	lastPayload                       []byte
	reason                            error
}

func (l *serverLog) Connected(_ time.Time, p *Peer) { l.connected++; l.last = p }
func (l *serverLog) Payload(_ time.Time, _ *Peer, b []byte) {
	l.payloads++
	l.lastPayload = append(l.lastPayload[:0], b...)
}
func (l *serverLog) Disconnected(_ time.Time, _ *Peer, reason error) {
	l.disconnected++
	l.reason = reason
}

type clientLog struct {
	connected, disconnected, payloads int
	lastPayload                       []byte
	reason                            error
}

func (l *clientLog) Connected(time.Time, *Client) { l.connected++ }
func (l *clientLog) Payload(_ time.Time, _ *Client, b []byte) {
	l.payloads++
	l.lastPayload = append(l.lastPayload[:0], b...)
}
func (l *clientLog) Disconnected(_ time.Time, _ *Client, reason error) {
	l.disconnected++
	l.reason = reason
}

// newWorld has one server.
func newWorld(t testing.TB, config ServerConfig) *world {
	w := &world{t: t, now: epoch}
	w.serve(config)
	return w
}

// serve adds a server. The config contains only the fields that differ from the usual ones.
func (w *world) serve(config ServerConfig) *serverNode {
	w.t.Helper()
	if config.Addresses == nil {
		config.Addresses = []netip.AddrPort{testServer}
	}
	config.Key = orDefault(config.Key, testKey)
	config.ProtocolID = orDefault(config.ProtocolID, uint64(testProtocol))
	if config.Random == nil {
		config.Random = seeded(byte(len(w.servers)))
	}
	n := &serverNode{addr: config.Addresses[0]}
	server, err := NewServer(config, func(to netip.AddrPort, b []byte) error { return w.send(n.addr, to, b) })
	must(w.t, err)
	n.Server = server
	w.servers = append(w.servers, n)
	return n
}

func (w *world) send(from, to netip.AddrPort, b []byte) error {
	d := datagram{from, to, bytes.Clone(b)}
	if w.tap == nil || w.tap(d) {
		w.queue = append(w.queue, d)
	}
	return nil
}

// config returns the configuration of a token for a client.
func (w *world) config(id uint64) TokenConfig {
	return TokenConfig{
		Key:        testKey,
		ProtocolID: testProtocol,
		ClientID:   id,
		Servers:    []netip.AddrPort{testServer},
		Random:     seeded(byte(id)),
	}
}

func (w *world) issue(c TokenConfig) *ConnectToken {
	w.t.Helper()
	token, err := c.Issue(w.now)
	must(w.t, err)
	return token
}

// join adds a client with a token at an address.
func (w *world) join(addr string, token *ConnectToken) *clientNode {
	w.t.Helper()
	n := &clientNode{addr: netip.MustParseAddrPort(addr)}
	client, err := NewClient(token, func(to netip.AddrPort, b []byte) error { return w.send(n.addr, to, b) })
	must(w.t, err)
	n.Client = client
	w.clients = append(w.clients, n)
	return n
}

// seat joins and waits until the client is connected.
func (w *world) seat(addr string, token *ConnectToken) *clientNode {
	w.t.Helper()
	c := w.join(addr, token)
	w.until("connected", func() bool { return c.State() == Connected })
	return c
}

// address returns the i-th of many addresses.
func address(i int) string {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 5000).String()
}

// step lets time pass, delivers everything and updates everybody.
func (w *world) step() {
	w.now = w.now.Add(stepTime)
	queue := w.queue
	w.queue = nil
	for _, d := range queue {
		for _, n := range w.servers {
			if n.addr == d.to {
				n.Receive(w.now.Add(n.off), d.from, d.data, n)
			}
		}
		for _, n := range w.clients {
			if n.addr == d.to {
				n.Receive(w.now.Add(n.off), d.from, d.data, n)
			}
		}
	}
	for _, n := range w.servers {
		n.Update(w.now.Add(n.off), n)
	}
	for _, n := range w.clients {
		n.Update(w.now.Add(n.off), n)
	}
}

func (w *world) run(d time.Duration) {
	for end := w.now.Add(d); w.now.Before(end); {
		w.step()
	}
}

// until steps for at most 20 s.
func (w *world) until(what string, done func() bool) {
	w.t.Helper()
	for range 1000 {
		if done() {
			return
		}
		w.step()
	}
	w.t.Fatalf("never %s: servers %v, clients %v", what, w.servers, w.clients)
}

// connected returns a world with one client that is connected and confirmed.
func connected(t testing.TB, config ServerConfig) (*world, *serverNode, *clientNode) {
	t.Helper()
	w := newWorld(t, config)
	c := w.join("198.51.100.7:5000", w.issue(w.config(7)))
	s := w.servers[0]
	w.until("connected", func() bool { return c.State() == Connected && s.last != nil && s.last.Confirmed() })
	w.run(200 * time.Millisecond)
	return w, s, c
}

// exchange sends a payload each way and expects that both arrive.
func (w *world) exchange(s *serverNode, p *Peer, c *clientNode) {
	w.t.Helper()
	up, down := s.payloads, c.payloads
	must(w.t, c.Send(w.now.Add(c.off), []byte("up")))
	must(w.t, p.Send(w.now.Add(s.off), []byte("down")))
	w.step()
	if s.payloads != up+1 || c.payloads != down+1 || string(s.lastPayload) != "up" || string(c.lastPayload) != "down" {
		w.t.Fatalf("server got %d %q, client %d %q", s.payloads-up, s.lastPayload, c.payloads-down, c.lastPayload)
	}
}

// request returns the request that a client with this token sends.
func request(token *ConnectToken) (b []byte) {
	c, err := NewClient(token, func(_ netip.AddrPort, d []byte) error {
		b = bytes.Clone(d)
		return nil
	})
	if err != nil {
		panic(err)
	}
	c.Update(epoch, nil)
	return b
}

// must fails the test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sealed returns a packet of its own memory.
func (d *direction) sealed(kind uint8, sequence uint64, body []byte) []byte {
	x := newParameters(testProtocol)
	return d.appendPacket(nil, &x, kind, sequence, body)
}

// opened returns the body of a packet, in memory of its own.
func (d *direction) opened(h header, b []byte) (body []byte, ok bool) {
	x := newParameters(testProtocol)
	return d.open(nil, &x, h, b)
}
