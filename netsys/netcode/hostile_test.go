package netcode

import (
	"bytes"
	"iter"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"
)

// capture returns an honest session and one undelivered datagram of each type.
func capture(t *testing.T) (w *world, s *serverNode, c *clientNode, up, down map[string][]byte) {
	w, s, c = connected(t, ServerConfig{RequestsPerSecond: 1e6})
	fresh := w.config(8)
	half := w.issue(fresh)
	w.expect("198.51.100.8:5000", request(half), DropNone)
	challenge := w.queue[len(w.queue)-1].data
	answer := newDirection(&half.ServerToClient)
	h, _ := parseHeader(challenge, 0xff)
	body, ok := answer.opened(h, challenge)
	if !ok {
		t.Fatal("the challenge is not authentic")
	}
	w.queue = nil
	response := newDirection(&half.ClientToServer)
	const ahead = 100
	up = map[string][]byte{
		"response":   response.sealed(kindResponse, 0, body),
		"keep-alive": c.sender.sealed(kindKeepAlive, c.sequence+ahead, make([]byte, keepAliveBody)),
		"payload":    c.sender.sealed(kindPayload, c.sequence+ahead+1, []byte("payload")),
		"disconnect": c.sender.sealed(kindDisconnect, c.sequence+ahead+2, nil),
		"request":    request(w.issue(w.config(9))),
	}
	down = map[string][]byte{
		"keep-alive": s.last.out.sealed(kindKeepAlive, s.last.sequence+ahead, make([]byte, keepAliveBody)),
		"payload":    s.last.out.sealed(kindPayload, s.last.sequence+ahead+1, []byte("payload")),
		"disconnect": s.last.out.sealed(kindDisconnect, s.last.sequence+ahead+2, nil),
		"denied":     s.last.out.sealed(kindDenied, 1<<63+ahead, nil),
		"challenge":  challenge,
	}
	return w, s, c, up, down
}

// unharmed checks that the honest session works and that there is no other.
func (w *world) unharmed(s *serverNode, c *clientNode) {
	w.t.Helper()
	if s.Len() != 1 || s.connected != 1 || s.disconnected+c.disconnected != 0 || c.State() != Connected {
		w.t.Fatalf("%d clients, %v, server %v, client %v", s.Len(), c, s.reason, c.reason)
	}
	for range 5 {
		w.exchange(s, s.last, c)
	}
}

// damaged returns a packet cut to every length, and with every bit flipped.
func damaged(b []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for n := range b {
			if !yield(b[:n]) {
				return
			}
		}
		for bit := range 8 * len(b) {
			flipped := bytes.Clone(b)
			if flipped[bit/8] ^= 1 << (bit % 8); !yield(flipped) {
				return
			}
		}
	}
}

func TestEveryDamage(t *testing.T) {
	w, s, c, up, down := capture(t)
	half := netip.MustParseAddrPort("198.51.100.8:5000")
	for name, good := range up {
		for b := range damaged(good) {
			for _, from := range []netip.AddrPort{c.addr, half, netip.MustParseAddrPort(mallory)} {
				if drop := s.Receive(w.now, from, b, s); drop == DropNone {
					t.Errorf("%s is taken from %v as %x", name, from, b)
				}
			}
		}
	}
	for name, good := range down {
		for b := range damaged(good) {
			if drop := c.Receive(w.now, testServer, b, c); drop == DropNone {
				t.Errorf("%s is taken as %x", name, b)
			}
		}
	}
	w.unharmed(s, c)
	// The undamaged datagram is still accepted.
	if s.Receive(w.now, half, up["response"], s); s.Len() != 2 {
		t.Error("the handshake that was attacked does not go on")
	}
}

func TestNoise(t *testing.T) {
	w, s, c := connected(t, ServerConfig{})
	rng := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 1500)
	for range 5000 {
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		n := rng.IntN(len(b))
		if drop := s.Receive(w.now, c.addr, b[:n], s); drop == DropNone {
			t.Fatalf("noise of %d bytes is taken by the server", n)
		}
		if drop := c.Receive(w.now, testServer, b[:n], c); drop == DropNone {
			t.Fatalf("noise of %d bytes is taken by the client", n)
		}
	}
	w.unharmed(s, c)
}

