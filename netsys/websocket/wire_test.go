//go:build !js

package websocket_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	coder "github.com/coder/websocket"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/websocket"
)

// serve starts a WebSocket server of another make and returns its URL.
func serve(t *testing.T, handle func(ctx context.Context, c *coder.Conn)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Origin") != "" {
			t.Errorf("a native client claims to be the page %q", r.Header.Get("Origin"))
		}
		c, err := coder.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer c.CloseNow()
		handle(r.Context(), c)
	}))
	t.Cleanup(s.Close)
	return "ws" + strings.TrimPrefix(s.URL, "http")
}

func dial(t *testing.T, config websocket.DialConfig, url string) *websocket.Wire {
	t.Helper()
	w, err := config.Dial(t.Context(), url)
	must(t, err)
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for range 10_000 {
		if condition() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("never happened: %s", what)
}

// echo sends everything back.
func echo(ctx context.Context, c *coder.Conn) {
	for {
		kind, b, err := c.Read(ctx)
		if err != nil || c.Write(ctx, kind, b) != nil {
			return
		}
	}
}

func TestDatagramsGoBothWays(t *testing.T) {
	server := netip.MustParseAddrPort("192.0.2.1:7778")
	w := dial(t, websocket.DialConfig{Server: server}, serve(t, echo))
	if w.RemoteAddr() != server || w.LocalAddr().Port() == 0 {
		t.Errorf("remote %v, local %v", w.RemoteAddr(), w.LocalAddr())
	}
	var want, got []string
	for _, n := range []int{0, 1, 125, 126, 1200, netsys.MaxDatagram} {
		payload := strings.Repeat("x", n)
		want = append(want, payload)
		must(t, w.Send(time.Now(), server, []byte(payload)))
	}
	until(t, "all came back", func() bool {
		w.Poll(time.Now(), func(d netsys.Datagram) {
			if d.From != server {
				t.Errorf("from %v", d.From)
			}
			got = append(got, string(d.Data))
		})
		return len(got) == len(want)
	})
	if strings.Join(got, ".") != strings.Join(want, ".") {
		t.Error("datagrams arrived changed")
	}
	if err := w.Send(time.Now(), netip.MustParseAddrPort("192.0.2.2:1"), nil); err == nil {
		t.Error("sent to a stranger")
	}
}

// Invalid messages end the connection with a reason.
func TestBadMessagesEndTheConnection(t *testing.T) {
	for name, send := range map[string]func(ctx context.Context, c *coder.Conn){
		"text": func(ctx context.Context, c *coder.Conn) { _ = c.Write(ctx, coder.MessageText, []byte("hello")) },
		"too long": func(ctx context.Context, c *coder.Conn) {
			_ = c.Write(ctx, coder.MessageBinary, make([]byte, netsys.MaxDatagram+1))
		},
		"goodbye": func(_ context.Context, c *coder.Conn) { _ = c.Close(coder.StatusGoingAway, "") },
		"cut":     func(_ context.Context, c *coder.Conn) { _ = c.CloseNow() },
	} {
		t.Run(name, func(t *testing.T) {
			w := dial(t, websocket.DialConfig{}, serve(t, func(ctx context.Context, c *coder.Conn) {
				send(ctx, c)
				_, _, _ = c.Read(ctx)
			}))
			until(t, "the end is known", func() bool { return w.Err() != nil })
			w.Poll(time.Now(), func(d netsys.Datagram) { t.Errorf("delivered %d bytes", len(d.Data)) })
			if err := w.Send(time.Now(), w.RemoteAddr(), []byte("late")); err != nil {
				t.Errorf("Send after the end: %v", err)
			}
			if s := w.Stats(); s.Stale != 1 {
				t.Errorf("%+v", s)
			}
			if err := w.Close(); err != nil || errors.Is(w.Err(), netsys.ErrClosed) {
				t.Errorf("Close %v; then Err %v", err, w.Err())
			}
		})
	}
}

// A server that does not read makes the wire drop its oldest datagrams; neither Send nor Close waits for it.
func TestServerThatDoesNotRead(t *testing.T) {
	release := make(chan struct{})
	w := dial(t, websocket.DialConfig{Outbound: 4}, serve(t, func(context.Context, *coder.Conn) { <-release }))
	defer close(release)
	b := make([]byte, netsys.MaxDatagram)
	until(t, "the socket is full", func() bool {
		for range 1000 {
			must(t, w.Send(time.Now(), w.RemoteAddr(), b))
		}
		return w.Stats().Stale > 10_000
	})
	must(t, w.Close())
}

func TestFullInbox(t *testing.T) {
	w := dial(t, websocket.DialConfig{Inbound: 3}, serve(t, func(ctx context.Context, c *coder.Conn) {
		for i := range 10 {
			_ = c.Write(ctx, coder.MessageBinary, []byte{byte(i)})
		}
		_, _, _ = c.Read(ctx)
	}))
	until(t, "seven were dropped", func() bool { return w.Stats().Dropped == 7 })
	n := 0
	w.Poll(time.Now(), func(netsys.Datagram) { n++ })
	if n != 3 {
		t.Errorf("%d delivered", n)
	}
}

func TestDialErrors(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	silent := fmt.Sprintf("ws://%v", ln.Addr())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := websocket.Dial(ctx, silent); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a server that does not answer: %v", err)
	}
	_ = ln.Close()
	no := httptest.NewServer(http.NotFoundHandler())
	defer no.Close()
	for _, url := range []string{silent, "ws" + strings.TrimPrefix(no.URL, "http"), "udp://127.0.0.1:1", "::", ""} {
		if w, err := websocket.Dial(t.Context(), url); err == nil {
			t.Errorf("%q: no error", url)
			_ = w.Close()
		}
	}
	for _, c := range []websocket.DialConfig{{Inbound: -1}, {Outbound: -1}, {Redial: -1}} {
		if _, err := c.Dial(t.Context(), silent); err == nil || !strings.Contains(err.Error(), "negative") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Datagrams that were sent before Close arrive. A second Close is harmless, and no goroutine remains.
func TestClose(t *testing.T) {
	received := make(chan string, 16)
	url := serve(t, func(ctx context.Context, c *coder.Conn) {
		for {
			_, b, err := c.Read(ctx)
			if err != nil {
				received <- fmt.Sprint(coder.CloseStatus(err) == coder.StatusNormalClosure)
				return
			}
			received <- string(b)
		}
	})
	before := runtime.NumGoroutine()
	w := dial(t, websocket.DialConfig{}, url)
	for range 10 {
		_ = w.Send(time.Now(), w.RemoteAddr(), []byte("goodbye"))
	}
	for range 2 {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	for range 10 {
		if got := <-received; got != "goodbye" {
			t.Fatalf("received %q", got)
		}
	}
	if polite := <-received; polite != "true" {
		t.Error("the connection ended without a goodbye")
	}
	if !errors.Is(w.Err(), netsys.ErrClosed) {
		t.Errorf("Err %v", w.Err())
	}
	if err := w.Send(time.Now(), w.RemoteAddr(), nil); !errors.Is(err, netsys.ErrClosed) {
		t.Errorf("Send: %v", err)
	}
	until(t, "the goroutines are gone", func() bool { return runtime.NumGoroutine() <= before })
}

// A wire that redials delivers datagrams again when the connection is back. Those that were sent in between are lost.
func TestRedial(t *testing.T) {
	var connections atomic.Int32
	url := serve(t, func(ctx context.Context, c *coder.Conn) {
		if connections.Add(1) <= 3 {
			_, _, _ = c.Read(ctx)
			_ = c.CloseNow()
			return
		}
		echo(ctx, c)
	})
	before := runtime.NumGoroutine()
	w := dial(t, websocket.DialConfig{Redial: time.Millisecond}, url)
	got := ""
	until(t, "an echo", func() bool {
		must(t, w.Send(time.Now(), w.RemoteAddr(), []byte("are you there")))
		w.Poll(time.Now(), func(d netsys.Datagram) { got = string(d.Data) })
		return got != ""
	})
	if s := w.Stats(); got != "are you there" || s.Redials != 3 || w.Err() != nil {
		t.Errorf("%q, %+v, Err %v", got, s, w.Err())
	}
	_ = w.Close()
	until(t, "the goroutines are gone", func() bool { return runtime.NumGoroutine() <= before })
}

// Close ends a wire that tries in vain, whether it waits or connects.
func TestCloseWhileRedialing(t *testing.T) {
	for _, redial := range []time.Duration{time.Millisecond, time.Hour} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if c, err := coder.Accept(w, r, nil); err == nil {
				_ = c.CloseNow()
			}
		}))
		before := runtime.NumGoroutine()
		w := dial(t, websocket.DialConfig{Redial: redial}, "ws"+strings.TrimPrefix(s.URL, "http"))
		s.Close()
		until(t, "the end is known", func() bool { return w.Err() != nil })
		_ = w.Send(time.Now(), w.RemoteAddr(), []byte("lost"))
		if err := w.Close(); err != nil || w.Stats().Stale != 1 {
			t.Errorf("Close %v, %+v", err, w.Stats())
		}
		until(t, "the goroutines are gone", func() bool { return runtime.NumGoroutine() <= before })
	}
}

