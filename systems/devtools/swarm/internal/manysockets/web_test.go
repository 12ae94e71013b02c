package manysockets_test

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems/devtools/swarm/internal/manysockets"
)

// connected gives a client of a Web its wire.
func connected(t *testing.T, f *manysockets.Web, n int) netsys.Wire {
	t.Helper()
	on, err := f.Connect(t.Context())
	must(t, err)
	w, err := f.Wire(n, on)
	must(t, err)
	return w
}

// Over WebSocket each client has a connection and gets its own answers, without a goroutine per connection. Closing leaves
// nothing behind.
func TestWeb(t *testing.T) {
	on, err := eventloop.ListenWebSocket("127.0.0.1:0")
	must(t, err)
	const clients = 50
	server, err := netsys.NewServer(on, netsys.ServerConfig{MaxClients: clients})
	must(t, err)
	defer server.Close(time.Now())
	f, err := manysockets.Config{Clients: clients}.Web(on.LocalAddr().String())
	must(t, err)
	before := runtime.NumGoroutine()
	callers := make([]*caller, clients)
	for n := range callers {
		w := connected(t, f, n)
		c, err := netsys.NewClient(w, f.RemoteAddr(), netsys.ClientConfig{})
		must(t, err)
		callers[n] = &caller{client: c, question: fmt.Sprint(strings.Repeat("long ", n*4), n)}
	}
	answer(t, server, f, callers)
	if st := f.Stats(); st.Sockets != clients || st.Unsent+st.Dropped != 0 {
		t.Errorf("%+v", st)
	}
	if n := runtime.NumGoroutine(); runtime.GOOS == "linux" && n > before+clients/2 {
		t.Errorf("%d goroutines for %d clients", n-before, clients)
	}
	must(t, f.Close())
	must(t, f.Close())
	for end := time.Now().Add(30 * time.Second); on.WebSocketStats().Connections > 0; time.Sleep(time.Millisecond) {
		server.Poll(time.Now(), echo{})
		if time.Now().After(end) {
			t.Fatalf("%+v", on.WebSocketStats())
		}
	}
	if st := on.WebSocketStats(); st.Violations+st.Strangers+st.Expired+st.Slow != 0 {
		t.Errorf("%+v", st)
	}
}

