//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop_test

import (
	"bytes"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/websocket"
)

func TestHandshakes(t *testing.T) {
	honest := request()
	for _, c := range []struct {
		name, request, status string
	}{
		{"honest", honest, "101"},
		{"same host, other port and scheme", request("Origin: https://game.example"), "101"},
		{"this machine", request("Origin: http://localhost:8080"), "101"},
		{"another page", request("Origin: https://evil.example"), "403"},
		{"a name that ends alike", request("Origin: https://evil-game.example"), "403"},
		{"sandboxed page", request("Origin: null"), "403"},
		{"empty origin", request("Origin: "), "403"},
		{"two origins", request("Origin: https://game.example", "Origin: https://evil.example"), "400"},
		{"two hosts", request("Host: evil.example"), "400"},
		{"post", strings.Replace(honest, "GET", "POST", 1), "405"},
		{"old HTTP", strings.Replace(honest, "HTTP/1.1", "HTTP/1.0", 1), "505"},
		{"old WebSocket", strings.Replace(honest, "Version: 13", "Version: 8", 1), "426"},
		{"no upgrade", strings.Replace(honest, "Upgrade: websocket\r\n", "", 1), "400"},
		{"no key", strings.Replace(honest, "Sec-WebSocket-Key", "X-Key", 1), "400"},
		{"short key", strings.Replace(honest, "dGhlIHNhbXBsZSBub25jZQ==", "c2hvcnQ=", 1), "400"},
		{"no host", strings.Replace(honest, "Host:", "X-Host:", 1), "400"},
		{"a header without a colon", request("nonsense"), "400"},
		{"nothing at all", "\r\n\r\n", ""},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("\xee", 500) + "\r\n\r\n", ""},
		{"too long", request("X-Fill: " + strings.Repeat("x", 8<<10)), ""},
		{"endless", "GET /" + strings.Repeat("x", 9<<10), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := listenWeb(t, "", eventloop.WebSocketConfig{})
			r := connectRaw(t, l)
			if status := r.handshake(c.request); status != c.status {
				t.Fatalf("answer %q, want %q", status, c.status)
			}
			if c.status == "101" {
				return
			}
			until(t, l, "closed and counted", func() bool {
				s := l.WebSocketStats()
				return s.Refused == 1 && s.Connections == 0 && s.HalfOpen == 0
			})
		})
	}
}

// A handshake may come in pieces, and the first frames in one piece with it.
func TestHandshakeInPieces(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{})
	r := connectRaw(t, l)
	all := append([]byte(request()), maskedFrame(0x82, []byte("first"))...)
	all = append(all, maskedFrame(0x82, []byte("second"))...)
	for len(all) > 0 {
		n := min(7, len(all))
		if _, err := r.conn.Write(all[:n]); err != nil {
			t.Fatal(err)
		}
		all = all[n:]
		time.Sleep(100 * time.Microsecond)
	}
	if got := receive(t, l, 2); got[0] != "first" || got[1] != "second" {
		t.Errorf("received %q", got)
	}
}

func TestFramesThatEndTheConnection(t *testing.T) {
	long := make([]byte, netsys.MaxDatagram+1)
	for _, c := range []struct {
		name string
		send []byte
		code int
	}{
		{"not masked", []byte{0x82, 1, 'x'}, 1002},
		{"reserved bits", maskedFrame(0xc2, []byte("x")), 1002},
		{"reserved code", maskedFrame(0x83, []byte("x")), 1002},
		{"continues nothing", maskedFrame(0x80, []byte("x")), 1002},
		{"fragmented ping", maskedFrame(0x09, []byte("x")), 1002},
		{"long ping", maskedFrame(0x89, make([]byte, 126)), 1002},
		{"length in more bytes than needed", append([]byte{0x82, 0xfe, 0, 5}, make([]byte, 9)...), 1002},
		{"negative length", append([]byte{0x82, 0xff, 0x80}, make([]byte, 11)...), 1002},
		{"first fragment", maskedFrame(0x02, []byte("x")), 1008},
		{"text", maskedFrame(0x81, []byte("x")), 1003},
		{"too long, header only", maskedFrame(0x82, long)[:8], 1009},
		{"as long as can be said, header only", []byte{0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4}, 1009},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := listenWeb(t, "", eventloop.WebSocketConfig{})
			r := rawDial(t, l, nil)
			if _, err := r.conn.Write(c.send); err != nil {
				t.Fatal(err)
			}
			if code := r.closeCode(); code != c.code {
				t.Errorf("close code %d, want %d", code, c.code)
			}
			until(t, l, "closed and counted", func() bool {
				s := l.WebSocketStats()
				return s.Violations == 1 && s.Connections == 0
			})
		})
	}
}

