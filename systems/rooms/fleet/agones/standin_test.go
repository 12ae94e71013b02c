package agones

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// standIn answers like the OpenAPI descriptions of Agones, sdks/swagger/sdk.swagger.json and beta.swagger.json: 64-bit numbers
// are strings, and a requested change takes effect with the next request.
type standIn struct {
	*httptest.Server
	t *testing.T

	mu     sync.Mutex
	calls  map[string]int // by method and path
	fails  func(path string) bool
	state  string
	labels map[string]string
	notes  map[string]string
	addr   string
	counts map[string]*[2]int64 // count and capacity
	health int
}

func newStandIn(t *testing.T) *standIn {
	s := &standIn{
		t: t, state: "Scheduled", calls: make(map[string]int), labels: make(map[string]string), notes: make(map[string]string), addr: "203.0.113.9",
		counts: map[string]*[2]int64{Rooms: {0, 100}, Players: {0, 1000}},
		fails:  func(string) bool { return false },
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// config returns the configuration of an agent that talks to the stand-in.
func (s *standIn) config() Config {
	at := netip.MustParseAddrPort(s.Listener.Addr().String())
	return Config{Port: int(at.Port())}
}

// status answers with an error of gRPC over HTTP.
func status(w http.ResponseWriter, code int, format string, v ...any) {
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]any{"code": 2, "message": fmt.Sprintf(format, v...), "details": []any{}})
}

// ServeHTTP implements http.Handler.
func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what := r.Method + " " + r.URL.Path
	s.calls[what]++
	if s.fails(r.URL.Path) {
		status(w, http.StatusServiceUnavailable, "not now")
		return
	}
	if got := r.Header.Get("Content-Type"); got != "application/json" {
		s.t.Errorf("%s: content type %q", what, got)
	}
	read := func(into any) bool {
		d := json.NewDecoder(r.Body)
		d.DisallowUnknownFields()
		if err := d.Decode(into); err != nil {
			status(w, http.StatusBadRequest, "%v", err)
			s.t.Errorf("%s: %v", what, err)
			return false
		}
		return true
	}
	if name, ok := strings.CutPrefix(what, "PATCH /v1beta1/counters/"); ok {
		var body struct{ Count, Capacity, CountDiff *string }
		if !read(&body) {
			return
		}
		c := s.counts[name]
		if c == nil {
			status(w, http.StatusInternalServerError, "counter not found: %s", name)
			return
		}
		next := *c
		for i, said := range []*string{body.Count, body.Capacity} {
			if said != nil {
				n, err := strconv.ParseInt(*said, 10, 64)
				if err != nil {
					s.t.Errorf("%s: %v", what, err)
				}
				next[i] = n
			}
		}
		if next[0] < 0 || next[0] > next[1] {
			status(w, http.StatusInternalServerError, "out of range. Count must be within range [0,Capacity]. Found Count: %d, Capacity: %d", next[0], next[1])
			return
		}
		*c = next
		_, _ = fmt.Fprintf(w, `{"name":%q,"count":"%d","capacity":"%d"}`, name, next[0], next[1])
		return
	}
	switch what {
	case "POST /ready", "POST /allocate", "POST /shutdown", "POST /health":
		var body struct{}
		if !read(&body) {
			return
		}
		switch r.URL.Path {
		case "/health":
			s.health++
		case ready:
			s.state = "Ready"
		case allocate:
			s.state = "Allocated"
		case shutdown:
			s.state = "Shutdown"
		}
		_, _ = w.Write([]byte("{}"))
	case "GET /gameserver":
		counters := map[string]any{}
		for name, c := range s.counts {
			counters[name] = map[string]string{"count": strconv.FormatInt(c[0], 10), "capacity": strconv.FormatInt(c[1], 10)}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"object_meta": map[string]any{"name": "local", "namespace": "default", "generation": "1", "labels": s.labels, "annotations": s.notes},
			"status": map[string]any{
				"state": s.state, "address": s.addr, "counters": counters,
				"ports": []any{map[string]any{"name": "game", "port": 7123}, map[string]any{"name": "web", "port": 7124}},
			},
		})
	default:
		status(w, http.StatusNotFound, "Not Found")
		s.t.Errorf("%s: nobody answers that", what)
	}
}

// called returns how often something was called.
func (s *standIn) called(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[what]
}

// with does something to it, or looks at it.
func (s *standIn) with(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}
