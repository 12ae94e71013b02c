//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/netsys/netsystest"
	"github.com/tactusgo/tactus/netsys/websocket"
)

func listenWeb(t testing.TB, udp string, config eventloop.WebSocketConfig) *eventloop.Listener {
	t.Helper()
	config.Addr = orLoopback(config.Addr)
	l, err := eventloop.ListenConfig{WebSocket: config}.Listen(udp)
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func orLoopback(addr string) string {
	if addr == "" {
		return "127.0.0.1:0"
	}
	return addr
}

func dialWeb(t testing.TB, l *eventloop.Listener) *websocket.Wire {
	t.Helper()
	c, err := websocket.Dial(t.Context(), fmt.Sprintf("ws://%v/play", l.WebSocketAddr()))
	must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// until polls the listener until the condition holds.
func until(t testing.TB, l *eventloop.Listener, what string, condition func() bool) {
	t.Helper()
	untilHeard(t, l, what, func(netsys.Datagram) {}, condition)
}

// untilHeard polls until the condition holds, and passes the arrivals to deliver.
func untilHeard(t testing.TB, l *eventloop.Listener, what string, deliver func(netsys.Datagram), condition func() bool) {
	t.Helper()
	for range 10_000 {
		if condition() {
			return
		}
		l.Poll(time.Now(), deliver)
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("never happened: %s (%+v)", what, l.WebSocketStats())
}

// overWeb serves UDP and WebSocket in one wire when udp is not empty. The clients are WebSocket clients.
func overWeb(udp string) func(t testing.TB) netsystest.Setup {
	return func(t testing.TB) netsystest.Setup {
		server := listenWeb(t, udp, eventloop.WebSocketConfig{})
		return netsystest.Setup{Server: server, Dial: func(t testing.TB) (netsys.Wire, netip.AddrPort) {
			client := dialWeb(t, server)
			return client, client.RemoteAddr()
		}}
	}
}

func TestWebSocket(t *testing.T) {
	for name, open := range map[string]func(t testing.TB) netsystest.Setup{
		"alone":       overWeb(""),
		"conditioned": netsystest.Conditioned(netsystest.Poor(), overWeb("")),
		"beside UDP":  overWeb("127.0.0.1:0"),
		"UDP beside it": func(t testing.TB) netsystest.Setup {
			return netsystest.OverUDP(listenWeb(t, "127.0.0.1:0", eventloop.WebSocketConfig{}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			netsystest.Run(t, open)
		})
	}
}

// One server, one wire, a client by UDP and one by WebSocket: each is known by an address of its own kind, and
// gets its own.
func TestBothKindsAtOneServer(t *testing.T) {
	l := listenWeb(t, "127.0.0.1:0", eventloop.WebSocketConfig{})
	udp, err := netsys.DialUDP(t.Context(), l.LocalAddr().String())
	must(t, err)
	defer udp.Close()
	web := dialWeb(t, l)
	for _, c := range []struct {
		wire   netsys.Wire
		remote netip.AddrPort
		web    bool
	}{{udp, udp.RemoteAddr(), false}, {web, web.RemoteAddr(), true}} {
		from := netsystest.Answer(t, l, c.wire, c.remote, string(opening()))
		if peer := eventloop.PeerAddr(from); eventloop.IsWebSocket(from) != c.web || peer.Addr() != netip.MustParseAddr("127.0.0.1") || peer.Port() == 0 {
			t.Errorf("from %v, which is %v", from, peer)
		}
	}
}

func TestWebSocketPortHasOneListener(t *testing.T) {
	first := listenWeb(t, "", eventloop.WebSocketConfig{})
	addr := first.WebSocketAddr()
	if addr.Port() == 0 || first.LocalAddr() != addr {
		t.Fatalf("WebSocketAddr %v, LocalAddr %v", addr, first.LocalAddr())
	}
	if _, err := eventloop.ListenWebSocket(addr.String()); !errors.Is(err, netsys.ErrAddrInUse) {
		t.Errorf("second listener: %v", err)
	}
	c := dialWeb(t, first)
	must(t, first.Close())
	for range 5000 {
		if c.Err() != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if c.Err() == nil {
		t.Error("the client does not know that the server has gone")
	}
	// The connection lingers in the kernel on this side; the port is free nevertheless.
	again, err := eventloop.ListenWebSocket(addr.String())
	must(t, err)
	_ = again.Close()
}

func TestWebSocketDualStack(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{Addr: ":0"})
	for _, host := range []string{"127.0.0.1", "[::1]"} {
		c, err := websocket.Dial(t.Context(), fmt.Sprintf("ws://%s:%d", host, l.WebSocketAddr().Port()))
		if err != nil {
			t.Logf("no %s here: %v", host, err)
			continue
		}
		_ = c.Send(time.Now(), c.RemoteAddr(), opening())
		d := netsystest.Arrivals(t, l, 1)[0]
		if peer := eventloop.PeerAddr(d.From); peer.Addr().Is4() != (host == "127.0.0.1") || !peer.Addr().IsLoopback() {
			t.Errorf("from %v, which is %v", d.From, peer)
		}
		_ = c.Close()
	}
}

// On a warm connection neither direction allocates, on the side of the server or of the client.
func TestWebSocketAllocatesNothing(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{})
	c, _ := webSession(t, l)
	up, down := make([]byte, 100), make([]byte, 400)
	var from netip.AddrPort
	n := 0
	count := func(d netsys.Datagram) { from, n = d.From, n+1 }
	round := func() {
		must(t, c.Send(time.Now(), c.RemoteAddr(), up))
		want := n + 1
		arrived := func() bool { return n >= want }
		wait(t, l, count, arrived)
		must(t, l.Send(time.Now(), from, down))
		want++
		wait(t, c, count, arrived)
	}
	for range 20 {
		round()
	}
	if allocs := testing.AllocsPerRun(200, round); allocs >= 1 && !race.Enabled {
		t.Errorf("%v allocations per datagram up and down", allocs)
	}
}

func TestWebSocketConfigRejects(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, c := range []eventloop.WebSocketConfig{
		{Connections: -1}, {PerAddress: -1}, {HalfOpen: -1}, {Handshake: 511}, {Outbound: 1}, {StuckTimeout: -1},
		{HandshakeTimeout: -1}, {AnswerTimeout: -1}, {IdleTimeout: -1}, {Origins: []string{"game.example"}},
		{Origins: []string{"https://game.example/"}}, {ClientAddrHeader: "X-Forwarded-For"}, {TrustedProxies: proxies},
		{ClientAddrHeader: "X-Forwarded-For", TrustedProxies: []netip.Prefix{{}}},
		{FramesPerSecond: -1}, {FramesPerSecond: 1_000_001}, {Hosts: []string{"https://game.example"}}, {Hosts: []string{"game.example:80"}},
		{Hosts: []string{"game.example"}, Origins: []string{"https://game.example"}},
		{Origins: []string{"https://"}}, {Origins: []string{"//game.example"}}, {Origins: []string{"https:game.example"}}, {Origins: []string{"://game.example"}},
	} {
		c.Addr = "127.0.0.1:0"
		if l, err := (eventloop.ListenConfig{WebSocket: c}).Listen(""); err == nil {
			t.Errorf("%+v accepted", c)
			_ = l.Close()
		}
	}
	good := eventloop.WebSocketConfig{
		Origins: []string{"*", "https://game.example", "http://localhost:8080"}, ClientAddrHeader: "X-Forwarded-For", TrustedProxies: proxies,
	}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	many := eventloop.WebSocketConfig{Addr: "127.0.0.1:0", Connections: math.MaxInt32}
	if l, err := (eventloop.ListenConfig{WebSocket: many}).Listen(""); err == nil {
		t.Error("more connections accepted than the process may have files")
		_ = l.Close()
	}
	for _, addr := range []string{"", "127.0.0.1", "127.0.0.1:port", "127.0.0.1:70000"} {
		if l, err := eventloop.ListenWebSocket(addr); err == nil {
			t.Errorf("address %q accepted", addr)
			_ = l.Close()
		}
	}
}

// A server with a key and without Addresses accepts tokens for its UDP and WebSocket addresses, and refuses others.
func TestTokensForBothKinds(t *testing.T) {
	key := netcode.GenerateKey(nil)
	l := listenWeb(t, "127.0.0.1:0", eventloop.WebSocketConfig{})
	var text bytes.Buffer
	server, err := netsys.NewServer(l, netsys.ServerConfig{Key: key, Logger: slog.New(slog.NewTextHandler(&text, nil))})
	must(t, err)
	defer server.Close(time.Now())
	udp, err := netsys.DialUDP(t.Context(), l.LocalAddr().String())
	must(t, err)
	join := func(id uint64, wire netsys.Wire, to, named netip.AddrPort) (*netsys.Client, *netsystest.Recorder) {
		token, err := netcode.TokenConfig{Key: key, ClientID: id, Servers: []netip.AddrPort{named}}.Issue(time.Now())
		must(t, err)
		c, err := netsys.NewClient(wire, to, netsys.ClientConfig{Token: token, ConnectTimeout: time.Second})
		must(t, err)
		t.Cleanup(func() { _ = c.Close(time.Now()) })
		return c, &netsystest.Recorder{}
	}
	web, other := dialWeb(t, l), dialWeb(t, l)
	first, firstHears := join(1, udp, netip.AddrPort{}, l.LocalAddr())
	second, secondHears := join(2, web, web.RemoteAddr(), l.WebSocketAddr())
	third, thirdHears := join(3, other, other.RemoteAddr(), netip.MustParseAddrPort("192.0.2.9:7"))
	var hears netsystest.Recorder
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end) && (len(hears.Sessions) < 2 || len(thirdHears.Reasons) == 0); time.Sleep(time.Millisecond) {
		now := time.Now()
		first.Poll(now, firstHears)
		second.Poll(now, secondHears)
		third.Poll(now, thirdHears)
		server.Poll(now, &hears)
	}
	if !first.Connected() || !second.Connected() || third.Connected() {
		t.Fatalf("UDP %v, WebSocket %v, for elsewhere %v; dropped %v", firstHears.Reasons, secondHears.Reasons, thirdHears.Reasons, server.DatagramDrops())
	}
	if err := thirdHears.Reasons[0]; !errors.Is(err, netsys.ErrTimeout) || !strings.Contains(err.Error(), "log") {
		t.Errorf("the one who is refused hears %v", err)
	}
	if lines := strings.Count(text.String(), "\n"); lines != 1 || !strings.Contains(text.String(), " from=127.0.0.1:") || !strings.Contains(text.String(), l.WebSocketAddr().String()) || !strings.Contains(text.String(), netcode.DropElsewhere.String()) {
		t.Errorf("logged %d lines:\n%s", lines, &text)
	}
}