func TestControlFrames(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{})
	r := rawDial(t, l, nil)
	send := append(maskedFrame(0x89, []byte("are you there")), maskedFrame(0x8a, []byte("unasked"))...)
	send = append(send, maskedFrame(0x82, nil)...)
	send = append(send, maskedFrame(0x82, bytes.Repeat([]byte("x"), netsys.MaxDatagram))...)
	if _, err := r.conn.Write(send); err != nil {
		t.Fatal(err)
	}
	if first, payload, err := r.frame(); first != 0x8a || string(payload) != "are you there" || err != nil {
		t.Errorf("answer to a ping: %x %q %v", first, payload, err)
	}
	if got := receive(t, l, 2); len(got[0]) != 0 || len(got[1]) != netsys.MaxDatagram {
		t.Errorf("received %d and %d bytes", len(got[0]), len(got[1]))
	}
	if _, err := r.conn.Write(maskedFrame(0x88, []byte{0x03, 0xe9})); err != nil {
		t.Fatal(err)
	}
	if code := r.closeCode(); code != 1001 {
		t.Errorf("goodbye answered with %d", code)
	}
	until(t, l, "closed", func() bool { return l.WebSocketStats().Connections == 0 })
}

// Handshakes that are not finished cost no more than configured: the oldest goes for the newest, and all go
// after a time. An honest client gets in beside them.
func TestHalfOpenIsBounded(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{HalfOpen: 4, HandshakeTimeout: 2 * time.Second})
	for range 12 {
		_, _ = connectRaw(t, l).conn.Write([]byte("GET / HTTP/1.1\r\n"))
	}
	until(t, l, "eight were pushed out", func() bool {
		s := l.WebSocketStats()
		return s.Crowded == 8 && s.HalfOpen == 4 && s.Connections == 4
	})
	rawDial(t, l, nil)
	until(t, l, "the rest expired", func() bool {
		s := l.WebSocketStats()
		return s.HalfOpen == 0 && s.Connections == 1 && s.Accepted == 1 && s.Crowded+s.Expired == 12
	})
}

func TestConnectionsAreBounded(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{Connections: 3})
	var in []*raw
	for range 3 {
		in = append(in, rawDial(t, l, nil))
	}
	if status := connectRaw(t, l).handshake(request()); status != "" {
		t.Errorf("one too many was answered %q", status)
	}
	_ = in[0].conn.Close()
	until(t, l, "one left", func() bool { return l.WebSocketStats().Connections == 2 })
	rawDial(t, l, nil)
}

// Pings keep nothing alive: only datagrams do.
func TestSilentConnectionExpires(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{IdleTimeout: 300 * time.Millisecond})
	r := rawDial(t, l, nil)
	until(t, l, "expired", func() bool {
		_, _ = r.conn.Write(maskedFrame(0x89, nil))
		s := l.WebSocketStats()
		return s.Expired == 1 && s.Connections == 0
	})
}

// Who floods loses its own datagrams, and takes no room from others.
func TestFloodOfOneConnection(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{})
	r := rawDial(t, l, nil)
	if _, err := r.conn.Write(bytes.Repeat(maskedFrame(0x82, []byte("flood")), 1000)); err != nil {
		t.Fatal(err)
	}
	// An answer to what follows the flood says that the loop has read it.
	_, _ = r.conn.Write(maskedFrame(0x89, nil))
	if first, _, err := r.frame(); first != 0x8a || err != nil {
		t.Fatal(first, err)
	}
	n := 0
	l.Poll(time.Now(), func(netsys.Datagram) { n++ })
	if s := l.WebSocketStats(); n != 256 || s.Flooded != 744 || l.Dropped() != 0 {
		t.Errorf("%d delivered, %+v, %d dropped", n, s, l.Dropped())
	}
	_, _ = r.conn.Write(maskedFrame(0x82, []byte("after")))
	if d := receiveOne(t, l); string(d.Data) != "after" {
		t.Errorf("received %q", d.Data)
	}
}

