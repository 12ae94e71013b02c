package netcode

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"
)

var otherServers = []netip.AddrPort{
	netip.MustParseAddrPort("192.0.2.2:40000"),
	netip.MustParseAddrPort("[2001:db8::3]:40000"),
}

func TestServersAreTriedInOrder(t *testing.T) {
	w := newWorld(t, ServerConfig{MaxClients: 1})
	w.seat("198.51.100.1:1", w.issue(w.config(1)))
	// The first server is full, the second does not exist, the third takes the client.
	third := w.serve(ServerConfig{Addresses: otherServers[1:]})
	config := w.config(2)
	config.Servers = append(config.Servers, otherServers...)
	config.Timeout = 2 * time.Second
	c := w.join("[2001:db8::7]:5000", w.issue(config))
	begin := w.now
	w.until("at the second", func() bool { return c.Server() == otherServers[0] })
	if d := w.now.Sub(begin); d > 200*time.Millisecond {
		t.Errorf("%v until a denial counts", d)
	}
	w.until("connected", func() bool { return c.State() == Connected })
	if d := w.now.Sub(begin); c.Server() != otherServers[1] || d < 2*time.Second || d > 2500*time.Millisecond {
		t.Errorf("connected with %v after %v", c.Server(), d)
	}
	w.exchange(third, third.last, c)
	if c.connected != 1 || c.disconnected != 0 {
		t.Errorf("%d connected, %d disconnected", c.connected, c.disconnected)
	}
}

func TestNobodyAnswers(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	w.tap = func(datagram) bool { return false }
	c := w.join(alice, w.issue(w.config(1)))
	begin := w.now
	w.until("ended", func() bool { return c.State() == Ended })
	if d := w.now.Sub(begin); !errors.Is(c.reason, ErrTimeout) || !strings.Contains(c.reason.Error(), "refused the token") || d < 9*time.Second || d > 11*time.Second {
		t.Errorf("%v after %v", c.reason, d)
	}
}

func TestNobodyAnswersTheResponse(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	w.tap = func(d datagram) bool { return d.data[0]&15 != kindResponse }
	c := w.join(alice, w.issue(w.config(1)))
	w.until("ended", func() bool { return c.State() == Ended })
	if !errors.Is(c.reason, ErrTimeout) || !strings.Contains(c.reason.Error(), "taken the token") {
		t.Errorf("%v", c.reason)
	}
	w.run(2 * halfOpenTime)
	s := w.servers[0]
	if s.Drops()[DropHalfOpen] != 1 || len(s.half.byAddr)+len(s.half.byMAC)+s.half.len() != 0 {
		t.Errorf("the handshake is not forgotten: %v", s.Drops())
	}
}

// A client tries the next server of its token, also if the token has no timeout.
func TestNextServerWithoutATimeout(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	config := w.config(1)
	config.Timeout = -time.Second
	config.Servers = append([]netip.AddrPort{netip.MustParseAddrPort("[2001:db8::1]:7777")}, config.Servers...)
	c := w.join(alice, w.issue(config))
	begin := w.now
	w.until("connected", func() bool { return c.State() == Connected })
	if d := w.now.Sub(begin); d > 3*time.Second {
		t.Errorf("connected after %v", d)
	}
}

func TestTokenExpiresWhileConnecting(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	w.tap = func(datagram) bool { return false }
	config := w.config(1)
	config.Lifetime, config.Timeout = 3*time.Second, -time.Second
	token := w.issue(config)
	// The wall clock of a client is not that of the issuer.
	w.now = w.now.Add(-1000 * time.Hour)
	c := w.join(alice, token)
	begin := w.now
	w.until("ended", func() bool { return c.State() == Ended })
	if d := w.now.Sub(begin); !errors.Is(c.reason, ErrTokenExpired) || d < 3*time.Second || d > 3200*time.Millisecond {
		t.Errorf("%v after %v", c.reason, d)
	}
}

