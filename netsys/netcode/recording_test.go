package netcode

import (
	"bytes"
	"testing"
	"time"
)

// nonces fails when two packets of one direction have the same sequence and are not the same.
func (w *world) nonces() func(d datagram) (h header, sealed bool) {
	type use struct {
		down     bool
		sequence uint64
	}
	used := map[use][]byte{}
	return func(d datagram) (header, bool) {
		h, drop := parseHeader(d.data, 0xff)
		if drop != DropNone {
			return h, false // a request
		}
		key := use{d.from.Addr().Is4() && d.from.Port() == testServer.Port(), h.sequence}
		if before, ok := used[key]; ok && !bytes.Equal(before, d.data) {
			w.t.Fatalf("sequence %d seals two packets of type %d and %d", h.sequence, before[0]&15, h.kind)
		}
		used[key] = bytes.Clone(d.data)
		return h, true
	}
}

// A client gets a slot on the first server but never learns it. It says goodbye and connects to the second server with the
// same keys. No nonce is reused, and replaying the goodbye to the second server has no effect.
func TestGoodbyeToAnotherServer(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	second := w.serve(ServerConfig{Addresses: otherServers[:1]})
	config := w.config(2)
	config.Servers = append(config.Servers, otherServers[0])
	config.Timeout = time.Second
	var goodbyes [][]byte
	nonces := w.nonces()
	w.tap = func(d datagram) bool {
		h, sealed := nonces(d)
		if sealed && h.kind == kindDisconnect && d.to == testServer {
			goodbyes = append(goodbyes, d.data)
		}
		return !sealed || d.from != testServer || h.kind != kindKeepAlive
	}
	c := w.seat(alice, w.issue(config))
	for _, b := range goodbyes {
		if drop := second.Receive(w.now, c.addr, b, second); drop != DropReplay && drop != DropStale {
			t.Errorf("a goodbye to the first server: %v", drop)
		}
	}
	if len(goodbyes) != disconnects || second.Len() != 1 || second.disconnected != 0 {
		t.Fatalf("%d goodbyes; the second server has %d clients: %v", len(goodbyes), second.Len(), second.reason)
	}
	if first := w.servers[0]; first.connected != 1 || first.Len() != 0 || first.reason != ErrDisconnected {
		t.Errorf("the first server gave %d slots and has %d clients: %v", first.connected, first.Len(), first.reason)
	}
	w.exchange(second, second.last, c)
}

// A restarted server has forgotten that a token was used, so its owner may connect with it again. No nonce is reused, and
// packets that were recorded in earlier sessions have no effect in either direction.
func TestRecordedSessionOfTheSameToken(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	config := w.config(7)
	config.Lifetime = 10 * time.Minute
	token := w.issue(config)
	var up, down [][]byte
	nonces := w.nonces()
	w.tap = func(d datagram) bool {
		if _, sealed := nonces(d); sealed && d.from == testServer {
			down = append(down, bytes.Clone(d.data))
		} else if sealed {
			up = append(up, bytes.Clone(d.data))
		}
		return true
	}
	for run := range 3 {
		w.servers, w.clients = w.servers[:0], w.clients[:0]
		s := w.serve(ServerConfig{Random: seeded(byte(100 + run))})
		recordedUp, recordedDown := up, down
		c := w.join(alice, token)
		w.until("connected", func() bool { return c.State() == Connected && s.last != nil && s.last.Confirmed() })
		for _, b := range recordedUp {
			s.Receive(w.now, c.addr, b, s)
		}
		for _, b := range recordedDown {
			c.Receive(w.now, s.addr, b, c)
		}
		if s.payloads != 0 || c.payloads != 0 || s.Len() != 1 || c.State() != Connected {
			t.Errorf("of a recording the server took %d payloads and has %d clients, the client took %d: %v", s.payloads, s.Len(), c.payloads, c)
		}
		for range 300 {
			w.exchange(s, s.last, c)
		}
		c.Forget()
	}
	if len(up)+len(down) < 1800 {
		t.Errorf("%d and %d packets looked at", len(up), len(down))
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
