package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms/fleet"
)

// patience is the maximum time that a test waits for a condition.
const patience = time.Minute

// TestMain is the program, too, where a demonstration starts it as a process.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		if err := run(os.Args[1:]); err != nil {
			log.Fatal(err)
		}
		return
	}
	os.Exit(m.Run())
}

// started returns a demonstration whose processes serve.
func started(t *testing.T) *demo {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*patience)
	t.Cleanup(stop)
	d, err := newDemo(ctx, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.end)
	return d
}

// Two parties meet although their members ask different processes. When a process is told to stop, its players travel, and
// keep their positions and sessions. When a process is killed, its players meet again in their room in another process. Other
// players notice nothing.
func TestDemonstration(t *testing.T) {
	d := started(t)
	if err := d.account(); err != nil {
		t.Fatal(err)
	}
	rooms := make(map[string]uint64)
	for _, p := range d.players {
		if r, is := rooms[p.party]; is && r != p.room.Load() {
			t.Errorf("%s is in two rooms", p.party)
		}
		rooms[p.party] = p.room.Load()
	}
	lost := 0
	for _, p := range d.players {
		lost += int(p.losses.Load())
	}
	if lost < 2 || lost > 4 {
		t.Errorf("%d sessions were lost, want those of the process that was killed", lost)
	}
	ended := 0
	for _, p := range d.all() {
		if !p.running() {
			ended++
		}
	}
	if ended != 2 {
		t.Errorf("%d processes have ended, want the one that was told to and the one that was killed", ended)
	}
}

// Under Agones a process reports its state, and gives players the address that Agones names. Otherwise it gives them the
// address of its flag.
func TestAddresses(t *testing.T) {
	d := started(t)
	entry := func(p *process) (e fleet.ProcessEntry) {
		t.Helper()
		if err := d.ready(); err != nil {
			t.Fatal(err)
		}
		r, err := d.directory.Load(d.ctx, fleet.ProcessPrefix+p.name)
		if err == nil {
			err = json.Unmarshal(r.Value, &e)
		}
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	udp, err := net.ListenPacket("udp", "127.0.0.1:0") // a port that is free
	if err != nil {
		t.Fatal(err)
	}
	at := udp.LocalAddr().(*net.UDPAddr).AddrPort()
	if err := udp.Close(); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var told []string
	cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, r.URL.Path)
		_, _ = fmt.Fprintf(w, `{"object_meta":{},"status":{"state":"Ready","address":"127.0.0.1","ports":[{"name":%q,"port":%d}]}}`, gamePort, at.Port())
	}))
	defer cluster.Close()
	heard := func(path string) func() bool {
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			return slices.Contains(told, path)
		}
	}
	_, port, _ := net.SplitHostPort(cluster.Listener.Addr().String())
	agones, err := d.start("AGONES_SDK_HTTP_PORT="+port, fmt.Sprintf("%s=0.0.0.0:%d", variable("listen"), at.Port()))
	if err != nil {
		t.Fatal(err)
	}
	if e := entry(agones); e.Endpoints.UDP != at.String() || !slices.Equal(e.Addresses, []netip.AddrPort{at}) {
		t.Errorf("Agones says %v, and players are told %+v, %v", at, e.Endpoints, e.Addresses)
	}
	if err := d.until("it is ready", heard("/ready")); err != nil {
		t.Fatal(err)
	}
	if err := agones.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-agones.gone
	if !agones.ProcessState.Success() || !heard("/shutdown")() {
		t.Errorf("it has ended with %v; Agones was told %q", agones.ProcessState, told)
	}

	given, err := d.start(variable("address") + "=203.0.113.7:7777")
	if err != nil {
		t.Fatal(err)
	}
	if e := entry(given); e.Endpoints.UDP != "203.0.113.7:7777" {
		t.Errorf("players are told %+v", e.Endpoints)
	}
}

// A process refuses invalid settings before it listens, and names the wrong flag.
func TestSettings(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	good := map[string]string{
		"key": file("key", strings.Repeat("ab", 32)), "issuer": "https://login.example", "audience": "dots",
		"jwks": "https://login.example/keys", "nats": "nats://127.0.0.1:1", "listen": "127.0.0.1:0", "http": "127.0.0.1:0", "operator": "127.0.0.1:0",
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for i, x := range []struct{ name, value, says string }{
		{"key", "", "-key"},
		{"key", file("short", "abcd"), "-key"},
		{"proxies", "10.0.0.1", "-proxies"},
		{"operators", "ada", "-operators"},
		{"issuer", "", "-issuer"},
		{"audience", "", "-audience"},
		{"jwks", "http://login.example/keys", "-jwks"},
		{"listen", "nowhere", "-listen"},
		{"http", taken.Addr().String(), "-http"},
		{"operator", taken.Addr().String(), "-operator"},
		{"address", "nowhere", "-address"},
		{"nats-ca", file("empty", ""), "-nats-ca"},
		{"nats", "nats://nats.example:4222", "TLS"},
		{"nats-replicas", "many", variable("nats-replicas")},
	} {
		env := []string{"OTHER=1"}
		for name, value := range good {
			env = append(env, variable(name)+"="+value)
		}
		env = append(env, variable(x.name)+"="+x.value) // the last one counts
		var s settings
		err := s.parse(nil, env)
		if err == nil {
			ctx, stop := context.WithTimeout(t.Context(), patience)
			err = s.serve(ctx, quiet)
			stop()
		}
		if err == nil || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%d: -%s %q: %v", i, x.name, x.value, err)
		}
	}
	var s settings
	if err := s.parse([]string{"-name", "two"}, []string{variable("name") + "=one", variable("nats-replicas") + "=3"}); err != nil || s.name != "two" || s.replicas != 3 {
		t.Errorf("flags count before variables: %+v, %v", s, err)
	}
	if err := run([]string{"unknown"}); err == nil || !strings.Contains(err.Error(), strconv.Quote("unknown")) {
		t.Error(err)
	}
}
