package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms/serve"
	"github.com/tactusgo/tactus/systems/rooms/web"
)

// generous is a deadline that no machine needs.
const generous = 30 * time.Second

// A player gets a seat by the login service and plays, in a cluster that says where; SIGTERM lets it play on, refuses others,
// and when it has left the process says goodbye to Agones and ends well.
func TestDeploy(t *testing.T) {
	wire, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var told []string
	cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, r.URL.Path)
		_, _ = fmt.Fprintf(w, `{"object_meta":{},"status":{"state":"Ready","address":"127.0.0.1","ports":[{"name":"game","port":%d}]}}`, wire.LocalAddr().Port())
	}))
	defer cluster.Close()
	t.Setenv("AGONES_SDK_HTTP_PORT", strconv.Itoa(cluster.Listener.Addr().(*net.TCPAddr).Port))
	heard := func(path string) bool {
		mu.Lock()
		defer mu.Unlock()
		return slices.Contains(told, path)
	}
	seats, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	signals := make(chan os.Signal, 1)
	secret := strings.Repeat("s", 32)
	done := make(chan error, 1)
	go func() {
		p := process{wire: wire, seats: seats, secret: secret, log: slog.New(slog.DiscardHandler), serve: serve.Config{Signals: signals}}
		done <- p.run(t.Context())
	}()
	ask := func(method, path, with, player string) (int, web.Admission) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+seats.Addr().String()+path, strings.NewReader(`{"kind":"dots"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Authorization": {"Bearer " + with}, "Player": {player}, "Content-Type": {"application/json"}}
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		var a web.Admission
		_ = json.NewDecoder(got.Body).Decode(&a) // a refusal is none
		return got.StatusCode, a
	}
	for _, x := range [][2]string{{"wrong", "17"}, {secret, "0"}, {secret, ""}} {
		if code, _ := ask(http.MethodPost, "/rooms/join", x[0], x[1]); code != http.StatusUnauthorized {
			t.Errorf("secret %q, player %q: status %d", x[0], x[1], code)
		}
	}
	code, a := ask(http.MethodPost, "/rooms/join", secret, "17")
	if code != http.StatusOK && code != http.StatusCreated || a.Endpoints.UDP != wire.LocalAddr().String() {
		t.Fatalf("status %d, %+v", code, a.Endpoints)
	}
	b, err := base64.StdEncoding.DecodeString(a.Token)
	if err != nil {
		t.Fatal(err)
	}
	token, err := netcode.ParseToken(b)
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	c, err := systems.Dial(ctx, "", dots(), systems.ClientConfig{
		Token: token, Gather: systems.Gather(func(_ *systems.Client, in *move) { in.DX = 1 }),
	})
	if err != nil {
		t.Fatal(err)
	}
	at, over := make(chan float32), make(chan error, 1)
	go func() {
		over <- c.Run(ctx, func(c *systems.Client) {
			if e, ok := c.Own(c.View()); ok {
				select {
				case at <- ecs.Get[components.Position](c.View(), e).X:
				default:
				}
			}
		})
	}()
	walks := func(beyond float32) float32 {
		t.Helper()
		for limit := time.After(generous); ; {
			select {
			case x := <-at:
				if x > beyond {
					return x
				}
			case err := <-over:
				t.Fatalf("the player has ended: %v", err)
			case <-limit:
				t.Fatalf("the player does not walk beyond %v", beyond)
			}
		}
	}
	x := walks(5)
	until := func(what string, f func() bool) {
		t.Helper()
		for limit := time.Now().Add(generous); !f(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatalf("%s: not in %v", what, generous)
			}
		}
	}
	until("allocated", func() bool { return heard("/allocate") })
	signals <- syscall.SIGTERM
	until("draining", func() bool {
		code, _ := ask(http.MethodGet, "/ready", "", "")
		return code == http.StatusServiceUnavailable
	})
	if code, _ := ask(http.MethodPost, "/rooms/join", secret, "18"); code != http.StatusServiceUnavailable {
		t.Errorf("somebody new: status %d", code)
	}
	walks(x + 20)
	leave()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("the process has ended with %v", err)
		}
	case <-time.After(generous):
		t.Fatal("the process does not end")
	}
	if !heard("/shutdown") {
		t.Error("Agones was not told that it goes")
	}
}

// Without a secret that nobody can guess it does not begin, and what it listened on is free again.
func TestStartRefuses(t *testing.T) {
	if err := start("127.0.0.1:0", "", "127.0.0.1:0", "short"); err == nil || !strings.Contains(err.Error(), secretName) {
		t.Errorf("%v", err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if err := start("127.0.0.1:0", "nowhere", "127.0.0.1:0", strings.Repeat("s", 32)); err == nil || !strings.Contains(err.Error(), "-address") {
		t.Errorf("an address without a port: %v", err)
	}
	if err := start("127.0.0.1:0", "", taken.Addr().String(), strings.Repeat("s", 32)); err == nil {
		t.Error("it began on an address that is taken")
	}
}

// Outside of Agones the process listens everywhere and players are told the address that was given.
func TestAddress(t *testing.T) {
	t.Setenv("AGONES_SDK_HTTP_PORT", "")
	wire, err := netsys.ListenUDP("0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	seats, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := process{
		wire: wire, address: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), wire.LocalAddr().Port()), seats: seats,
		secret: strings.Repeat("s", 32), log: slog.New(slog.DiscardHandler),
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.run(ctx) }()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+seats.Addr().String()+"/rooms/join", strings.NewReader(`{"kind":"dots"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer " + p.secret}, "Player": {"17"}, "Content-Type": {"application/json"}}
	got, err := (&http.Client{Timeout: generous}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	var a web.Admission
	if err := json.NewDecoder(got.Body).Decode(&a); err != nil || a.Endpoints.UDP != p.address.String() || a.Token == "" {
		t.Errorf("%v: %+v, %v", got.Status, a.Endpoints, err)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
