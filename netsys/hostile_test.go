package netsys

import (
	"errors"
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// TestNoise throws random, damaged and repeated datagrams at both ends of a session in mid-game, from the peer's address
// and a stranger's. All are counted, and nothing of the session changes.
func TestNoise(t *testing.T) {
	m := newMatch(t, matchConfig{}).connect()
	stranger := m.network.Node(netip.AddrPort{})
	serverNode := m.server.carrier.wire.(*Node)
	play := func() {
		m.send(m.client.Session(), "input")
		m.send(m.atServer.last, "snapshot")
		m.step()
	}
	for range 100 {
		play()
	}
	// What the two said last, to be damaged.
	var captured [][]byte
	spy := func(d Datagram) { captured = append(captured, append([]byte(nil), d.Data...)) }
	m.send(m.client.Session(), "lost")
	serverNode.Poll(m.now, spy)
	m.send(m.atServer.last, "lost")
	m.clientNode.Poll(m.now, spy)
	random := rand.New(rand.NewPCG(1, 2))
	atServer, atClient, sent := m.server.DatagramDrops().Total(), m.client.DatagramDrops().Total(), uint64(0)
	throw := func(b []byte) {
		for _, from := range []*Node{m.clientNode, stranger} {
			_ = from.Send(m.now, serverNode.LocalAddr(), b)
		}
		for _, from := range []*Node{serverNode, stranger} {
			_ = from.Send(m.now, m.clientNode.LocalAddr(), b)
		}
		if sent += 2; sent%64 == 0 {
			play()
		}
	}
	for size := range MaxDatagram + 1 {
		b := make([]byte, size)
		throw(b)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		throw(b)
		if size > 0 {
			b[0] = byte(size % 8) // every type, known or not, in turn
			throw(b)
		}
	}
	for _, packet := range captured {
		for n := range packet {
			throw(packet[:n])
		}
		for i := range 8 * len(packet) {
			b := append([]byte(nil), packet...)
			b[i/8] ^= 1 << (i % 8)
			throw(b)
		}
	}
	m.step()
	atServer, atClient = m.server.DatagramDrops().Total()-atServer, m.client.DatagramDrops().Total()-atClient
	if atServer != sent || atClient != sent {
		t.Errorf("%d thrown at each, %d and %d counted", sent, atServer, atClient)
	}
	if n := m.server.Drops().Total() + m.client.Drops().Total(); n != 0 {
		t.Errorf("%d were taken for authentic", n)
	}
	if m.atServer.connected != 1 || m.server.Len() != 1 || m.atServer.disconnected+m.atClient.disconnected != 0 {
		t.Fatalf("the honest session suffered: server %+v, client %+v", m.atServer, m.atClient)
	}
	up, down, acked := m.atServer.received, m.atClient.received, m.atClient.acked
	for range 200 {
		play()
	}
	if m.atServer.received-up != 200 || m.atClient.received-down != 200 || m.atClient.acked-acked < 195 {
		t.Errorf("of 200: %d up, %d down, %d acknowledged", m.atServer.received-up, m.atClient.received-down, m.atClient.acked-acked)
	}
}

// A datagram that comes again is dropped, and keeps nobody alive.
func TestReplay(t *testing.T) {
	m := newMatch(t, matchConfig{}).connect()
	node := m.server.carrier.wire.(*Node)
	m.send(m.client.Session(), "once")
	var copied []byte
	node.Poll(m.now, func(d Datagram) { copied = append([]byte(nil), d.Data...) })
	for range 20 * 60 {
		m.now = m.now.Add(second60)
		_ = m.clientNode.Send(m.now, node.LocalAddr(), copied)
		m.server.Poll(m.now, &m.atServer)
	}
	if m.atServer.received != 1 || !errors.Is(m.atServer.reason, ErrTimeout) || m.server.DatagramDrops()[netcode.DropReplay] == 0 {
		t.Errorf("%d received, %v, %v", m.atServer.received, m.atServer.reason, m.server.DatagramDrops())
	}
}

// A client that has its keys and sends what no honest one does is counted by reason, and thrown out when it was too
// much; a client does the same to its server.
func TestMalformed(t *testing.T) {
	head := func(kind uint8, seq uint16, more ...byte) []byte {
		b := make([]byte, headerSize)
		header{kind: kind, seq: seq, delay: nothingHeard}.put(b)
		return append(b, more...)
	}
	for _, test := range []struct {
		name string
		make func(seq uint16) []byte
		want DropReason
	}{
		{"empty", func(uint16) []byte { return []byte{kindDatagram} }, DropTooShort},
		{"no such type", func(seq uint16) []byte { return head(99, seq) }, DropUnknownType},
		{"type 0", func(seq uint16) []byte { return head(0, seq) }, DropUnexpected},
		{"an answer in the wrong direction", func(uint16) []byte { return appendRefused(nil, refused{reason: refusedClosing}) }, DropUnexpected},
		{"length beyond the end", func(seq uint16) []byte { return head(kindBoth, seq, 9, 0, 1, 2) }, DropMalformed},
		{"no channels", func(seq uint16) []byte { return head(kindBoth, seq, 2, 0, 1, 2) }, DropMalformed},
		{"no length", func(seq uint16) []byte { return head(kindBoth, seq, 2) }, DropMalformed},
		{"close without reason", func(seq uint16) []byte { return head(kindClose, seq) }, DropMalformed},
		{"challenge too short", func(seq uint16) []byte { return head(kindChallenge, seq, 1) }, DropMalformed},
		{"bad channels", func(seq uint16) []byte { return head(kindChannels, seq, 255, 255) }, DropChannels},
		{"bad channels behind a payload", func(seq uint16) []byte { return head(kindBoth, seq, 1, 0, 7, 255, 255) }, DropChannels},
		{"numbers again", func(uint16) []byte { return head(kindChannels, 0) }, DropDuplicate},
		{"numbers from long ago", func(seq uint16) []byte { return head(kindChannels, seq-600) }, DropStale},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMatch(t, matchConfig{server: ServerConfig{MaxMalformed: 5}}).connect()
			for range 60 {
				m.step()
			}
			for i := range uint16(5) {
				if err := m.client.netcode.Send(m.now, test.make(m.client.Session().Next()+i)); err != nil {
					t.Fatal(err)
				}
			}
			m.server.Poll(m.now, &m.atServer)
			drops := m.server.Drops()
			if drops[test.want] != 5 || drops.Total() != 5 || m.atServer.disconnected != 0 {
				t.Errorf("drops %v, ended by %v", drops, m.atServer.reason)
			}
			_ = m.client.netcode.Send(m.now, test.make(m.client.Session().Next()+5))
			m.server.Poll(m.now, &m.atServer)
			var closed *CloseError
			if !test.want.hostile() {
				if m.atServer.disconnected != 0 {
					t.Errorf("ended by %v", m.atServer.reason)
				}
			} else if !errors.As(m.atServer.reason, &closed) || closed.Reason != ReasonProtocol || closed.Remote {
				t.Errorf("reason %v", m.atServer.reason)
			}
		})
	}
	m := newMatch(t, matchConfig{}).connect()
	for range defaultMaxMalformed + 1 {
		_ = m.server.sessions[0].tunnel.Send(m.now, []byte{kindHello})
	}
	m.client.Poll(m.now, &m.atClient)
	if m.atClient.disconnected != 1 || m.client.Drops()[DropUnexpected] != defaultMaxMalformed+1 {
		t.Errorf("%+v, %v", m.atClient, m.client.Drops())
	}
}
