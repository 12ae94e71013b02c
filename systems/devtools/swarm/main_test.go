package swarm

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/keyfile"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
)

// game returns the plaza as a command.
func game() Game {
	return Game{Name: "load", Configure: func(c *Config) { c.Protocol, c.Input = plaza, walk() }}
}

// serve runs a server on a socket until the test ends, and says where.
func serve(t *testing.T, config systems.ServerConfig) string {
	t.Helper()
	on, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	config.Overload.Off = true // a slow machine refuses nobody
	s, err := systems.NewServer(on, plaza(), config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return on.LocalAddr().String()
}

// perform runs the command with flags, and returns its exit code and its outputs.
func perform(t *testing.T, g Game, flags string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Main(t.Context(), g, strings.Fields(flags), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// The command plays on a server, shows a table, and ends with a JSON object of the results.
func TestCommand(t *testing.T) {
	t.Parallel()
	addr := serve(t, systems.ServerConfig{})
	code, out, errs := perform(t, game(), "-json -clients 50 -thin 2 -ramp 1000 -warmup 100ms -duration 1500ms -connect "+addr)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var r Report
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &r); err != nil || r.Connected != 50 || r.Clients != 50 || r.Malformed != 0 {
		t.Errorf("%v: %+v", err, r)
	}
	for _, name := range []string{`"connected":50`, `"input_to_snapshot_ms":{"p50"`, `"round_trip_ms":`, `"updates_per_client_s":`, `"busy":`} {
		if !strings.Contains(out, name) {
			t.Errorf("no %s in %s", name, out)
		}
	}
	if !strings.Contains(errs, "updates/s") || !strings.Contains(errs, "ramp") {
		t.Errorf("the table is %q", errs)
	}
	code, out, _ = perform(t, game(), "-clients 3 -warmup -1ns -duration 100ms -connect "+addr)
	if code != 0 || !strings.Contains(out, "3 of 3") || !strings.Contains(out, "this machine") {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// An invalid flag is refused, and so is a game without Configure.
func TestFlags(t *testing.T) {
	t.Parallel()
	for _, flags := range []string{
		"-clients 0x", "-clients 70000", "-clients 5 -thin 6", "-clients -1", "-transport tcp", "-ramp -1", "-busy 2", "-threads 65",
		"-sockets -1", "-duration -1s", "stray", "-key 00", "-key 00 -token x", "-login a", "-public a", "-token https://a.example",
		"-token /nowhere/to/be/seen",
	} {
		if code, _, errs := perform(t, game(), flags); code != ExitUsage || errs == "" {
			t.Errorf("%s: got exit code %d, errors %q; want %d and a reason", flags, code, errs, ExitUsage)
		}
	}
	if code, _, errs := perform(t, Game{Name: "x"}, ""); code != ExitUsage || errs == "" {
		t.Errorf("no game: got exit code %d, errors %q; want %d and a reason", code, errs, ExitUsage)
	}
}

// If the server accepts no client, the command fails with the reason.
func TestNobodyIsLetIn(t *testing.T) {
	t.Parallel()
	addr := serve(t, systems.ServerConfig{TickRate: 30, Session: systems.ServerSession{Key: netcode.GenerateKey(nil), Addresses: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:1")}}})
	g := game()
	g.Configure = func(c *Config) {
		c.Protocol, c.Input = plaza, walk()
		c.Client = func(_ int, c *systems.ClientConfig) { c.Session.ConnectTimeout = 300 * time.Millisecond }
	}
	code, _, errs := perform(t, g, "-clients 3 -connect "+addr)
	if code != 1 || !strings.Contains(errs, "none of 3 clients was let in by "+addr) || !strings.Contains(errs, "no answer") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if code, _, errs := perform(t, game(), "-clients 3 -connect 192.0.2.1:7777"); code != 1 || !strings.Contains(errs, "-insecure-anyone-can-join") {
		t.Errorf("elsewhere without a token: exit code %d: %s", code, errs)
	}
}

// For a server with a key, the command issues tokens, reads them from files, or gets them from a login service.
func TestTokens(t *testing.T) {
	key := netcode.GenerateKey(nil)
	addr := serve(t, systems.ServerConfig{Session: systems.ServerSession{Key: key}})
	folder := t.TempDir()
	keyFile := filepath.Join(folder, "key")
	if err := os.WriteFile(keyFile, fmt.Appendf(nil, "%x", key[:]), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := keyfile.Read("@" + keyFile); err != nil {
		t.Fatal(err)
	}
	issue := func(id uint64) []byte {
		token, err := netcode.TokenConfig{Key: key, ClientID: id, Servers: []netip.AddrPort{netip.MustParseAddrPort(addr)}}.Issue(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return token.Append(nil)
	}
	files, single := filepath.Join(folder, "tokens"), filepath.Join(folder, "single")
	if err := os.Mkdir(files, 0o700); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{filepath.Join(files, "a"), filepath.Join(files, "b"), single} {
		if err := os.WriteFile(name, issue(100+uint64(i)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Name, Password string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Password != "swordfish" {
			t.Errorf("%v %+v", err, body)
		}
		var n uint64
		if _, err := fmt.Sscanf(body.Name, "player%d", &n); err != nil || n > 2 {
			t.Errorf("name %q", body.Name)
		}
		_, _ = fmt.Fprintf(w, `{"token": %q}`, base64.StdEncoding.EncodeToString(issue(200+n)))
	}))
	defer service.Close()
	t.Setenv("TACTUS_PASSWORD", "swordfish")
	for flags, in := range map[string]string{
		"-clients 3 -key @" + keyFile:                      "3 of 3",
		"-clients 3 -token " + single + "," + files:        "3 of 3",
		"-clients 3 -login player%d -token " + service.URL: "3 of 3",
	} {
		code, out, errs := perform(t, game(), flags+" -warmup -1ns -duration 100ms -connect "+addr)
		if code != 0 || !strings.Contains(out, in) {
			t.Errorf("%s: exit code %d: %s %s", flags, code, out, errs)
		}
	}
	if code, _, errs := perform(t, game(), "-clients 1 -token "+keyFile+" -connect "+addr); code != 1 || !strings.Contains(errs, "token: ") {
		t.Errorf("a file that is no token: exit code %d: %s", code, errs)
	}
}
