package broadcast_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/recording"
	"github.com/tactusgo/tactus/systems/recording/broadcast"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// segment records a second with one datagram.
func segment(w *recording.Writer, n int) {
	at := noon.Add(time.Duration(n) * time.Second)
	w.Begin(at, recording.Header{Protocol: "dots/1"}, 7, nil)
	w.Datagram(at, uint16(n), []byte{byte(n)}, false)
	w.Check(at.Add(time.Second/2), uint64(n))
}

// serve serves a stream, and counts requests.
func serve(t *testing.T, s *broadcast.Stream) (url string, requests *atomic.Int32) {
	requests = &atomic.Int32{}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	return h.URL, requests
}

// datagrams plays a viewer's recording until it has n datagrams.
func datagrams(t *testing.T, v *broadcast.Viewer, n int) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); n > 0; {
		var x recording.Record
		ok, err := v.Reader.Next(&x, time.Hour)
		switch {
		case err != nil:
			t.Fatal(err)
		case ok && x.Kind == recording.Datagram:
			n--
		case !ok && time.Now().After(deadline):
			t.Fatalf("%d datagrams are missing", n)
		case !ok:
			time.Sleep(time.Millisecond)
			v.Update()
		}
	}
}

// Viewers of a relay watch while the recording is made, and its server is asked once.
func TestRelay(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	match, relay := broadcast.NewStream(broadcast.Config{}), broadcast.NewStream(broadcast.Config{})
	from, requests := serve(t, match)
	url, _ := serve(t, relay)
	relayed := make(chan error, 1)
	go func() { relayed <- broadcast.Relay(ctx, from, relay) }()
	w := recording.NewWriter(match, recording.Config{})
	segment(w, 0)
	segment(w, 1) // the first is written
	var viewers []*broadcast.Viewer
	for range 20 {
		v, err := broadcast.Watch(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		viewers = append(viewers, v)
		datagrams(t, v, 1)
	}
	for n := 2; n < 5; n++ {
		segment(w, n)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	match.End()
	for _, v := range viewers {
		datagrams(t, v, 4)
		v.Close()
	}
	if err := <-relayed; err != nil {
		t.Error(err)
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("the match's server was asked %d times", n)
	}
}

// A relay continues where it was after its connection was lost.
func TestLostConnection(t *testing.T) {
	match := broadcast.NewStream(broadcast.Config{})
	w := recording.NewWriter(match, recording.Config{})
	for n := range 4 {
		segment(w, n)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	match.End()
	requests := 0
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests++; requests == 1 {
			w = cut{w}
		}
		match.ServeHTTP(w, r)
	}))
	defer h.Close()
	v, err := broadcast.Watch(t.Context(), h.URL)
	if err != nil {
		t.Fatal(err)
	}
	datagrams(t, v, 4)
	v.Close()
	if requests != 2 {
		t.Errorf("%d requests", requests)
	}
}

// cut ends a connection after 200 bytes.
type cut struct{ http.ResponseWriter }

func (c cut) Write(b []byte) (int, error) {
	_, _ = c.ResponseWriter.Write(b[:min(len(b), 200)])
	panic(http.ErrAbortHandler)
}

// Unwrap lets a response be flushed.
func (c cut) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Viewers receive nothing before the delay is over.
func TestDelay(t *testing.T) {
	var now atomic.Int64
	s := broadcast.NewStream(broadcast.Config{Delay: time.Hour, Now: func() time.Time { return noon.Add(time.Duration(now.Load())) }})
	if _, err := s.Write([]byte("early")); err != nil {
		t.Fatal(err)
	}
	read := func() string {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
		return w.Body.String()
	}
	if got := read(); got != "" {
		t.Errorf("%q at once", got)
	}
	now.Store(int64(time.Hour))
	if _, err := s.Write([]byte("late")); err != nil {
		t.Fatal(err)
	}
	if got := read(); got != "early" {
		t.Errorf("%q after an hour", got)
	}
}

// Only pages of the origins that are listed may read a stream from another host.
func TestOrigins(t *testing.T) {
	for _, x := range []struct {
		origins      []string
		origin, want string
	}{
		{nil, "https://evil.example", ""},
		{nil, "", ""},
		{[]string{"https://game.example"}, "https://game.example", "https://game.example"},
		{[]string{"https://game.example"}, "https://evil.example", ""},
		{[]string{"https://game.example"}, "", ""},
		{[]string{"*"}, "https://evil.example", "*"},
	} {
		s := broadcast.NewStream(broadcast.Config{Origins: x.origins})
		s.End()
		r, w := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
		r.Header.Set("Origin", x.origin)
		if s.ServeHTTP(w, r); w.Header().Get("Access-Control-Allow-Origin") != x.want {
			t.Errorf("%v, page of %q: %v", x.origins, x.origin, w.Header())
		}
	}
}

// A stream does not outgrow its limit, and what is no recording is refused.
func TestBadStreams(t *testing.T) {
	small := broadcast.NewStream(broadcast.Config{MaxSize: 300})
	w := recording.NewWriter(small, recording.Config{})
	for n := range 4 {
		segment(w, n)
	}
	if err := w.Close(); !errors.Is(err, broadcast.ErrSize) {
		t.Error(err)
	}
	h := httptest.NewServer(http.NotFoundHandler())
	defer h.Close()
	if _, err := broadcast.Watch(t.Context(), h.URL); err == nil {
		t.Error("watched a 404")
	}
}
