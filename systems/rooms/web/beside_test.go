package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// elsewhere is like a lobby: it gives seats in other processes while its own drains.
type elsewhere struct{ rooms.Seats }

func (elsewhere) Ready() error { return nil }

// A process reports that it is ready until it drains, also behind a lobby, and serves HTTP until its context ends.
func TestReadyBeside(t *testing.T) {
	x := newSite(t, Config{}, rooms.Kind{Capacity: 2})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	slow := make(chan struct{})
	mux := http.NewServeMux()
	mux.Handle("/ready", Ready(rooms.Here(x.server)))
	mux.Handle("/lobby/ready", Ready(elsewhere{rooms.Here(x.server)}))
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		close(slow)
		<-r.Context().Done()
	})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Beside(l, mux)(ctx) }()
	path := "/ready"
	ask := func(method string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+l.Addr().String()+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		return got.StatusCode, got.Header.Get("Retry-After") + got.Header.Get("Allow")
	}
	if _, err := x.server.Join("field", nil, rooms.Player{ID: 1}); err != nil {
		t.Fatal(err)
	}
	for _, path = range []string{"/lobby/ready", "/ready"} {
		if code, _ := ask(http.MethodGet); code != http.StatusOK {
			t.Errorf("%s: status %d", path, code)
		}
	}
	if code, allow := ask(http.MethodPost); code != http.StatusMethodNotAllowed || allow != http.MethodGet {
		t.Errorf("POST: status %d, allowed %q", code, allow)
	}
	x.server.Drain()
	for _, path = range []string{"/lobby/ready", "/ready"} {
		if code, again := ask(http.MethodGet); code != http.StatusServiceUnavailable || again == "" {
			t.Errorf("%s while it drains: status %d, again after %q", path, code, again)
		}
	}
	go func() { _, _ = http.Get("http://" + l.Addr().String() + "/slow") }() // it is cut
	<-slow
	stop()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(generous):
		t.Fatal("it does not end")
	}
	if err := Beside(l, mux)(t.Context()); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a listener that is closed: %v", err)
	}
}
