package netsys_test

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// The kinds of packets of a session, as docs/spec/wire-format.md has them.
const (
	helloKind = 1 + iota
	welcomeKind
	refusedKind
	datagramKind
	bothKind
	channelsKind
	closeKind
	challengeKind
	answerKind
)

// raw is a client with a valid token that sends any packets within its session.
type raw struct {
	stage   *stage
	node    *netsys.Node
	netcode *netcode.Client
	seq     uint16
	kinds   [answerKind + 1]int // of what came
	reason  error
	closed  int // the reason of the last close that came, −1 before
}

// intrude connects a raw client and says hello as an honest client does.
func (s *stage) intrude(id uint64) *raw {
	s.t.Helper()
	r := s.knock(id)
	greeting := helloOf(s.t, netsys.ClientConfig{Channels: s.config.Channels, Schema: s.config.Schema})
	before := s.server.Len()
	s.until("the raw client is in", func() bool {
		r.poll()
		switch {
		case r.kinds[welcomeKind] > 0:
			r.send(channelsKind, nil)
		case r.netcode.State() == netcode.Connected:
			r.say(greeting)
		}
		return s.server.Len() == before+1
	})
	return r
}

// knock begins to connect a raw client, as far as netcode goes.
func (s *stage) knock(id uint64) *raw {
	s.t.Helper()
	r := &raw{stage: s, node: s.network.Node(netip.AddrPortFrom(netip.AddrFrom4([4]byte{203, 0, 113, byte(id)}), 0)), closed: -1}
	var err error
	r.netcode, err = netcode.NewClient(s.issue(id), func(to netip.AddrPort, b []byte) error {
		return r.node.Send(s.now, to, b)
	})
	must(s.t, err)
	return r
}

// poll receives, and updates netcode.
func (r *raw) poll() {
	now := r.stage.now
	r.node.Poll(now, func(d netsys.Datagram) { r.netcode.Receive(now, d.From, d.Data, r) })
	r.netcode.Update(now, r)
}

// say sends one payload of netcode unchanged.
func (r *raw) say(b []byte) { _ = r.netcode.Send(r.stage.now, b) }

// send sends a packet of the session that acknowledges nothing.
func (r *raw) send(kind byte, body []byte) {
	b := binary.LittleEndian.AppendUint16([]byte{kind}, r.seq)
	r.seq++
	b = append(b, 0, 0, 0, 0, 0, 0, 255, 255) // nothing heard
	r.say(append(b, body...))
}

func (r *raw) Connected(time.Time, *netcode.Client) {}

func (r *raw) Payload(_ time.Time, _ *netcode.Client, b []byte) {
	r.kinds[b[0]]++
	if b[0] == closeKind {
		r.closed = int(b[11])
	}
}

func (r *raw) Disconnected(_ time.Time, _ *netcode.Client, reason error) { r.reason = reason }

// helloOf returns the hello of a client with a configuration, which it sends to a server that never answers.
func helloOf(t testing.TB, config netsys.ClientConfig) []byte {
	t.Helper()
	network, now := netsys.NewNetwork(), opening
	node := network.Node(netip.AddrPort{})
	at := &listener{}
	server, err := netcode.NewServer(netcode.ServerConfig{
		Key: netsys.DevelopmentKey(), ProtocolID: netsys.DefaultProtocolID, AnyAddress: true,
	}, func(to netip.AddrPort, b []byte) error { return node.Send(now, to, b) })
	must(t, err)
	client, err := netsys.NewClient(network.Node(netip.AddrPort{}), node.LocalAddr(), config)
	must(t, err)
	for range 60 {
		now = now.Add(frame)
		client.Poll(now, &player{})
		node.Poll(now, func(d netsys.Datagram) { server.Receive(now, d.From, d.Data, at) })
		server.Update(now, at)
	}
	if at.first == nil {
		t.Fatal("the client says no hello")
	}
	return at.first
}

// listener is a netcode server's handler that keeps the first payload.
type listener struct{ first []byte }

func (l *listener) Connected(time.Time, *netcode.Peer) {}

func (l *listener) Payload(_ time.Time, _ *netcode.Peer, b []byte) {
	if l.first == nil {
		l.first = bytes.Clone(b)
	}
}

func (l *listener) Disconnected(time.Time, *netcode.Peer, error) {}
