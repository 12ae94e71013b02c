package netsys_test

import (
	"bytes"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// everything sends a datagram each way and messages on all channels, some of them long.
func (p *player) everything() {
	p.play()
	for _, number := range []int{eventChannel, messageChannel, signalChannel, stateChannel} {
		p.talk(number, 12)
	}
	if n := len(p.up.sent); n%60 == 0 {
		p.talk(bulkChannel, 20_000)
	}
}

// hear sends the same as everything, but only to the client.
func (p *player) hear() {
	p.down.send(p, p.atServer, nil)
	p.down.messages[eventChannel].send(p, p.atServer, eventChannel, 12)
}

// move gives a client another port, or another address.
func (p *player) move(port uint16, host byte) netip.AddrPort {
	ip := p.node.LocalAddr().Addr().As4()
	ip[1] = 18 + host%2
	return p.node.Rebind(netip.AddrPortFrom(netip.AddrFrom4(ip), port))
}

// A client's port or address changes twenty times under load on a rough link. The session stays the same, no message is lost
// or arrives twice, and datagrams are lost only until the server follows.
func TestAddressChange(t *testing.T) {
	t.Parallel()
	s := newStage(t, netsys.ServerConfig{})
	p := s.seat(7, rough)
	other := s.seat(8, rough)
	session := p.atServer
	const moves = 20
	for i := range moves {
		at := p.move(uint16(6000+i), byte(i))
		followed := 0
		s.run(5*time.Second, func() {
			p.everything()
			other.play()
			if session.RemoteAddr() != at {
				followed++
			}
		})
		if session.RemoteAddr() != at {
			t.Fatalf("move %d: the server still sends to %v, the client is at %v", i, session.RemoteAddr(), at)
		}
		t.Logf("move %d: followed after %d frames", i, followed)
		if followed > 60 {
			t.Errorf("move %d: followed after %d frames", i, followed)
		}
	}
	s.until("all messages arrived", p.delivered)
	p.alive()
	other.alive()
	if p.atServer != session || session.Stats().Moves != moves || len(s.events) != 2 || other.atServer.Stats().Moves != 0 {
		t.Errorf("%d moves of %d, events %v", session.Stats().Moves, moves, s.events)
	}
	if up := p.up.lost(); up > len(p.up.sent)*12/100 {
		t.Errorf("%d datagrams of %d up are lost", up, len(p.up.sent))
	}
	if n := session.Stats().Malformed + p.Session().Stats().Malformed; n != 0 {
		t.Errorf("%d packets count as malformed", n)
	}
}

// A client gets the address of a client that died. The server hears it when the session of the dead client has timed out,
// early enough to keep its own session.
func TestAddressOfTheDead(t *testing.T) {
	s := newStage(t, netsys.ServerConfig{Timeout: 4 * time.Second})
	dead, p := s.seat(1, netsys.Link{}), s.seat(2, netsys.Link{})
	s.run(time.Second, p.everything)
	home := dead.LocalAddr()
	dead.asleep = true
	_ = dead.node.Close()
	s.run(time.Second, p.everything)
	p.node.Rebind(home)
	s.run(4*time.Second, p.everything)
	if !errors.Is(dead.endAtServer, netsys.ErrTimeout) || p.atServer.RemoteAddr() != home {
		t.Errorf("the dead one ended with %v, the other is at %v", dead.endAtServer, p.atServer.RemoteAddr())
	}
	s.until("all messages arrived", p.delivered)
	p.alive()
}

// An attacker who holds back a client's packets and sends them from another address moves no session. The server sends a
// challenge there, of no more bytes than it received, which only the client can answer. Relaying the challenge to the client
// does not help either, because the client answers from its own address.
func TestReplayMovesNobody(t *testing.T) {
	t.Parallel()
	for _, relayed := range []bool{false, true} {
		s := newStage(t, netsys.ServerConfig{})
		p := s.seat(7, netsys.Link{Latency: 20 * time.Millisecond})
		home := p.LocalAddr()
		mallory := s.network.Node(netip.MustParseAddrPort("203.0.113.66:666"))
		var held [][]byte
		holding := false
		p.wire.out = func(_ netip.AddrPort, b []byte) bool {
			if holding {
				held = append(held, bytes.Clone(b))
			}
			return !holding
		}
		in, out, questions := 0, 0, 0
		var pass []netsys.Datagram
		p.wire.add = func(now time.Time, deliver func(netsys.Datagram)) {
			for _, d := range pass {
				d.At = now
				deliver(d)
			}
			pass = nil
		}
		for range 20 {
			// As long as nothing comes from the client's own address, its packets could come from anywhere.
			holding = true
			s.run(250*time.Millisecond, func() {
				p.everything()
				for _, b := range held {
					_ = mallory.Send(s.now, s.addr, b)
					in += len(b)
				}
				held = nil
				mallory.Poll(s.now, func(d netsys.Datagram) {
					out += len(d.Data)
					questions++
					if relayed {
						pass = append(pass, netsys.Datagram{From: s.addr, Data: bytes.Clone(d.Data)})
						holding = false // the answer is to arrive
					}
				})
			})
			holding = false
			s.run(time.Second, p.everything)
		}
		if questions == 0 || out > in {
			t.Errorf("%d questions, %d bytes for %d", questions, out, in)
		}
		if stats := p.atServer.Stats(); p.atServer.RemoteAddr() != home || stats.Moves != 0 {
			t.Errorf("relayed %v: the session is at %v after %d moves", relayed, p.atServer.RemoteAddr(), stats.Moves)
		}
		s.until("all messages arrived", p.delivered)
		p.alive()
		if len(s.events) != 1 {
			t.Errorf("relayed %v: events %v", relayed, s.events)
		}
	}
}

// Three seconds without a packet, in one direction or both, or in which one end is held, or the client's address
// changes: the session, its numbers and its messages go on, and datagrams flow at once.
func TestOutage3s(t *testing.T) {
	t.Parallel()
	dead := netsys.Link{Loss: 1}
	for _, test := range []struct {
		name    string
		in, out netsys.Link
		sleeps  bool
		moves   bool
	}{
		{name: "both ways", in: dead, out: dead},
		{name: "up", in: rough, out: dead},
		{name: "down", in: dead, out: rough},
		{name: "held client", in: rough, out: rough, sleeps: true},
		{name: "another address after it", in: dead, out: dead, moves: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t, netsys.ServerConfig{})
			p := s.seat(7, rough)
			for range 3 {
				s.run(3*time.Second, p.everything)
				must(t, p.link.SetLinks(test.in, test.out))
				each := p.everything
				if p.asleep = test.sleeps; p.asleep {
					each = p.hear
				}
				s.run(3*time.Second, each)
				if p.asleep = false; test.moves {
					p.move(p.LocalAddr().Port()+1, 0)
				}
				must(t, p.link.SetLinks(rough, rough))
				up, down := len(p.up.sent), len(p.down.sent)
				s.run(time.Second, p.everything)
				for name, got := range map[string]int{"up": came(&p.up, up), "down": came(&p.down, down)} {
					t.Logf("%s: %d of 60 in the first second", name, got)
					if got < 30 {
						t.Errorf("%s: %d of 60 datagrams came in the first second after the outage", name, got)
					}
				}
			}
			s.until("all messages arrived", p.delivered)
			p.alive()
			if len(s.events) != 1 || p.atServer.Stats().Malformed+p.Session().Stats().Malformed != 0 {
				t.Errorf("events %v", s.events)
			}
		})
	}
}

// came returns how many of the datagrams from number first on have arrived.
func came(w *traffic, first int) (n int) {
	for _, at := range w.came[first:] {
		if !at.IsZero() {
			n++
		}
	}
	return n
}
