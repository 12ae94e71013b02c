package netsys

import (
	"math/rand/v2"
	"net/netip"
	"testing"
)

// attack sends datagrams at a server with an honest client in mid-game, as that client's address and as a
// stranger's, and checks that each is counted and that the honest session does not notice.
type attack struct {
	*match
	stranger *Node
	sent     uint64
	before   Drops
	captured [][]byte // what the honest client sends
}

func newAttack(t *testing.T) *attack {
	a := &attack{match: newMatch(t, matchConfig{}).connect()}
	a.stranger = a.network.Node(netip.AddrPort{})
	for range 100 {
		a.play()
	}
	a.before = a.server.Drops()
	// A packet of the honest client that has not been delivered yet.
	next := &session{seal: a.client.session.seal}
	for _, kind := range []uint8{kindData, kindKeepAlive, kindDisconnect} {
		payload := []byte("payload of a packet")
		switch kind {
		case kindKeepAlive:
			payload = nil
		case kindDisconnect:
			payload = payload[:1]
		}
		a.captured = append(a.captured, appendPacket(nil, next.seal, header{kind: kind, seq: a.client.session.out.next + 100}, payload))
	}
	return a
}

func (a *attack) play() {
	a.send(a.client.Session(), "input")
	a.send(a.atServer.last, "snapshot")
	a.step()
}

// throw sends b to the server as the honest client and as a stranger.
func (a *attack) throw(b []byte) {
	a.t.Helper()
	for _, from := range []*Node{a.clientNode, a.stranger} {
		if err := from.Send(a.now, a.server.LocalAddr(), b); err != nil {
			a.t.Fatal(err)
		}
		a.sent++
	}
	if a.sent%64 == 0 {
		a.play()
	}
}

// check expects that all that was thrown was counted, and the same service as before.
func (a *attack) check() (drops Drops) {
	a.t.Helper()
	a.step()
	drops = a.server.Drops()
	for i := range drops {
		drops[i] -= a.before[i]
	}
	if drops.Total() != a.sent {
		a.t.Errorf("%d datagrams thrown, %d counted: %v", a.sent, drops.Total(), drops)
	}
	if a.atServer.connected != 1 || a.server.Len() != 1 || a.atServer.disconnected+a.atClient.disconnected != 0 {
		a.t.Fatalf("the honest session suffered: server %+v, client %+v", a.atServer, a.atClient)
	}
	up, down := a.atServer.received, a.atClient.received
	acked := a.atClient.acked
	for range 200 {
		a.play()
	}
	if a.atServer.received-up != 200 || a.atClient.received-down != 200 || a.atClient.acked-acked < 195 {
		a.t.Errorf("of 200: %d up, %d down, %d acknowledged", a.atServer.received-up, a.atClient.received-down, a.atClient.acked-acked)
	}
	if loss := a.atServer.last.Stats().LossIn; loss != 0 {
		a.t.Errorf("the server believes that %v of the packets were lost", loss)
	}
	return drops
}

func TestNoise(t *testing.T) {
	a := newAttack(t)
	random := rand.New(rand.NewPCG(1, 2))
	for size := range MaxDatagram + 1 {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		a.throw(b)
		if size > 0 {
			b[0] = byte(size % 8) // every type, known or not, in turn
			a.throw(b)
		}
	}
	drops := a.check()
	for _, r := range []DropReason{DropTooShort, DropTooLong, DropUnknownType, DropUnexpected, DropUnknownSender, DropChecksum} {
		if drops[r] == 0 {
			t.Errorf("nothing counted as %q: %v", r, drops)
		}
	}
}

// 64 KiB of noise as one flood of small datagrams.
func TestSmallNoise(t *testing.T) {
	a := newAttack(t)
	random := rand.New(rand.NewPCG(3, 4))
	for range 1 << 16 {
		a.throw([]byte{byte(random.Uint32())})
	}
	if drops := a.check(); drops[DropTooShort] != a.sent {
		t.Errorf("drops %v", drops)
	}
}

