package netcode

import (
	"bytes"
	"errors"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestServerConfigIsValidated(t *testing.T) {
	good := ServerConfig{Key: testKey, Addresses: []netip.AddrPort{testServer}}
	if _, err := NewServer(good, nil); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(c *ServerConfig){
		"Key":               func(c *ServerConfig) { c.Key = Key{} },
		"Addresses":         func(c *ServerConfig) { c.Addresses = nil },
		"reached":           func(c *ServerConfig) { c.Addresses = []netip.AddrPort{netip.MustParseAddrPort("[::]:40000")} },
		"MaxClients":        func(c *ServerConfig) { c.MaxClients = -1 },
		"MaxHalfOpen":       func(c *ServerConfig) { c.MaxHalfOpen = 1 << 30 },
		"MaxUsedTokens":     func(c *ServerConfig) { c.MaxUsedTokens = -1 },
		"MaxUsedPerNetwork": func(c *ServerConfig) { c.MaxUsedPerNetwork = -1 },
		"MaxLifetime -1s":   func(c *ServerConfig) { c.MaxLifetime = -time.Second },
		"MaxLifetime 1h10m": func(c *ServerConfig) { c.MaxLifetime = 70 * time.Minute },
		"RequestsPerSecond": func(c *ServerConfig) { c.RequestsPerSecond = -1 },
		"PacketsPerSecond":  func(c *ServerConfig) { c.PacketsPerSecond = 1e9 },
	} {
		c := good
		change(&c)
		if _, err := NewServer(c, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSession(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	s := w.servers[0]
	config := w.config(7)
	config.UserData = []byte("a level 12 wizard")
	c := w.seat(alice, w.issue(config))
	p := s.last
	if p.ClientID() != 7 || p.Address().String() != alice || p.Slot() != 0 || !p.Connected() ||
		!bytes.Equal(bytes.TrimRight(p.UserData(), "\x00"), config.UserData) {
		t.Errorf("the server has %v with %q", p, p.UserData())
	}
	w.until("confirmed", p.Confirmed)
	for _, n := range []int{1, 2, 100, MaxPayload} {
		b := ramp(n, n)
		must(t, c.Send(w.now, b))
		must(t, p.Send(w.now, b))
		w.step()
		if !bytes.Equal(s.lastPayload, b) || !bytes.Equal(c.lastPayload, b) {
			t.Errorf("%d bytes did not arrive as they were", n)
		}
	}
	for _, n := range []int{0, MaxPayload + 1} {
		if err := c.Send(w.now, make([]byte, n)); err != ErrPayloadSize {
			t.Errorf("the client sends %d bytes: %v", n, err)
		}
		if err := p.Send(w.now, make([]byte, n)); err != ErrPayloadSize {
			t.Errorf("the server sends %d bytes: %v", n, err)
		}
	}
	p.Disconnect(w.now)
	if len(w.queue) < disconnects || s.Len() != 0 || p.Connected() || p.Send(w.now, []byte("x")) != ErrNotConnected {
		t.Errorf("%d packets say goodbye, %d clients left", len(w.queue), s.Len())
	}
	w.step()
	if c.State() != Ended || c.reason != ErrDisconnected || c.disconnected != 1 || s.disconnected != 0 {
		t.Errorf("the client is %v: %v", c, c.reason)
	}
	if c.Send(w.now, []byte("x")) != ErrNotConnected {
		t.Error("a client that has ended sends")
	}
}

// Send returns the error if the send buffer is full. The session continues.
func TestSendFails(t *testing.T) {
	w, s, c := connected(t, ServerConfig{})
	full := errors.New("full")
	out := s.lane.out
	s.lane.out = func(netip.AddrPort, []byte) error { return full }
	if err := s.last.Send(w.now, []byte("x")); err != full {
		t.Errorf("%v", err)
	}
	s.lane.out = out
	w.exchange(s, s.last, c)
}

func TestClientLeaves(t *testing.T) {
	w, s, c := connected(t, ServerConfig{})
	c.Disconnect(w.now)
	w.queue = w.queue[disconnects-1:] // all but one are lost
	w.step()
	if s.Len() != 0 || s.reason != ErrDisconnected || s.disconnected != 1 || c.disconnected != 0 {
		t.Errorf("%d clients: %v", s.Len(), s.reason)
	}
}

// Until the server knows that the client is connected, it sends a keep-alive before each payload, which tells the client.
func TestUnconfirmed(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	s := w.servers[0]
	c := w.join(alice, w.issue(w.config(7)))
	keepAlives := 0
	w.tap = func(d datagram) bool {
		if d.from != testServer || d.data[0]&15 != kindKeepAlive {
			return true
		}
		keepAlives++
		return keepAlives > 1 // the first, which answers the response, is lost
	}
	w.until("a slot", func() bool { return s.last != nil })
	if err := s.last.Send(w.now, []byte("early")); err != nil || keepAlives != 2 {
		t.Fatalf("%v, %d keep-alives", err, keepAlives)
	}
	w.step()
	if c.State() != Connected || c.payloads != 1 {
		t.Errorf("%v got %d payloads", c, c.payloads)
	}
	w.until("confirmed", s.last.Confirmed)
	before := keepAlives
	if err := s.last.Send(w.now, []byte("late")); err != nil || keepAlives != before {
		t.Errorf("%v, %d keep-alives after confirmation", err, keepAlives-before)
	}
}

func TestKeepAlive(t *testing.T) {
	w, s, c := connected(t, ServerConfig{})
	sent := map[netip.AddrPort]int{}
	w.tap = func(d datagram) bool { sent[d.from]++; return true }
	w.run(10 * time.Second)
	if n := sent[testServer]; n < 95 || n > 105 {
		t.Errorf("the server sends %d in 10 s", n)
	}
	if n := sent[c.addr]; n < 95 || n > 105 {
		t.Errorf("the client sends %d in 10 s", n)
	}
	clear(sent)
	for range 500 {
		w.exchange(s, s.last, c)
	}
	if sent[testServer] != 500 || sent[c.addr] != 500 {
		t.Errorf("with 500 payloads each way the ends send %v", sent)
	}
}

func TestTimeout(t *testing.T) {
	for _, lost := range []string{"both", "up", "down"} {
		w, s, c := connected(t, ServerConfig{})
		silent := w.now
		w.tap = func(d datagram) bool {
			return lost == "up" && d.from == testServer || lost == "down" && d.to == testServer
		}
		w.run(9 * time.Second)
		if s.Len() != 1 || c.State() != Connected {
			t.Fatalf("%s lost: %d clients, %v after 9 s", lost, s.Len(), c)
		}
		w.until("timed out", func() bool {
			return (lost == "down" || s.disconnected == 1) && (lost == "up" || c.disconnected == 1)
		})
		if d := w.now.Sub(silent); d < 9900*time.Millisecond || d > 10200*time.Millisecond {
			t.Errorf("%s lost: timed out after %v", lost, d)
		}
		if lost != "down" && s.reason != ErrTimeout || lost != "up" && !errors.Is(c.reason, ErrTimeout) {
			t.Errorf("%s lost: server %v, client %v", lost, s.reason, c.reason)
		}
	}
}

func TestNoTimeout(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	config := w.config(7)
	config.Timeout = -time.Second
	c := w.seat(alice, w.issue(config))
	w.tap = func(datagram) bool { return false }
	w.run(2 * time.Minute)
	if w.servers[0].Len() != 1 || c.State() != Connected {
		t.Errorf("%d clients, %v", w.servers[0].Len(), c)
	}
}

// A process that was paused could not receive, so it times out nobody.
func TestHeldProcess(t *testing.T) {
	w, s, c := connected(t, ServerConfig{})
	w.now = w.now.Add(time.Minute)
	s.Update(w.now, s)
	c.Update(w.now, c)
	w.step()
	w.exchange(s, s.last, c)
	if s.disconnected+c.disconnected != 0 {
		t.Errorf("server %v, client %v", s.reason, c.reason)
	}
}

func TestReplayedPacket(t *testing.T) {
	w, s, c := connected(t, ServerConfig{})
	var up, down []datagram
	w.tap = func(d datagram) bool {
		if d.to == testServer {
			up = append(up, d)
		} else {
			down = append(down, d)
		}
		return true
	}
	for range 300 {
		w.exchange(s, s.last, c)
	}
	w.tap = nil
	payloads := s.payloads + c.payloads
	drops := Drops{}
	for _, d := range up {
		drops[s.Receive(w.now, d.from, d.data, s)]++
	}
	for _, d := range down {
		drops[c.Receive(w.now, d.from, d.data, c)]++
	}
	if s.payloads+c.payloads != payloads || drops[DropReplay] != 2*windowSize || drops[DropStale] != 2*(300-windowSize) {
		t.Errorf("%d replays were taken, %v", s.payloads+c.payloads-payloads, drops)
	}
	w.exchange(s, s.last, c)
}

// Sequence numbers at every change of their length, and up to the last.
func TestSequenceLengths(t *testing.T) {
	w, s, c := connected(t, ServerConfig{})
	for shift := 8; shift < 64; shift += 8 {
		c.sequence, s.last.sequence = max(c.sequence, 1<<shift-2), max(s.last.sequence, 1<<shift-2)
		for range 4 {
			w.exchange(s, s.last, c)
		}
	}
	c.sequence, s.last.sequence = 1<<63-2, 1<<63-2
	w.exchange(s, s.last, c)
	w.exchange(s, s.last, c)
	// The upper half belongs to packets outside of sessions.
	if err := c.Send(w.now, []byte("x")); err != ErrExhausted {
		t.Errorf("client: %v", err)
	}
	if err := s.last.Send(w.now, []byte("x")); err != ErrExhausted {
		t.Errorf("server: %v", err)
	}
}

// Another implementation may use all sequence numbers: those near 2^64 are accepted, once each.
func TestSequenceNear2To64(t *testing.T) {
	w, s, c := connected(t, ServerConfig{})
	for back := uint64(600); back > 0; back-- {
		b := c.sender.sealed(kindPayload, math.MaxUint64-(back-1), []byte("late"))
		before := s.payloads
		if drop := s.Receive(w.now, c.addr, b, s); drop != DropNone && drop != DropFlood || drop == DropNone && s.payloads != before+1 {
			t.Fatalf("%d before the end: %v", back-1, drop)
		}
		if drop := s.Receive(w.now, c.addr, b, s); drop != DropReplay {
			t.Fatalf("%d before the end, again: %v", back-1, drop)
		}
	}
	old := c.sender.sealed(kindPayload, math.MaxUint64-windowSize, []byte("late"))
	if drop := s.Receive(w.now, c.addr, old, s); drop != DropStale {
		t.Errorf("%v", drop)
	}
}

func TestFirstSequence(t *testing.T) {
	at := time.Unix(1000, 0)
	for _, c := range []struct{ expire, want uint64 }{
		{1001, 1<<22 - 1000},
		{1045, 1<<22 - 45000},
		{1000 + 4194, 304},
		{1000 + 4195, 0},
		{math.MaxUint64, 0},
		{1000, 1 << 22}, // to a client whose clock is ahead
		{990, 1<<22 + 10000},
	} {
		if got := firstSequence(c.expire, at); got != c.want {
			t.Errorf("expires at %d: %d, want %d", c.expire, got, c.want)
		}
	}
}

func TestStopAndClose(t *testing.T) {
	w, s, c := connected(t, ServerConfig{})
	s.StopAccepting()
	late := w.join("198.51.100.8:5000", w.issue(w.config(8)))
	w.run(time.Second)
	if late.reason != ErrDenied {
		t.Errorf("a late client: %v", late.reason)
	}
	w.exchange(s, s.last, c)
	s.Close(w.now)
	s.Close(w.now)
	w.step()
	if c.reason != ErrDisconnected || s.Len() != 0 {
		t.Errorf("%d clients, %v", s.Len(), c.reason)
	}
	w.queue = nil
	w.expect(alice, request(w.issue(w.config(9))), DropType)
}

func TestPeersInSlotOrder(t *testing.T) {
	w := newWorld(t, ServerConfig{MaxClients: 8})
	s := w.servers[0]
	for i := range 8 {
		w.seat(address(i), w.issue(w.config(uint64(i))))
	}
	next := 0
	for p := range s.Peers() {
		if p.Slot() != next || p.ClientID() != uint64(next) {
			t.Errorf("%v comes as number %d", p, next)
		}
		next++
		p.Disconnect(w.now) // allowed while it is visited
		if next == 5 {
			break
		}
	}
	if s.Len() != 3 {
		t.Errorf("%d clients left", s.Len())
	}
}
