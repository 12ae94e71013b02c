package httpserve

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// dialer is a listener in memory, whose connections have no buffers.
type dialer struct {
	accept chan net.Conn
	closed chan struct{}
}

func (d *dialer) Accept() (net.Conn, error) {
	select {
	case c := <-d.accept:
		return c, nil
	case <-d.closed:
		return nil, net.ErrClosed
	}
}

func (d *dialer) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func (d *dialer) Close() error {
	select {
	case <-d.closed:
	default:
		close(d.closed)
	}
	return nil
}

// client is a connection to the server.
type client struct {
	t *testing.T
	net.Conn
	in *bufio.Reader
}

func (d *dialer) dial(t *testing.T) *client {
	near, far := net.Pipe()
	synctest.Wait() // until the server has noted what became of the other connections
	d.accept <- far
	t.Cleanup(func() { _ = near.Close() })
	return &client{t, near, bufio.NewReader(near)}
}

// send sends a request, or a part of one.
func (c *client) send(text string) *client {
	c.t.Helper()
	if _, err := c.Write([]byte(text)); err != nil {
		c.t.Fatal(err)
	}
	return c
}

// answer reads an answer, whose body is want.
func (c *client) answer(want string) {
	c.t.Helper()
	r, err := http.ReadResponse(c.in, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	got, err := io.ReadAll(r.Body)
	if err != nil || string(got) != want {
		c.t.Fatalf("the answer is %.40q and %v, want %.40q", got, err, want)
	}
}

// lasts returns how long the server leaves the connection open from now on, at most an hour. It ignores answers.
func (c *client) lasts() time.Duration {
	began := time.Now()
	_ = c.SetReadDeadline(began.Add(time.Hour))
	_, _ = io.Copy(io.Discard, c.in)
	return time.Since(began)
}

// within runs a test beside a server, in virtual time. Channels of the test must be made in f.
func within(t *testing.T, limit int, h http.HandlerFunc, f func(t *testing.T, d *dialer)) {
	synctest.Test(t, func(t *testing.T) {
		d := &dialer{make(chan net.Conn), make(chan struct{})}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- serve(ctx, d, nil, h, nil, func() int { return limit }) }()
		f(t, d)
		began := time.Now()
		stop()
		if err := <-ended; err != nil || time.Since(began) > shutdownTimeout {
			t.Errorf("the server ended after %v with %v", time.Since(began), err)
		}
	})
}

const (
	get  = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
	post = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"
)

// The server closes connections that send nothing, or send a request too slowly.
func TestIdle(t *testing.T) {
	echo := func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }
	within(t, 100, echo, func(t *testing.T, d *dialer) {
		for name, c := range map[string]struct {
			send string
			want time.Duration
		}{
			"nothing":            {"", headerTimeout},
			"half of the header": {"GET / HTTP/1.1\r\n", headerTimeout},
			"half of the body":   {post + "12", requestTimeout},
		} {
			if got := d.dial(t).send(c.send).lasts(); got > c.want+time.Second {
				t.Errorf("%s: the connection lasts for %v, want %v", name, got, c.want)
			}
		}
		c := d.dial(t)
		for range 3 {
			c.send(post + "ping").answer("ping")
			time.Sleep(idleTimeout - time.Second)
		}
		c.send(get).answer("")
		if got := c.lasts(); got > idleTimeout {
			t.Errorf("an idle connection lasts for %v", got)
		}
	})
}

// A handler may wait as long as it likes, as a queue does, with a request that has a body and one that has none.
func TestWaits(t *testing.T) {
	wait := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-time.After(10 * time.Minute):
			fmt.Fprint(w, "seat")
		case <-r.Context().Done():
			fmt.Fprint(w, "gone")
		}
	}
	within(t, 100, wait, func(t *testing.T, d *dialer) {
		for range 2 { // the second time on the same connection
			c := d.dial(t)
			c.send(post + "join").answer("seat")
			c.send(get).answer("seat")
		}
	})
}

// A client on a slow link gets all of a large answer, and one that stops reading loses its connection. The deadline of a
// handler counts.
func TestSlowLink(t *testing.T) {
	const size = 1 << 20
	var failed chan error
	large := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Hurry") != "" {
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(5 * time.Second))
		}
		w.Header().Set("Content-Length", fmt.Sprint(size))
		_, err := w.Write(make([]byte, size))
		failed <- err
	}
	within(t, 100, large, func(t *testing.T, d *dialer) {
		failed = make(chan error, 1)
		c, began := d.dial(t).send(get), time.Now()
		r, err := http.ReadResponse(c.in, nil)
		if err != nil {
			t.Fatal(err)
		}
		for got := 0; got < size; got += 8 << 10 { // 400 bytes a second
			if _, err := io.ReadFull(r.Body, make([]byte, 8<<10)); err != nil {
				t.Fatalf("after %d bytes and %v: %v", got, time.Since(began), err)
			}
			time.Sleep(20 * time.Second)
		}
		if err := <-failed; err != nil {
			t.Error(err)
		}
		for header, want := range map[string]time.Duration{"": stallTimeout, "Hurry: 1\r\n": 5 * time.Second} {
			c, began := d.dial(t).send("GET / HTTP/1.1\r\nHost: localhost\r\n"+header+"\r\n"), time.Now()
			if err := <-failed; err == nil || time.Since(began) > want {
				t.Errorf("%q: the answer to a client that does not read ended after %v with %v", header, time.Since(began), err)
			}
			_ = c.Close()
		}
	})
}

