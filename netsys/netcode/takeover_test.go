package netcode

import (
	"net/netip"
	"testing"
	"time"
)

// again returns the token of a client that comes again, with keys of its own.
func (w *world) again(id uint64, seed byte) TokenConfig {
	c := w.config(id)
	c.Random = seeded(seed)
	return c
}

// A client connects again with another token, from another address, or from the same one if its process was restarted. The old
// session ends once, and its process learns it if it still runs.
func TestTakeover(t *testing.T) {
	for _, address := range []string{"198.51.100.8:1", alice} {
		w := newWorld(t, ServerConfig{Takeover: true, MaxClients: 1})
		s := w.servers[0]
		old := w.join(alice, w.issue(w.config(7)))
		w.until("connected", func() bool { return old.State() == Connected && s.last.Confirmed() })
		first := s.last
		if address == alice {
			w.clients = nil // the old process is gone
		}
		goodbyes := 0
		w.tap = func(d datagram) bool {
			if d.from == testServer && d.data[0]&15 == kindDisconnect {
				goodbyes++
			}
			return true
		}
		next := w.join(address, w.issue(w.again(7, 70)))
		w.until("challenged", func() bool { return next.State() == Responding })
		if !first.Connected() || s.disconnected != 0 {
			t.Fatal("replaced before the challenge was answered")
		}
		w.until("taken over", func() bool { return next.State() == Connected && s.last.Confirmed() })
		if s.Len() != 1 || first.Connected() || s.connected != 2 || s.disconnected != 1 || s.reason != ErrReplaced || s.last == first {
			t.Fatalf("%s: %d clients, %d connected, %d ended: %v", address, s.Len(), s.connected, s.disconnected, s.reason)
		}
		for range 20 {
			w.exchange(s, s.last, next)
		}
		if goodbyes != disconnects || address != alice && (old.State() != Ended || old.reason != ErrDisconnected || old.disconnected != 1) {
			t.Errorf("%d goodbyes, the old client: %v, %v", goodbyes, old, old.reason)
		}
	}
}

// A takeover needs an unused token that is no older than that of the session.
func TestTakeoverByAnOldToken(t *testing.T) {
	w := newWorld(t, ServerConfig{Takeover: true})
	s := w.servers[0]
	older := w.issue(w.again(7, 70))
	w.run(2 * time.Second)
	token := w.issue(w.config(7))
	c := w.seat(alice, token)
	w.expect("198.51.100.8:1", request(older), DropClientID)
	w.expect("198.51.100.8:1", request(token), DropTokenUsed)
	w.expect(alice, request(token), DropRepeated)
	w.expect(alice, request(w.issue(w.config(8))), DropConnected)
	w.exchange(s, s.last, c)
}

// A session begins between challenge and response: the older token is refused then.
func TestTakeoverRace(t *testing.T) {
	w := newWorld(t, ServerConfig{Takeover: true})
	s := w.servers[0]
	older := w.join("198.51.100.1:1", w.issue(w.again(7, 70)))
	w.until("challenged", func() bool { return older.State() == Responding })
	w.clients, w.queue = nil, nil
	w.now = w.now.Add(time.Second)
	c := w.seat(alice, w.issue(w.config(7)))
	w.clients = append(w.clients, older)
	w.run(time.Second)
	if older.State() == Connected || s.Len() != 1 || s.Drops()[DropClientID] == 0 {
		t.Errorf("%v, %d clients, drops %v", older, s.Len(), s.Drops())
	}
	w.exchange(s, s.last, c)
}

// A server that shuts down accepts no client, not even for a takeover.
func TestTakeoverWhileClosing(t *testing.T) {
	w, s, _ := connected(t, ServerConfig{Takeover: true})
	half := w.join("198.51.100.8:1", w.issue(w.again(7, 70)))
	w.until("challenged", func() bool { return half.State() == Responding })
	s.StopAccepting()
	w.run(time.Second)
	if half.reason != ErrDenied || s.Len() != 1 {
		t.Errorf("%v: %v, %d clients", half, half.reason, s.Len())
	}
	w.expect("198.51.100.9:1", request(w.issue(w.again(7, 71))), DropFull)
}

// closer closes the server when a session is replaced.
type closer struct{ *serverNode }

func (c closer) Disconnected(now time.Time, _ *Peer, _ error) { c.Close(now) }

func TestTakeoverAndCloseAtOnce(t *testing.T) {
	w, s, old := connected(t, ServerConfig{Takeover: true})
	next := w.join("198.51.100.8:1", w.issue(w.again(7, 70)))
	w.until("challenged", func() bool { return next.State() == Responding })
	for len(w.queue) > 0 && s.Len() > 0 {
		d := w.queue[0]
		w.queue = w.queue[1:]
		if d.to == testServer {
			s.Receive(w.now, d.from, d.data, closer{s})
		}
	}
	w.run(time.Second)
	if s.Len() != 0 || s.connected != 1 || next.reason != ErrDenied || old.reason != ErrDisconnected {
		t.Errorf("%d clients, %v, %v", s.Len(), next.reason, old.reason)
	}
}

// Forget sends nothing: the other end times out.
func TestForget(t *testing.T) {
	w, s, c := connected(t, ServerConfig{})
	w.queue = nil
	s.last.Forget()
	if s.Len() != 0 || s.last.Connected() || len(w.queue) != 0 || s.disconnected != 0 {
		t.Errorf("%d clients, %d datagrams", s.Len(), len(w.queue))
	}
	w.until("the client timed out", func() bool { return c.reason == ErrTimeout })

	w, s, c = connected(t, ServerConfig{})
	w.queue = nil
	c.Forget()
	if c.State() != Ended || len(w.queue) != 0 || c.disconnected != 0 {
		t.Errorf("%v, %d datagrams", c, len(w.queue))
	}
	w.until("the server timed out", func() bool { return s.reason == ErrTimeout })
}

// A server with AnyAddress accepts tokens for other addresses, and needs no address of its own.
func TestAnyAddress(t *testing.T) {
	w := newWorld(t, ServerConfig{AnyAddress: true})
	config := w.config(1)
	config.Known = []netip.AddrPort{netip.MustParseAddrPort("192.0.2.99:1")}
	w.expect(alice, request(w.issue(config)), DropNone)
	if _, err := NewServer(ServerConfig{Key: testKey, AnyAddress: true}, nil); err != nil {
		t.Error(err)
	}
}