func TestZeros(t *testing.T) {
	a := newAttack(t)
	for size := range MaxDatagram + 1 {
		a.throw(make([]byte, size))
	}
	a.check()
}

func TestTruncatedAtEveryLength(t *testing.T) {
	a := newAttack(t)
	for _, packet := range append(a.captured, a.client.hello) {
		for n := range packet {
			a.throw(packet[:n])
		}
	}
	a.check()
}

func TestEveryFlippedBit(t *testing.T) {
	a := newAttack(t)
	welcome := appendWelcome(nil, welcome{nonce: 1, id: 2, token: 3, payload: []byte("welcome")})
	refused := appendRefused(nil, refused{nonce: 1, reason: refusedFull})
	for _, packet := range append(a.captured, a.client.hello, welcome, refused) {
		for i := range 8 * len(packet) {
			b := append([]byte(nil), packet...)
			b[i/8] ^= 1 << (i % 8)
			a.throw(b)
		}
	}
	drops := a.check()
	if drops[DropChecksum] == 0 || drops[DropUnknownSender] == 0 {
		t.Errorf("drops %v", drops)
	}
}

// A replayed packet is dropped, whether it is young enough to be a duplicate or too old to tell.
func TestReplay(t *testing.T) {
	a := newAttack(t)
	packet := appendPacket(nil, a.client.session.seal, header{kind: kindData, seq: a.client.session.out.next - 1}, []byte("again"))
	received := a.atServer.received
	for range 700 {
		if err := a.clientNode.Send(a.now, a.server.LocalAddr(), packet); err != nil {
			t.Fatal(err)
		}
		a.sent++
		a.play()
	}
	if got := a.atServer.received - received; got != 700 {
		t.Errorf("%d payloads received of 700", got)
	}
	drops := a.check()
	if drops[DropDuplicate] == 0 || drops[DropStale] == 0 {
		t.Errorf("drops %v", drops)
	}
}

// The same at a client: nothing that comes, from its server's address or another, ends or disturbs its session.
func TestClientSurvivesNoise(t *testing.T) {
	m := newMatch(t, matchConfig{}).connect()
	for !m.client.session.in.heard {
		m.step()
	}
	serverNode, stranger := m.server.wire.(*Node), m.network.Node(netip.AddrPort{})
	random := rand.New(rand.NewPCG(5, 6))
	before, sent := m.client.Drops().Total(), uint64(0)
	throw := func(b []byte) {
		for _, from := range []*Node{serverNode, stranger} {
			if err := from.Send(m.now, m.clientAddr, b); err != nil {
				t.Fatal(err)
			}
			sent++
		}
	}
	answers := [][]byte{
		appendWelcome(nil, welcome{nonce: 1, id: 2, token: 3, payload: []byte("welcome")}),
		appendWelcome(nil, welcome{nonce: m.client.session.nonce, id: 2, token: 3}),
		appendRefused(nil, refused{nonce: m.client.session.nonce, reason: refusedFull}),
		appendPacket(nil, m.client.session.seal+1, header{kind: kindDisconnect, seq: 9999}, []byte{0}),
	}
	for _, packet := range answers {
		throw(packet)
		for i := range 8 * len(packet) {
			b := append([]byte(nil), packet...)
			b[i/8] ^= 1 << (i % 8)
			throw(b)
		}
		m.step()
	}
	for size := range MaxDatagram + 1 {
		b := make([]byte, size)
		throw(b)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		throw(b)
		m.step()
	}
	if got := m.client.Drops().Total() - before; got != sent {
		t.Errorf("%d thrown, %d counted: %v", sent, got, m.client.Drops())
	}
	m.send(m.atServer.last, "still here")
	m.until("the payload arrived", func() bool { return m.atClient.received == 1 })
	if m.atClient.disconnected != 0 || m.client.Session().ID() != 1 {
		t.Errorf("%+v", m.atClient)
	}
}
