package netcode

import (
	"bytes"
	"testing"
	"time"
)

// A client has a slot on the first server and never hears of it, says goodbye and goes on to the second one, with the same keys.
// Who recorded that goodbye cannot say it to the second.
//
//mutant:rule Session22 netsys/netcode/handshake.go
//mutant:from window:   newWindow(head.sequence),
//mutant:to
func TestGoodbyeToAnotherServer(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	second := w.serve(ServerConfig{Addresses: otherServers[:1]})
	config := w.config(2)
	config.Servers = append(config.Servers, otherServers[0])
	config.Timeout = time.Second
	var goodbyes [][]byte
	w.tap = func(d datagram) bool {
		h, drop := parseHeader(d.data, 0xff)
		if drop == DropNone && h.kind == kindDisconnect && d.to == testServer {
			goodbyes = append(goodbyes, d.data)
		}
		return drop != DropNone || d.from != testServer || h.kind != kindKeepAlive
	}
	c := w.join(alice, w.issue(config))
	w.until("connected", func() bool { return c.State() == Connected })
	for _, b := range goodbyes {
		if drop := second.Receive(w.now, c.addr, b, second); drop != DropReplay && drop != DropStale {
			t.Errorf("a goodbye to the first server: %v", drop)
		}
	}
	if len(goodbyes) != disconnects || second.Len() != 1 || second.disconnected != 0 {
		t.Fatalf("%d goodbyes; the second server has %d clients: %v", len(goodbyes), second.Len(), second.reason)
	}
	w.exchange(second, second.last, c)
}

// A restarted server has forgotten that a token was used. Its owner may come again with it; nothing that anybody
// recorded of the session before counts in the new one, in either direction.
//
//mutant:rule Session22 netsys/netcode/client.go
//mutant:from firstSequence(c.token.Expire, now)
//mutant:to 0
//mutant:rule Session22 netsys/netcode/client.go
//mutant:from newWindow(head.sequence)
//mutant:to window{}
func TestRecordedSessionOfTheSameToken(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	config := w.config(7)
	config.Lifetime = 10 * time.Minute
	token := w.issue(config)
	var up, down [][]byte
	w.tap = func(d datagram) bool {
		if _, drop := parseHeader(d.data, 0xff); drop == DropNone && d.from == testServer {
			down = append(down, bytes.Clone(d.data))
		} else if drop == DropNone {
			up = append(up, bytes.Clone(d.data))
		}
		return true
	}
	first := w.join(alice, token)
	s := w.servers[0]
	w.until("connected", func() bool { return first.State() == Connected && s.last != nil && s.last.Confirmed() })
	for range 300 {
		w.exchange(s, s.last, first)
	}
	first.Forget()
	w.tap = nil

	w.servers, w.clients = w.servers[:0], w.clients[:0]
	s = w.serve(ServerConfig{Random: seeded(99)})
	c := w.join(alice, token)
	w.until("connected", func() bool { return c.State() == Connected && s.last != nil && s.last.Confirmed() })
	for _, b := range up {
		s.Receive(w.now, c.addr, b, s)
	}
	for _, b := range down {
		c.Receive(w.now, s.addr, b, c)
	}
	if s.payloads != 0 || c.payloads != 0 || s.Len() != 1 || c.State() != Connected {
		t.Errorf("of a recording the server took %d payloads and has %d clients, the client took %d: %v", s.payloads, s.Len(), c.payloads, c)
	}
	for range 300 {
		w.exchange(s, s.last, c)
	}
}

// The sequences of a client begin by its clock, above all that an earlier client of the token sent.
func TestClientSequencesBeginByTime(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	token := w.issue(w.config(7))
	first, next := w.join(alice, token), w.join(alice, token)
	first.Update(w.now, first)
	next.Update(w.now.Add(2*time.Second), next)
	if a, b := first.sequence, next.sequence; a != 1<<22-45000 || b != a+2000 {
		t.Errorf("they begin at %d and %d", a, b)
	}
}

// Nothing is taken before a client has begun: a recorded challenge would make it answer too early.
func TestChallengeBeforeTheBeginning(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	token := w.issue(w.config(7))
	var challenge []byte
	w.tap = func(d datagram) bool {
		if d.data[0]&15 == kindChallenge {
			challenge = d.data
		}
		return true
	}
	first := w.join(alice, token)
	w.until("challenged", func() bool { return first.State() == Responding })
	next := w.join(alice, token)
	if drop := next.Receive(w.now, testServer, challenge, next); drop != DropType || next.State() != Requesting {
		t.Errorf("%v, %v", drop, next)
	}
}
