//go:build !js

package webtransport_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	other "github.com/quic-go/webtransport-go"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netsystest"
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/netsys/webtransport"
)

// listen serves on this machine.
func listen(t testing.TB, c webtransport.Config) (l *webtransport.Listener, url string) {
	t.Helper()
	c.Addr = "127.0.0.1:0"
	l, err := webtransport.Listen(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l, fmt.Sprintf("https://%v/", l.LocalAddr())
}

// dial connects.
func dial(t testing.TB, l *webtransport.Listener, c webtransport.DialConfig, url string) *websocket.Wire {
	t.Helper()
	if c.Hashes == nil {
		c.Hashes = l.CertificateHashes()
	}
	w, err := c.Dial(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// Sessions run on the listener as on every wire, alone and beside the wire of an event loop.
func TestWire(t *testing.T) {
	for name, serve := range map[string]func(l *webtransport.Listener) netsys.Wire{
		"alone": func(l *webtransport.Listener) netsys.Wire { return l },
		"beside UDP": func(l *webtransport.Listener) netsys.Wire {
			udp, err := eventloop.Listen("127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			return l.Beside(udp)
		},
	} {
		t.Run(name, func(t *testing.T) {
			netsystest.Run(t, func(t testing.TB) netsystest.Setup {
				l, url := listen(t, webtransport.Config{})
				return netsystest.Setup{Server: serve(l), Dial: func(t testing.TB) (netsys.Wire, netip.AddrPort) {
					w := dial(t, l, webtransport.DialConfig{}, url)
					return w, w.RemoteAddr()
				}}
			})
		})
	}
}

// The combined wire distinguishes the clients of both wires, and reaches them.
func TestBeside(t *testing.T) {
	udp, err := eventloop.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l, url := listen(t, webtransport.Config{})
	both := l.Beside(udp)
	if both.LocalAddr() != udp.LocalAddr() {
		t.Errorf("at %v, want %v", both.LocalAddr(), udp.LocalAddr())
	}
	a := dial(t, l, webtransport.DialConfig{}, url)
	b, err := netsys.DialUDP(t.Context(), udp.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	from := netsystest.Answer(t, both, a, a.RemoteAddr(), "by WebTransport")
	peer := both.(interface {
		PeerAddr(netip.AddrPort) netip.AddrPort
	}).PeerAddr(from)
	if from == peer || peer.Addr() != netip.MustParseAddr("127.0.0.1") {
		t.Errorf("%v is %v", from, peer)
	}
	if from = netsystest.Answer(t, both, b, b.RemoteAddr(), "by UDP"); from != b.LocalAddr() {
		t.Errorf("UDP from %v, want %v", from, b.LocalAddr())
	}
	if got, want := both.(interface{ WakeUps() uint64 }).WakeUps(), udp.WakeUps(); got != want {
		t.Errorf("%d wake-ups, want %d", got, want)
	}
}

// If any of its wires is reachable by others, a server requires tokens, unless the insecure flag is set. Tokens may name the
// address of each wire.
func TestBesideIsSeenWhole(t *testing.T) {
	const everywhere = "0.0.0.0:0"
	for name, at := range map[string]struct{ udp, socket, webtransport string }{
		"UDP":          {everywhere, "127.0.0.1:0", "127.0.0.1:0"},
		"WebSocket":    {"127.0.0.1:0", everywhere, "127.0.0.1:0"},
		"WebTransport": {"127.0.0.1:0", "127.0.0.1:0", everywhere},
		"":             {"127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"},
	} {
		first, err := eventloop.ListenBoth(at.udp, at.socket, nil)
		if err != nil {
			t.Fatal(err)
		}
		certificate, err := webtransport.DevelopmentCertificate(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		l, err := webtransport.Listen(webtransport.Config{Addr: at.webtransport, TLS: &tls.Config{Certificates: []tls.Certificate{certificate}}})
		if err != nil {
			t.Fatal(err)
		}
		both := l.Beside(first)
		s, err := netsys.NewServer(both, netsys.ServerConfig{})
		if name != "" && !errors.Is(err, netsys.ErrInsecure) || name == "" && err != nil {
			t.Errorf("%q is everywhere: %v", name, err)
		}
		if name != "" {
			_ = both.Close()
			continue
		}
		twice := l.Beside(both).(interface{ LocalAddrs() []netip.AddrPort })
		want := []netip.AddrPort{first.LocalAddr(), first.WebSocketAddr(), l.LocalAddr(), l.LocalAddr()}
		if got := twice.LocalAddrs(); !slices.Equal(got, want) {
			t.Errorf("at %v, want %v", got, want)
		}
		if err := s.Close(time.Now()); err != nil {
			t.Error(err)
		}
	}
}

// request requests a session with any headers, like a page.
func request(t *testing.T, url string, h http.Header) (status int) {
	t.Helper()
	x := &other.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true, NextProtos: []string{http3.NextProtoH3}},
		QUICConfig:      &quic.Config{EnableDatagrams: true, EnableStreamResetPartialDelivery: true},
	}
	defer x.Close()
	answer, session, err := x.Dial(t.Context(), url, h)
	if err == nil {
		_ = session.CloseWithError(0, "")
	}
	if answer == nil {
		t.Fatal(err)
	}
	return answer.StatusCode
}

// Pages of other sites, other paths and other certificates get no session.
func TestRefusals(t *testing.T) {
	l, url := listen(t, webtransport.Config{})
	for origin, want := range map[string]int{
		"":                           http.StatusOK,
		"http://localhost:8080":      http.StatusOK,
		"https://evil.example":       http.StatusForbidden,
		"https://127.0.0.1.evil.com": http.StatusForbidden,
	} {
		h := http.Header{}
		if origin != "" {
			h.Set("Origin", origin)
		}
		if got := request(t, url, h); got != want {
			t.Errorf("origin %q: %d, want %d", origin, got, want)
		}
	}
	if got := request(t, url, http.Header{"Origin": {"null"}}); got != http.StatusForbidden {
		t.Errorf("a sandboxed page: %d", got)
	}
	if got := request(t, url+"other", nil); got != http.StatusNotFound {
		t.Errorf("another path: %d", got)
	}
	if n := l.Stats().Refused; n != 4 {
		t.Errorf("%d refused, want 4", n)
	}
	named, url := listen(t, webtransport.Config{Origins: []string{"https://game.example"}})
	if a, b := request(t, url, http.Header{"Origin": {"https://game.example"}}), request(t, url, http.Header{"Origin": {"http://localhost"}}); a != 200 || b != 403 {
		t.Errorf("the origin that is named: %d, another: %d", a, b)
	}
	_, sandboxed := listen(t, webtransport.Config{Sandboxed: true})
	if a, b := request(t, sandboxed, http.Header{"Origin": {"null"}}), request(t, sandboxed, http.Header{"Origin": {"https://evil.example"}}); a != 200 || b != 403 {
		t.Errorf("where sandboxed pages are allowed, one: %d, a page of another site: %d", a, b)
	}
	wrong := webtransport.DialConfig{Hashes: l.CertificateHashes()}
	if _, err := wrong.Dial(t.Context(), url); err == nil || !strings.Contains(err.Error(), "none of the hashes") {
		t.Errorf("a certificate with another hash: %v", err)
	}
	if named.Stats().Accepted != 1 {
		t.Errorf("%d sessions, want that of the page", named.Stats().Accepted)
	}
}

// until waits until a condition holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 20_000 {
		if holds() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("never happened: %s", what)
}

// The number of connections is bounded. A connection to which nothing is sent is closed, and datagrams above the rate are
// dropped.
func TestBounds(t *testing.T) {
	l, url := listen(t, webtransport.Config{PerAddress: 1, PerSecond: 20, AnswerTimeout: time.Second})
	w := dial(t, l, webtransport.DialConfig{}, url)
	if _, err := (webtransport.DialConfig{Hashes: l.CertificateHashes()}).Dial(t.Context(), url); err == nil || l.Stats().Crowded != 1 {
		t.Errorf("a second connection from an address: %v, %+v", err, l.Stats())
	}
	until(t, "who is never answered is closed", func() bool { return l.Stats().Unanswered == 1 && w.Err() != nil })
	until(t, "its place is free", func() bool { return l.Stats().Connections == 0 })
	l, url = listen(t, webtransport.Config{PerSecond: 20})
	w = dial(t, l, webtransport.DialConfig{}, url)
	until(t, "a flood is cut", func() bool {
		_ = w.Send(time.Now(), w.RemoteAddr(), []byte("again"))
		return l.Stats().Flooded > 0
	})
}

// Where WebTransport does not pass, WebSocket does, within the patience, and from then on.
func TestFallsBack(t *testing.T) {
	silent, err := netsys.ListenUDP("127.0.0.1:0") // where nobody answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	server, err := eventloop.ListenConfig{WebSocket: eventloop.WebSocketConfig{Addr: "127.0.0.1:0"}}.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c := webtransport.DialConfig{WebSocket: fmt.Sprintf("ws://%v", server.WebSocketAddr()), Patience: 50 * time.Millisecond}
	w, err := c.Dial(t.Context(), fmt.Sprintf("https://%v/", silent.LocalAddr()))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if n := server.WebSocketStats().Accepted; n != 1 {
		t.Errorf("%d by WebSocket, want 1", n)
	}
	c.WebSocket = ""
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := c.Dial(ctx, fmt.Sprintf("https://%v/", silent.LocalAddr())); err == nil {
		t.Error("connected to nobody")
	}
	l, url := listen(t, webtransport.Config{})
	c = webtransport.DialConfig{WebSocket: fmt.Sprintf("ws://%v", server.WebSocketAddr()), Hashes: l.CertificateHashes()}
	w = dial(t, l, c, url)
	netsystest.Answer(t, l, w, w.RemoteAddr(), "WebTransport is first")
}

// An invalid configuration is refused with advice.
func TestConfig(t *testing.T) {
	good := webtransport.Config{Addr: "127.0.0.1:0"}
	for want, change := range map[string]func(c *webtransport.Config){
		"Addr is empty":      func(c *webtransport.Config) { c.Addr = "" },
		"no certificate":     func(c *webtransport.Config) { c.TLS = &tls.Config{} },
		"need a certificate": func(c *webtransport.Config) { c.Addr = ":0" },
		"begin with /":       func(c *webtransport.Config) { c.Path = "play" },
		"not scheme://host":  func(c *webtransport.Config) { c.Origins = []string{"game.example"} },
		"with Origins":       func(c *webtransport.Config) { c.Origins, c.Hosts = []string{"*"}, []string{"game.example"} },
		"PerAddress -1":      func(c *webtransport.Config) { c.PerAddress = -1 },
		"IdleTimeout -1s":    func(c *webtransport.Config) { c.IdleTimeout = -time.Second },
		"PerSecond 10000000": func(c *webtransport.Config) { c.PerSecond = 10_000_000 },
	} {
		c := good
		change(&c)
		if _, err := webtransport.Listen(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	l, err := webtransport.Listen(good)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	again := good
	again.Addr = l.LocalAddr().String()
	if _, err := webtransport.Listen(again); !errors.Is(err, netsys.ErrAddrInUse) {
		t.Errorf("twice on one port: %v", err)
	}
	for _, c := range []webtransport.DialConfig{{Patience: -1}, {Wire: websocket.DialConfig{Connect: websocket.Connect}}, {Wire: websocket.DialConfig{Inbound: -1}}} {
		if _, err := c.Dial(t.Context(), "https://127.0.0.1:1/"); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
}
