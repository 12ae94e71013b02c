package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tactusgo/tactus/internal/hostname"
	"github.com/tactusgo/tactus/internal/keyfile"
	"github.com/tactusgo/tactus/internal/printed"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const alice = `{"name": "alice", "password": "swordfish"}`

// greeter is a server's handler that notes the players' names.
type greeter struct {
	netsys.Handler
	names []string
}

func (g *greeter) Connected(_ time.Time, s netsys.Session) {
	g.names = append(g.names, strings.TrimRight(string(s.UserData()), "\x00"))
}

type silent struct{ netsys.Handler }

func (silent) Connected(time.Time, netsys.Session) {}

// A key in a file, the whole command, a token over HTTP, and a game server that knows the player's name and id from the token alone.
func TestLoginReachesASession(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := run(t.Context(), []string{"-generate", file}, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	if run(t.Context(), []string{"-generate", file}, io.Discard, io.Discard) == nil {
		t.Error("the key was replaced")
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out, log printed.Text
	ended := make(chan error)
	go func() {
		ended <- run(ctx, strings.Fields("-addr 127.0.0.1:0 -protocol 0x11 -server 127.0.0.1:7777,[::1]:7777 -key @"+file), &out, &log)
	}()
	r, err := http.Post(out.Find(t, `serving (\S+) for protocol 0x11 at \[127.0.0.1:7777 \[::1\]:7777\]\n`), "application/json", strings.NewReader(alice))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	var answer struct {
		Token    string
		ClientID string `json:"client_id"`
	}
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil || answer.ClientID != "1" {
		t.Fatal(answer, err)
	}
	stop()
	if err := <-ended; err != nil || strings.Contains(log.String(), "swordfish") || strings.Contains(log.String(), answer.Token) {
		t.Errorf("%v\n%s", err, &log)
	}
	raw, err := base64.StdEncoding.DecodeString(answer.Token)
	if err != nil {
		t.Fatal(err)
	}
	token, err := netcode.ParseToken(raw)
	if err != nil {
		t.Fatal(err)
	}
	key, err := keyfile.Read("@" + file)
	if err != nil {
		t.Fatal(err)
	}
	network := netsys.NewNetwork()
	server, err := netsys.NewServer(network.Node(token.Servers[0]), netsys.ServerConfig{Key: key, ProtocolID: 0x11})
	if err != nil {
		t.Fatal(err)
	}
	player, err := netsys.NewClient(network.Node(netip.AddrPort{}), netip.AddrPort{}, netsys.ClientConfig{Token: token})
	if err != nil {
		t.Fatal(err)
	}
	var g greeter
	began := time.Now()
	for n := range 180 {
		now := began.Add(time.Duration(n) * time.Second / 60)
		player.Poll(now, silent{})
		server.Poll(now, &g)
	}
	if !player.Connected() || len(g.names) != 1 || g.names[0] != "alice" {
		t.Errorf("connected: %q; dropped %v", g.names, server.DatagramDrops())
	}
	for s := range server.Sessions() {
		if s.ClientID() != 1 {
			t.Errorf("client id %d", s.ClientID())
		}
	}
}

// ask sends a login to a service as if from an address, and returns the status. change may change the request.
func ask(s *service, from, body string, change func(*http.Request)) (status int, header http.Header) {
	r := httptest.NewRequest(http.MethodPost, "/token", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Host, r.RemoteAddr = "192.0.2.2:8080", from
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Header()
}

func newTestService(names hostname.Guard) *service {
	token := netcode.TokenConfig{Key: netcode.GenerateKey(nil), ProtocolID: 0x11, Servers: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:7777")}}
	return newService(token, names, slog.New(slog.DiscardHandler))
}

func TestBadRequests(t *testing.T) {
	s := newTestService(hostname.Guard{Hosts: []string{"login.example"}})
	for name, c := range map[string]struct {
		body   string
		change func(*http.Request)
		want   int
	}{
		"no JSON":        {"name=alice", nil, 400},
		"no name":        {`{"password":"swordfish"}`, nil, 400},
		"long name":      {`{"name":"` + strings.Repeat("a", maxName+1) + `","password":"swordfish"}`, nil, 400},
		"too long":       {strings.Repeat(" ", maxBody+1), nil, 400},
		"other type":     {alice, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415},
		"other method":   {alice, func(r *http.Request) { r.Method = http.MethodGet }, 404},
		"elsewhere":      {alice, func(r *http.Request) { r.URL.Path = "/tokens" }, 404},
		"foreign name":   {alice, func(r *http.Request) { r.Host = "evil.example" }, 403},
		"wrong password": {`{"name":"alice","password":"Swordfish"}`, nil, 401},
		"nobody":         {`{"name":"mallory","password":"swordfish"}`, nil, 401},
		"its own name":   {alice, func(r *http.Request) { r.Host = "login.example" }, 200},
	} {
		s.networks = newTestService(hostname.Guard{}).networks
		if got, header := ask(s, "192.0.2.1:1000", c.body, c.change); got != c.want || header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %d, want %d; header %v", name, got, c.want, header)
		}
	}
}

// An address that asks too often waits, also through a proxy that is believed. Others do not.
func TestRateOfAnAddress(t *testing.T) {
	s := newTestService(hostname.Guard{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	for _, from := range []struct{ remote, forwarded string }{{"192.0.2.1:1000", "198.51.100.7"}, {"10.0.0.1:2000", "forged, 203.0.113.9, 10.0.0.2"}} {
		through := func(r *http.Request) { r.Header.Set("X-Forwarded-For", from.forwarded) }
		for i := range 2 * burst {
			want := http.StatusBadRequest
			if i >= burst {
				want = http.StatusTooManyRequests
			}
			if got, header := ask(s, from.remote, "?", through); got != want || (header.Get("Retry-After") != "") != (got == http.StatusTooManyRequests) {
				t.Errorf("%v, request %d: got %d, want %d; header %v", from, i, got, want, header)
			}
		}
	}
	if got, _ := ask(s, "10.0.0.1:2000", "?", func(r *http.Request) { r.Header.Set("X-Forwarded-For", "203.0.113.10") }); got != http.StatusBadRequest {
		t.Errorf("another address through the proxy: %d", got)
	}
}

// Logins beyond the passwords that are hashed at once wait for a bounded time.
func TestWaitIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestService(hostname.Guard{})
		for range cap(s.hashing) {
			s.hashing <- struct{}{}
		}
		began := time.Now()
		if got, header := ask(s, "192.0.2.1:1000", alice, nil); got != http.StatusServiceUnavailable || header.Get("Retry-After") == "" || time.Since(began) != maxWait {
			t.Errorf("got %d after %v; header %v", got, time.Since(began), header)
		}
	})
}

func TestFlags(t *testing.T) {
	const good = "-key 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff -server 127.0.0.1:7777 "
	for _, args := range []string{
		"-server 127.0.0.1:7777", strings.Fields(good)[0] + " " + strings.Fields(good)[1], "-key 12 -server 127.0.0.1:1", "-key @/none/at/all -server 127.0.0.1:1",
		good + "-expire 1500ms", good + "-protocol x", good + "-known nowhere", good + "-proxies 10.0.0.0", good + "-names a:80", good + "more", good + "-addr 256.0.0.1:0",
	} {
		if err := run(t.Context(), strings.Fields(args), io.Discard, io.Discard); err == nil || strings.Contains(err.Error(), "00112233") {
			t.Errorf("%s: %v", args, err)
		}
	}
}