// One address that floods is not even decrypted; the allowance of others is their own.
func TestFloodFromOneAddress(t *testing.T) {
	w := newWorld(t, ServerConfig{RequestsPerSecond: 50})
	s := w.servers[0]
	b := request(w.issue(w.config(1)))
	b[requestSize-1]++
	count := func(from string, n int) (passed int) {
		for i := range n {
			addr := netip.AddrPortFrom(netip.MustParseAddr(from), uint16(1+i%60000))
			if drop := s.Receive(w.now, addr, b, s); drop == DropKey {
				passed++
			} else if drop != DropRate {
				t.Fatalf("%v", drop)
			}
		}
		return passed
	}
	if n := count("203.0.113.66", 10000); n != 50 {
		t.Errorf("%d at once", n)
	}
	if n := count("2001:db8::1", 1000) + count("2001:db8::2", 1000); n != 50 {
		t.Errorf("%d at once from one network", n)
	}
	total := 0
	for range 200 {
		w.now = w.now.Add(10 * time.Millisecond)
		total += count("203.0.113.66", 100)
	}
	if total < 95 || total > 105 {
		t.Errorf("%d in two seconds", total)
	}
	w.expect(alice, request(w.issue(w.config(2))), DropNone)
}

// A session that sends too much loses its own packets.
func TestFloodOfOneSession(t *testing.T) {
	w, s, c := connected(t, ServerConfig{PacketsPerSecond: 100})
	w.run(2 * time.Second)
	before := s.payloads
	for range 1000 {
		must(t, c.Send(w.now, []byte("flood")))
	}
	w.step()
	if n := s.payloads - before; n < 90 || n > 100 {
		t.Errorf("%d of 1,000 at once were taken", n)
	}
	w.run(1500 * time.Millisecond)
	w.exchange(s, s.last, c)
}

func TestHalfOpenTableIsBounded(t *testing.T) {
	w := newWorld(t, ServerConfig{MaxHalfOpen: 4})
	s := w.servers[0]
	for i := range 4 {
		w.expect(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), 1).String(), request(w.issue(w.config(uint64(i)))), DropNone)
	}
	w.expect("10.0.0.9:1", request(w.issue(w.config(9))), DropNoRoom)
	// Another token from an address that has one: not at once, since it may be forged.
	w.expect("10.0.0.1:1", request(w.issue(w.config(10))), DropConnected)
	w.now = w.now.Add(aliveTime)
	w.expect("10.0.0.1:1", request(w.issue(w.config(10))), DropNone)
	w.now = w.now.Add(halfOpenTime/2 - aliveTime)
	w.expect("10.0.0.1:1", request(w.issue(w.config(10))), DropNone)
	w.now = w.now.Add(halfOpenTime / 2)
	s.Update(w.now, s)
	if s.half.len() != 1 || len(s.half.byAddr) != 1 || len(s.half.byMAC) != 1 || s.Drops()[DropHalfOpen] != 3 {
		t.Errorf("%d half open, drops %v", s.half.len(), s.Drops())
	}
}

func TestUsedTokensAreBounded(t *testing.T) {
	w := newWorld(t, ServerConfig{MaxUsedTokens: 2})
	s := w.servers[0]
	for i := range 3 {
		c := w.join(address(i<<8), w.issue(w.config(uint64(i)))) // of different networks
		w.run(time.Second)
		c.Disconnect(w.now)
		w.run(time.Second)
	}
	if s.connected != 2 || s.Drops()[DropUsedFull] == 0 {
		t.Errorf("%d connected, drops %v", s.connected, s.Drops())
	}
	w.run(time.Minute)
	w.seat("10.0.0.9:1", w.issue(w.config(9)))
}