// A token that had expired when the client began, by the client's own clock, is shown all the same: that clock may be wrong.
func TestTokenExpiredBeforehand(t *testing.T) {
	for _, wrong := range []time.Duration{0, time.Minute} {
		w := newWorld(t, ServerConfig{})
		token := w.issue(w.config(1))
		c := w.join(alice, token)
		c.off = wrong
		if wrong == 0 {
			w.now = w.now.Add(47 * time.Second)
		}
		w.until("over", func() bool { return c.State() == Ended || c.State() == Connected })
		switch {
		case wrong != 0 && c.State() != Connected:
			t.Errorf("with a clock that is ahead: %v", c.reason)
		case wrong == 0 && (!errors.Is(c.reason, ErrTokenExpired) || errors.Is(c.reason, ErrTimeout) || !strings.Contains(c.reason.Error(), "2 s before")):
			t.Errorf("expired: %v", c.reason)
		}
	}
}

func TestHandshakeRate(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	requests, responses := 0, 0
	w.tap = func(d datagram) bool {
		switch {
		case d.data[0] == kindRequest:
			requests++
			return requests > 20
		case d.data[0]&15 == kindResponse:
			responses++
			return responses > 20
		}
		return true
	}
	c := w.join(alice, w.issue(w.config(1)))
	begin := w.now
	w.until("connected", func() bool { return c.State() == Connected })
	if d := w.now.Sub(begin); d < 3800*time.Millisecond || d > 4400*time.Millisecond {
		t.Errorf("20 + 20 lost packets at 10 Hz take %v", d)
	}
}

// Payloads that arrive before the client knows that it is connected are dropped. The connection succeeds nevertheless.
func TestPayloadBeforeConnected(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	s := w.servers[0]
	c := w.join(alice, w.issue(w.config(1)))
	w.until("a slot", func() bool { return s.last != nil })
	early := s.last.out.sealed(kindPayload, 1<<30, []byte("early"))
	if drop := c.Receive(w.now, testServer, early, c); drop != DropType || c.payloads != 0 {
		t.Errorf("%v, %d payloads", drop, c.payloads)
	}
	w.until("connected", func() bool { return c.State() == Connected })
	w.exchange(s, s.last, c)
}

func TestDisconnectBeforeConnected(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	c := w.join(alice, w.issue(w.config(1)))
	c.Disconnect(w.now)
	w.run(time.Second)
	if c.State() != Ended || w.servers[0].connected != 0 || c.disconnected != 0 {
		t.Errorf("%v", c)
	}
}

// A client drops datagrams of other senders, and invalid datagrams of its server.
func TestClientDrops(t *testing.T) {
	w, s, c := connected(t, ServerConfig{})
	b := s.last.out.sealed(kindPayload, 1<<30, []byte("x"))
	for _, x := range []struct {
		from string
		b    []byte
		want DropReason
	}{
		{mallory, b, DropUnknownSender},
		{testServer.String(), b[:10], DropSize},
		{testServer.String(), request(w.issue(w.config(1)))[:500], DropType},
		{testServer.String(), s.last.out.sealed(kindDenied, 1<<63, nil), DropType},
		{testServer.String(), s.last.out.sealed(kindKeepAlive, 1<<30, []byte{1}), DropMalformed},
		{testServer.String(), append([]byte{0x95}, make([]byte, 40)...), DropSequence},
		{testServer.String(), append(b[:len(b):len(b)], 0), DropReplay}, // the keep-alive had that number
		{"[::ffff:192.0.2.1]:40000", s.last.out.sealed(kindPayload, 1<<30+1, []byte("x")), DropNone},
	} {
		if drop := c.Receive(w.now, netip.MustParseAddrPort(x.from), x.b, c); drop != x.want {
			t.Errorf("%x…: %v, want %v", x.b[:4], drop, x.want)
		}
	}
	if c.payloads != 1 || c.Drops().Total() < 7 {
		t.Errorf("%d payloads, drops %v", c.payloads, c.Drops())
	}
}
