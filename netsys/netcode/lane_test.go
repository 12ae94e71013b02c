package netcode

import (
	"net/netip"
	"testing"
	"time"
)

// A peer on a lane opens, seals and drops the same datagrams as without one, but accepts only payloads and keep-alives. A peer
// that ends on a lane leaves the tables only in Together.
func TestPeersOnLanes(t *testing.T) {
	p := newPipe(t)
	crew := NewCrew(p.server)
	var sent []byte
	room := make([]byte, MaxDatagram)
	l := crew.Lane(func(to netip.AddrPort, b []byte) error {
		if to != p.addr || &b[0] != &room[0] {
			t.Errorf("sent to %v, not sealed where there was room", to)
		}
		sent = append(sent[:0], b...)
		return nil
	}, func() []byte { return room })
	seal := func(payload string) []byte {
		must(t, p.client.Send(p.now, []byte(payload)))
		return append([]byte(nil), p.up...)
	}
	good, gone := seal("good"), seal("gone")
	forged := append([]byte(nil), seal("forged")...)
	forged[len(forged)-1]++
	slot := crew.Whose(p.addr, good)
	if slot < 0 || crew.Peer(slot) != p.peer || crew.Whose(netip.AddrPortFrom(p.addr.Addr(), 1), good) >= 0 || crew.Whose(p.addr, nil) >= 0 || crew.Whose(p.addr, []byte{kindDisconnect}) >= 0 {
		t.Error("whose datagrams are is not known")
	}
	before := p.server.Drops()
	crew.Apart(p.now)
	p.peer.Use(l)
	for _, c := range []struct {
		b       []byte
		payload string
		drop    DropReason
	}{{good, "good", DropNone}, {good, "", DropReplay}, {forged, "", DropForged}, {[]byte{1}, "", DropSize}, {append([]byte{1<<4 | kindDisconnect}, forged...), "", DropType}} {
		if payload, drop := p.peer.Receive(p.now.Add(time.Hour), c.b); string(payload) != c.payload || drop != c.drop {
			t.Errorf("%q, %v; want %q, %v", payload, drop, c.payload, c.drop)
		}
	}
	must(t, p.peer.Send(p.now, []byte("answer")))
	p.peer.Forget()
	if _, drop := p.peer.Receive(p.now, gone); drop != DropUnknownSender {
		t.Errorf("a session that has ended drops a packet as %v", drop)
	}
	if p.server.Len() != 1 || crew.Whose(p.addr, good) != slot || crew.Peer(slot) != p.peer || p.server.Drops() != before {
		t.Error("the server's tables changed while its peers were on lanes")
	}
	crew.Together()
	p.peer.Use(nil)
	drops := p.server.Drops()
	for i := range before {
		drops[i] -= before[i]
	}
	if want := (Drops{DropReplay: 1, DropForged: 1, DropSize: 1, DropType: 1, DropUnknownSender: 1}); p.server.Len() != 0 || crew.Whose(p.addr, good) >= 0 || crew.Peer(slot) != nil || drops != want {
		t.Errorf("then there are %d clients, and drops %v", p.server.Len(), drops)
	}
	if drop := p.client.Receive(p.now, testServer, sent, quietClient{}); drop != DropNone {
		t.Errorf("what was sealed on a lane is dropped: %v", drop)
	}
}