// acceptor returns a server that sends given bytes after a WebSocket request.
func acceptor(t *testing.T, say string) (addr string, heard <-chan string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	all := make(chan string, 1)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		in := bufio.NewReader(conn)
		ask, err := http.ReadRequest(in)
		if err != nil {
			all <- err.Error()
			return
		}
		sum := sha1.Sum([]byte(ask.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
		say = strings.ReplaceAll(say, "{key}", base64.StdEncoding.EncodeToString(sum[:]))
		for _, part := range strings.SplitAfter(say, "|") {
			_, _ = io.WriteString(conn, strings.TrimSuffix(part, "|"))
			time.Sleep(time.Millisecond)
		}
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		b, _ := io.ReadAll(in)
		all <- string(b)
	}()
	return ln.Addr().String(), all
}

const agreed = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {key}\r\n\r\n"

// Frames may arrive with the handshake, together and in pieces. Invalid data and a goodbye end the connection, which is then
// silent.
func TestWebFrames(t *testing.T) {
	long := strings.Repeat("x", netsys.MaxDatagram)
	length := string([]byte{netsys.MaxDatagram >> 8, netsys.MaxDatagram & 255})
	for name, c := range map[string]struct {
		say   string
		hears []string
		ends  bool
	}{
		"together":         {"\x82\x01a\x82\x00\x82\x02bc", []string{"a", "", "bc"}, false},
		"in pieces":        {"\x82|\x03|a|b|c\x82\x01|d", []string{"abc", "d"}, false},
		"as long as it is": {"\x82\x7e" + length[:1] + "|" + length[1:] + long, []string{long}, false},
		"too long":         {"\x82\x7e\xff\xff" + long, nil, true},
		"in 64 bits":       {"\x82\x7f\x00\x00\x00\x00\x00\x00\x00\x01x", nil, true},
		"text":             {"\x82\x01a\x81\x01b", []string{"a"}, true},
		"masked":           {"\x82\x81\x00\x00\x00\x00a", nil, true},
		"piece":            {"\x02\x01a", nil, true},
		"long ping":        {"\x89\x7e\x00\x80" + long, nil, true},
		"goodbye":          {"\x82\x01a\x88\x02\x03\xe8", []string{"a"}, true},
		"pong":             {"\x8a\x01x\x82\x01a", []string{"a"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr, _ := acceptor(t, agreed+c.say)
			f, err := manysockets.Config{Clients: 1}.Web("ws://" + addr + "/play")
			must(t, err)
			defer f.Close()
			w := connected(t, f, 0)
			var got []string
			done := func() bool { return len(got) == len(c.hears) && (f.Stats().Sockets == 0) == c.ends }
			for end := time.Now().Add(20 * time.Second); !done() && time.Now().Before(end); time.Sleep(time.Millisecond) {
				now := time.Now()
				f.Poll(now, func(n int) {
					w.Poll(now, func(d netsys.Datagram) {
						if got = append(got, string(d.Data)); n != 0 || d.From != f.RemoteAddr() || d.At.After(now) {
							t.Errorf("client %d hears from %v", n, d.From)
						}
					})
				})
			}
			if !done() || fmt.Sprint(got) != fmt.Sprint(c.hears) {
				t.Errorf("%.80q, %+v", got, f.Stats())
			}
			must(t, w.Send(time.Now(), f.RemoteAddr(), []byte("whether or not somebody listens")))
		})
	}
}

// Sent frames are masked, pings are answered, and the goodbye is sent after all other frames.
func TestWebSends(t *testing.T) {
	addr, heard := acceptor(t, agreed+"\x89\x04ping")
	f, err := manysockets.Config{Clients: 1}.Web(addr)
	must(t, err)
	w := connected(t, f, 0)
	want := []string{}
	for n := range 20 {
		text := strings.Repeat("abcdefg", n*10)
		want = append(want, "\x82"+text)
		must(t, w.Send(time.Now(), f.RemoteAddr(), []byte(text)))
	}
	for range 10 {
		time.Sleep(2 * time.Millisecond)
		f.Poll(time.Now(), func(int) { t.Error("a ping is delivered") })
	}
	if err := w.Send(time.Now(), f.RemoteAddr(), make([]byte, netsys.MaxDatagram+1)); !errors.Is(err, netsys.ErrTooLarge) {
		t.Error(err)
	}
	must(t, f.Close())
	if err := w.Send(time.Now(), f.RemoteAddr(), nil); !errors.Is(err, netsys.ErrClosed) {
		t.Error(err)
	}
	var got []string
	masks := make(map[string]bool)
	for b := []byte(<-heard); len(b) > 0; {
		n, head := int(b[1]&0x7f), 2
		if n == 126 {
			n, head = int(b[2])<<8|int(b[3]), 4
		}
		if b[1]&0x80 == 0 {
			t.Fatalf("not masked: %q", b)
		}
		mask := b[head : head+4]
		masks[string(mask)] = true
		text := []byte{b[0]}
		for i, v := range b[head+4 : head+4+n] {
			text = append(text, v^mask[i%4])
		}
		got, b = append(got, string(text)), b[head+4+n:]
	}
	want = append(want, "\x8aping", "\x88")
	if runtime.GOOS != "linux" {
		t.Skip("a library says goodbye here")
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%d frames, the last %.20q", len(got), got[len(got)-1])
	}
	if len(masks) < len(want)/2 {
		t.Errorf("%d masks for %d frames", len(masks), len(want))
	}
}

// A server that does not read gets a limited amount of data. Further datagrams are refused, and the accepted ones arrive in
// the end.
func TestWebToWhoDoesNotRead(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the oldest datagrams go here")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer ln.Close()
	far := make(chan net.Conn, 1)
	go func() {
		conn, _ := ln.Accept()
		ask, _ := http.ReadRequest(bufio.NewReader(conn))
		sum := sha1.Sum([]byte(ask.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
		_, _ = io.WriteString(conn, strings.ReplaceAll(agreed, "{key}", base64.StdEncoding.EncodeToString(sum[:])))
		far <- conn
	}()
	f, err := manysockets.Config{Clients: 1}.Web(ln.Addr().String())
	must(t, err)
	w := connected(t, f, 0)
	conn := <-far
	defer conn.Close()
	payload, sent := make([]byte, 1200), 0
	const frame = 2 + 2 + 4 + 1200
	for ; sent < 100_000; sent++ {
		if err = w.Send(time.Now(), f.RemoteAddr(), payload); err != nil {
			break
		}
	}
	if !errors.Is(err, netsys.ErrFull) || f.Stats().Unsent != 1 {
		t.Fatalf("%v after %d; %+v", err, sent, f.Stats())
	}
	read := make(chan int, 1)
	go func() {
		b, n := make([]byte, 1<<16), 0
		for n < sent*frame {
			m, err := conn.Read(b)
			if n += m; err != nil {
				break
			}
		}
		read <- n
	}()
	for {
		f.Flush(time.Now())
		select {
		case n := <-read:
			if n != sent*frame {
				t.Errorf("%d bytes arrived, of %d frames", n, sent)
			}
			must(t, w.Send(time.Now(), f.RemoteAddr(), payload))
			must(t, f.Close())
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// A server that is no WebSocket server is reported with the reason.
func TestWebRefused(t *testing.T) {
	for say, want := range map[string]string{
		"HTTP/1.1 403 Forbidden\r\n\r\n":               "403",
		strings.ReplaceAll(agreed, "{key}", "x"):       "does not speak WebSocket",
		strings.Replace(agreed, "WebSocket", "h2c", 1): "does not speak WebSocket",
		strings.Replace(agreed, "\r\n\r\n", "\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n", 1): "nobody asked for",
		"nonsense\r\n\r\n": "malformed",
		"HTTP/1.1 101 Switching Protocols\r\nX: " + strings.Repeat("x", 9000): "EOF",
	} {
		addr, _ := acceptor(t, say)
		f, err := manysockets.Config{Clients: 1}.Web(addr)
		must(t, err)
		if _, err := f.Connect(t.Context()); err == nil || runtime.GOOS == "linux" && !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", say, err, want)
		}
		must(t, f.Close())
	}
}

// Mistakes are errors, or panics with advice.
func TestWebMistakes(t *testing.T) {
	for _, c := range []struct {
		config  manysockets.Config
		url, is string
	}{
		{manysockets.Config{Clients: 3, Sockets: 2}, "ws://127.0.0.1:1", "a socket each"},
		{manysockets.Config{Clients: 1}, "http://127.0.0.1:1", "write ws://"},
		{manysockets.Config{Clients: 1}, "ws://127.0.0.1:x", "bad address"},
	} {
		if _, err := c.config.Web(c.url); err == nil || !strings.Contains(err.Error(), c.is) {
			t.Errorf("%+v, %s: %v", c.config, c.url, err)
		}
	}
	addr, _ := acceptor(t, agreed)
	f, err := manysockets.Config{Clients: 2}.Web(addr)
	must(t, err)
	defer f.Close()
	on, err := f.Connect(t.Context())
	must(t, err)
	_, err = f.Wire(0, on)
	must(t, err)
	for n, want := range map[int]string{0: "each open once", 2: "0 to 1"} {
		func() {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.Contains(r, want) {
					t.Errorf("Wire(%d): %s", n, r)
				}
			}()
			_, _ = f.Wire(n, on)
		}()
	}
}