// A client that does not read gets, when it reads again, the newest datagrams and whole frames only; what was
// in between is counted. Others notice nothing.
func TestSlowReader(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{Outbound: 8, Stale: 100_000})
	r := rawDial(t, l, nil)
	other := dialWeb(t, l)
	_, _ = r.conn.Write(maskedFrame(0x82, []byte("hello")))
	slow := receiveOne(t, l).From
	_ = other.Send(time.Now(), other.RemoteAddr(), []byte("hello"))
	quick := receiveOne(t, l).From

	payload := make([]byte, 1200)
	sent := 0
	for l.WebSocketStats().Stale < 500 && sent < 100_000 {
		payload[0], payload[1], payload[2] = byte(sent>>16), byte(sent>>8), byte(sent)
		if err := l.Send(time.Now(), slow, payload); err != nil {
			t.Fatal(err)
		}
		sent++
	}
	if err := l.Send(time.Now(), quick, []byte("on time")); err != nil {
		t.Fatal(err)
	}
	if d := receiveOne(t, other); string(d.Data) != "on time" {
		t.Errorf("the other client received %q", d.Data)
	}
	stale := l.WebSocketStats().Stale
	done := make(chan struct{})
	var got []int
	go func() {
		defer close(done)
		for len(got) == 0 || got[len(got)-1] != sent-1 {
			first, b, err := r.frame()
			if err != nil || first != 0x82 || len(b) != len(payload) {
				t.Errorf("frame %x of %d bytes: %v", first, len(b), err)
				return
			}
			got = append(got, int(b[0])<<16|int(b[1])<<8|int(b[2]))
		}
	}()
	until(t, l, "the newest arrived", func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	})
	for i := 1; i < len(got); i++ {
		if got[i] <= got[i-1] {
			t.Fatalf("%d after %d", got[i], got[i-1])
		}
	}
	if uint64(sent-len(got)) != stale || l.WebSocketStats().Connections != 2 {
		t.Errorf("%d sent, %d arrived, %d stale; %+v", sent, len(got), stale, l.WebSocketStats())
	}
}

// A client that reads nothing at all is let go in the end.
func TestStuckReaderIsClosed(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{Outbound: 4, Stale: 50})
	r := rawDial(t, l, nil)
	_, _ = r.conn.Write(maskedFrame(0x82, []byte("hello")))
	from := receiveOne(t, l).From
	payload := make([]byte, 1200)
	until(t, l, "closed", func() bool {
		for range 100 {
			if err := l.Send(time.Now(), from, payload); err != nil {
				t.Fatal(err)
			}
		}
		s := l.WebSocketStats()
		return s.Slow == 1 && s.Connections == 0
	})
	if err := l.Send(time.Now(), from, payload); err != nil {
		t.Errorf("Send to a connection that is gone: %v", err)
	}
}

