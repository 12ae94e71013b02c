package agones

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// generous is a deadline that no machine needs.
const generous = 20 * time.Second

// In real time, at the port of the environment, the process becomes ready and shuts down.
func TestRun(t *testing.T) {
	x := newCluster(t, Config{})
	t.Setenv(portName, strconv.Itoa(x.agones.config().Port))
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, x.Server, Config{}) }()
	for deadline := time.Now().Add(generous); x.agones.called("POST /ready") == 0 || x.agones.called("GET /gameserver") == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it is not ready")
		}
	}
	x.agones.with(func() {
		tries := 0
		x.agones.fails = func(string) bool { tries++; return tries < leaveTries }
	})
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	x.agones.with(func() {
		if x.agones.state != "Shutdown" {
			t.Errorf("it is %s after the end", x.agones.state)
		}
	})
}

// Without Agones nothing is done, and this is logged once.
func TestNoAgones(t *testing.T) {
	t.Setenv(portName, "")
	var out bytes.Buffer
	if err := Run(t.Context(), nil, Config{Logger: slog.New(slog.NewTextHandler(&out, nil))}); err != nil {
		t.Error(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 1 || !strings.Contains(out.String(), portName) {
		t.Errorf("it says %q", &out)
	}
	if all, err := Addresses(t.Context(), Config{}, "game"); all != nil || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	for name, c := range map[string]Config{"a port": {Port: 70000}, "rooms": {Rooms: -1}, "players": {Players: -1}} {
		if err := Run(t.Context(), nil, c); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Setenv(portName, "http")
	if err := Run(t.Context(), nil, Config{}); !errors.Is(err, ErrConfig) {
		t.Errorf("a port that is none: %v", err)
	}
}

// Addresses waits until the addresses are known, and returns them in the order of the ports.
func TestAddresses(t *testing.T) {
	s := newStandIn(t)
	s.addr = ""
	a := newAgent(s.config(), nil)
	waits := 0
	a.sleep = func(context.Context, time.Duration) error {
		if waits++; waits == 3 {
			s.with(func() { s.addr = "203.0.113.9" })
		}
		return nil
	}
	want := []netip.AddrPort{netip.MustParseAddrPort("203.0.113.9:7124"), netip.MustParseAddrPort("203.0.113.9:7123")}
	if all, err := a.addresses(t.Context(), []string{"web", "game"}); err != nil || !slices.Equal(all, want) || waits != 3 {
		t.Errorf("%v, %v after %d waits", all, err, waits)
	}
	if _, err := Addresses(t.Context(), s.config(), "chat"); !errors.Is(err, ErrConfig) {
		t.Errorf("a port that the manifest does not have: %v", err)
	}
	s.with(func() { s.addr = "localhost" })
	if all, err := Addresses(t.Context(), s.config(), "game"); err != nil || len(all) != 1 || !all[0].Addr().IsLoopback() {
		t.Errorf("a name: %v, %v", all, err)
	}
	s.with(func() { s.fails = func(string) bool { return true } })
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer stop()
	if _, err := Addresses(ctx, s.config(), "game"); err == nil {
		t.Error("an address that nobody has said")
	}
}

// Answers are bounded, and lead nowhere else.
func TestAnswersAreBounded(t *testing.T) {
	s := newStandIn(t)
	flood := false
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !flood {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
			return
		}
		_, _ = w.Write(bytes.Repeat([]byte(" "), answerMost))
		_, _ = w.Write([]byte(`{"status":{"state":"Ready"}}`))
	})
	a := newAgent(s.config(), nil)
	if _, err := a.gameServer(t.Context()); err == nil || !strings.Contains(err.Error(), "307") {
		t.Errorf("sent elsewhere: %v", err)
	}
	flood = true
	if _, err := a.gameServer(t.Context()); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("a flood: %v", err)
	}
}

// FuzzAnswers reads anything as the answer of an SDK server.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{
		`{"object_meta":{"labels":{"tactus-drain":"true"}},"status":{"state":"Ready","address":"203.0.113.9","ports":[{"name":"game","port":7123}]}}`,
		`{"status":{"state":"Allocated","counters":{"rooms":{"count":"3","capacity":8}},"lists":{"players":{"values":["1","2"]}}}}`,
		`{"status":{"ports":[{"name":"game","port":-1},{"name":"web","port":65536}],"address":"::1"}}`,
		`{"code":2,"message":"counter not found: rooms","details":[]}`, `[]`, `null`, `{"status":null}`,
	} {
		f.Add(200, []byte(s))
		f.Add(500, []byte(s))
	}
	f.Fuzz(func(t *testing.T, code int, b []byte) {
		g := &gameServer{}
		if err := read(code, b, g); err != nil {
			if len(err.Error()) > 4096+len(b) {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		g.drains()
		if _, err := netip.ParseAddr(g.Status.Address); err != nil {
			return // it would be looked up
		}
		all, err := g.addresses(t.Context(), []string{"game"})
		if err == nil && (len(all) != 1 || !all[0].IsValid() || all[0].Port() == 0) {
			t.Errorf("addresses %v of %q", all, b)
		}
	})
}