func TestRemoteAddr(t *testing.T) {
	w := dial(t, websocket.DialConfig{}, serve(t, echo))
	if at := w.RemoteAddr(); !at.Addr().IsLoopback() || at.Port() == 0 {
		t.Errorf("server at %v", at)
	}
}

// must fails the test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Begin does not block. Datagrams that are sent before the connection exists are sent with it. If nobody answers, the wire is
// silent and Err returns the reason. Close ends the attempt.
func TestBegin(t *testing.T) {
	w, err := websocket.DialConfig{}.Begin(serve(t, echo))
	must(t, err)
	t.Cleanup(func() { _ = w.Close() })
	must(t, w.Send(time.Now(), w.RemoteAddr(), []byte("early")))
	var got string
	until(t, "it came back", func() bool {
		w.Poll(time.Now(), func(d netsys.Datagram) { got = string(d.Data) })
		return got == "early"
	})
	if w.Err() != nil {
		t.Error(w.Err())
	}
	nobody, err := websocket.DialConfig{}.Begin("ws://127.0.0.1:1/")
	must(t, err)
	until(t, "refused", func() bool { return nobody.Err() != nil })
	must(t, nobody.Send(time.Now(), nobody.RemoteAddr(), []byte("lost")))
	must(t, nobody.Close())
	tries, err := websocket.DialConfig{Redial: time.Millisecond}.Begin("ws://127.0.0.1:1/")
	must(t, err)
	must(t, tries.Close())
	if _, err := (websocket.DialConfig{Redial: -1}).Begin("ws://127.0.0.1:1/"); err == nil {
		t.Error("a negative Redial")
	}
}