// Many connections that end at once, in every way, leave nothing behind; nor does the listener.
func TestManyConnectionsLeaveNothing(t *testing.T) {
	before, files := runtime.NumGoroutine(), openFiles()
	l := listenWeb(t, "127.0.0.1:0", eventloop.WebSocketConfig{})
	for range 3 {
		var raws []*raw
		var wires []*websocket.Wire
		for i := range 40 {
			if i%2 == 0 {
				raws = append(raws, rawDial(t, l, nil))
			} else {
				wires = append(wires, dialWeb(t, l))
			}
		}
		for _, w := range wires {
			_ = w.Send(time.Now(), w.RemoteAddr(), []byte("here"))
		}
		n := 0
		until(t, l, "all are there", func() bool {
			l.Poll(time.Now(), func(d netsys.Datagram) {
				n++
				_ = l.Send(time.Now(), d.From, d.Data)
			})
			return n == len(wires) && l.WebSocketStats().Connections == 40
		})
		var wg sync.WaitGroup
		for i, r := range raws {
			wg.Go(func() {
				switch i % 4 {
				case 0:
					_ = r.conn.(*net.TCPConn).SetLinger(0) // a reset
				case 1:
					_, _ = r.conn.Write([]byte{0x82}) // half a frame
				case 2:
					_, _ = r.conn.Write([]byte{0x81, 0}) // a violation
				}
				_ = r.conn.Close()
			})
		}
		for _, w := range wires {
			wg.Go(func() { _ = w.Close() })
		}
		wg.Wait()
		until(t, l, "all are gone", func() bool { return l.WebSocketStats().Connections == 0 })
	}
	if s := l.WebSocketStats(); s.Accepted != 120 || s.HalfOpen != 0 {
		t.Errorf("%+v", s)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for range 5000 {
		if runtime.NumGoroutine() <= before && openFiles() <= files {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before; %d files, %d before", runtime.NumGoroutine(), before, openFiles(), files)
}

// openFiles counts the descriptors of this process, where they can be listed.
func openFiles() int {
	all, _ := os.ReadDir("/dev/fd")
	return len(all)
}

// Behind a trusted proxy the client's address comes from its header; from anybody else the header means nothing.
func TestProxyHeader(t *testing.T) {
	config := eventloop.WebSocketConfig{ProxyHeader: "x-forwarded-for", Proxies: prefixes("127.0.0.0/8", "10.0.0.0/8")}
	l := listenWeb(t, "", config)
	for _, c := range []struct{ header, peer string }{
		{"X-Forwarded-For: 203.0.113.9", "203.0.113.9"},
		{"X-Forwarded-For: 1.2.3.4, 203.0.113.9, 10.1.1.1", "203.0.113.9"},
		{"X-Forwarded-For: 2001:db8::7", "2001:db8::7"},
		{"X-Forwarded-For: [2001:db8::7]:1234", "2001:db8::7"},
	} {
		r := rawDial(t, l, []string{c.header})
		_, _ = r.conn.Write(maskedFrame(0x82, []byte("x")))
		if from := receiveOne(t, l).From; eventloop.PeerAddr(from).Addr().String() != c.peer || !eventloop.IsWebSocket(from) {
			t.Errorf("%s: from %v", c.header, from)
		}
	}
	for _, headers := range [][]string{nil, {"X-Forwarded-For: 10.1.1.1"}, {"X-Forwarded-For: unknown"}, {"X-Forwarded-For: fe80::1%eth0"}} {
		if status := connectRaw(t, l).handshake(request(headers...)); status != "400" {
			t.Errorf("%v answered %q", headers, status)
		}
	}
	direct := listenWeb(t, "", eventloop.WebSocketConfig{ProxyHeader: "X-Forwarded-For", Proxies: prefixes("10.0.0.0/8")})
	r := rawDial(t, direct, []string{"X-Forwarded-For: 203.0.113.9"})
	_, _ = r.conn.Write(maskedFrame(0x82, []byte("x")))
	if peer := eventloop.PeerAddr(receiveOne(t, direct).From); !peer.Addr().IsLoopback() {
		t.Errorf("a stranger's header was believed: %v", peer)
	}
}

func TestOrigins(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{Origins: []string{"https://play.example", "http://localhost:8080"}})
	for origin, status := range map[string]string{
		"https://play.example": "101", "HTTPS://PLAY.example": "101", "http://localhost:8080": "101",
		"http://play.example": "403", "https://play.example:8443": "403", "https://game.example": "403", "null": "403",
	} {
		if got := connectRaw(t, l).handshake(request("Origin: " + origin)); got != status {
			t.Errorf("%s answered %q, want %q", origin, got, status)
		}
	}
	any := listenWeb(t, "", eventloop.WebSocketConfig{Origins: []string{"*"}})
	if got := connectRaw(t, any).handshake(request("Origin: null")); got != "101" {
		t.Errorf("any origin answered %q", got)
	}
}