// Connections that a handler has taken over, as for WebSockets, may be silent.
func TestTakenOver(t *testing.T) {
	echo := func(w http.ResponseWriter, r *http.Request) {
		c, both, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		for {
			line, err := both.ReadString('\n')
			if err != nil {
				return
			}
			if _, err := io.WriteString(c, line); err != nil {
				t.Error(err)
			}
		}
	}
	within(t, 1, echo, func(t *testing.T, d *dialer) {
		c := d.dial(t).send(get)
		for range 3 {
			time.Sleep(10 * time.Minute)
			if got, err := c.send("hello\n").in.ReadString('\n'); got != "hello\n" || err != nil {
				t.Fatalf("%q, %v", got, err)
			}
		}
		if got := d.dial(t).lasts(); got != 0 {
			t.Errorf("a second connection lasts for %v", got)
		}
		_ = c.Close()
		synctest.Wait()
		d.dial(t).send(get)
	})
}

// When the server has as many connections as it may, a new one takes the place of the one that has been idle longest. A
// request that is being answered keeps its connection.
func TestLimit(t *testing.T) {
	var hold chan struct{}
	h := func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			<-hold
		}
		fmt.Fprint(w, "ok")
	}
	within(t, 3, h, func(t *testing.T, d *dialer) {
		hold = make(chan struct{})
		busy := d.dial(t).send(post + "wait")
		for range 50 {
			d.dial(t).send(get).answer("ok")
		}
		first, second := d.dial(t).send(post+"wait"), d.dial(t).send(post+"wait")
		synctest.Wait()
		if got := d.dial(t).lasts(); got != 0 {
			t.Errorf("a fourth connection beside three busy ones lasts for %v", got)
		}
		close(hold)
		for _, c := range []*client{busy, first, second} {
			c.answer("ok")
		}
		d.dial(t).send(get).answer("ok")
		if got := busy.lasts() + first.lasts() + second.lasts(); got > 2*idleTimeout {
			t.Errorf("three idle connections last for %v together, although a fourth one came", got)
		}
	})
}

// The server ends when its listener fails, with the error, and closes idle connections at once when its context ends.
func TestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dialer{make(chan net.Conn), make(chan struct{})}
		_ = d.Close()
		if err := Serve(t.Context(), d, http.NotFoundHandler()); !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	within(t, 3, func(http.ResponseWriter, *http.Request) {}, func(t *testing.T, d *dialer) {
		d.dial(t)
		d.dial(t).send(get).answer("")
	})
}

// Connections by TLS have the same limits: they are closed when they are idle or do not finish their handshake, and a new one takes
// the place of one that waits. Failed handshakes are not logged, panics of handlers are.
func TestTLS(t *testing.T) {
	certificate := httptest.NewTLSServer(nil)
	certificate.Close()
	secure := &tls.Config{Certificates: certificate.TLS.Certificates}
	synctest.Test(t, func(t *testing.T) {
		d, logged := &dialer{make(chan net.Conn), make(chan struct{})}, new(bytes.Buffer)
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/panic" {
				panic("broken")
			}
			fmt.Fprint(w, r.TLS != nil, r.Proto)
		})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- serve(ctx, d, secure, h, slog.New(slog.NewTextHandler(logged, nil)), func() int { return 1 })
		}()
		dial := func() *client {
			raw := d.dial(t)
			c := tls.Client(raw.Conn, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"}})
			return &client{t, c, bufio.NewReader(c)}
		}
		if got := d.dial(t).lasts(); got > headerTimeout {
			t.Errorf("a connection without a handshake lasts for %v", got)
		}
		d.dial(t).send("GET / HTTP/1.1\r\n\r\n").lasts() // no handshake
		first := dial().send(get)
		first.answer("trueHTTP/1.1")
		synctest.Wait()
		second := dial().send(get)
		second.answer("trueHTTP/1.1")
		if got := first.lasts(); got != 0 {
			t.Errorf("the first connection lasts for %v beside the second one", got)
		}
		if got := second.lasts(); got > idleTimeout {
			t.Errorf("an idle connection lasts for %v", got)
		}
		dial().send("GET /panic HTTP/1.1\r\nHost: localhost\r\n\r\n").lasts()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if text := logged.String(); strings.Contains(text, "handshake") || !strings.Contains(text, "broken") {
			t.Errorf("the log: %s", text)
		}
	})
}
