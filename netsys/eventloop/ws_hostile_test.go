//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netsystest"
	"github.com/tactusgo/tactus/netsys/websocket"
)

// never is a time that no test has.
const never = 1000 * time.Hour

func TestHandshakes(t *testing.T) {
	honest := request()
	for _, c := range []struct {
		name, request, status string
	}{
		{"honest", honest, "101"},
		{"same host, other port and scheme", request("Origin: https://127.0.0.1"), "101"},
		{"this machine", request("Origin: http://localhost:8080"), "101"},
		{"another page", request("Origin: https://evil.example"), "403"},
		{"a name that ends alike", request("Origin: https://evil-127.0.0.1"), "403"},
		{"sandboxed page", request("Origin: null"), "403"},
		{"empty origin", request("Origin: "), "403"},
		{"two origins", request("Origin: https://127.0.0.1", "Origin: https://evil.example"), "400"},
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

// A request that reaches the maximum length without an end is refused at once.
func TestRequestAsLongAsItMayBe(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{Handshake: 512, HandshakeTimeout: time.Hour})
	r := connectRaw(t, l)
	write(t, r.conn, []byte("GET /"+strings.Repeat("x", 507)))
	until(t, l, "refused", func() bool { s := l.WebSocketStats(); return s.Refused == 1 && s.Connections == 0 })
	// One that ends exactly there is none too long.
	honest := request("X-Fill: ")
	honest = request("X-Fill: " + strings.Repeat("x", 512-len(honest)))
	if status := connectRaw(t, l).handshake(honest); len(honest) != 512 || status != "101" {
		t.Errorf("a request of %d bytes is answered %q", len(honest), status)
	}
}

// A handshake may come in pieces, and so may the frames after it. The loop reads connections in the order in which they
// have something to read, so it has read a piece once it has answered another connection that began after it; from the
// first message on, a poll reads.
func TestHandshakeInPieces(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{HandshakeTimeout: time.Minute, AnswerTimeout: time.Minute, HalfOpen: 1000})
	r := connectRaw(t, l)
	all := append([]byte(request()), maskedFrame(0x82, opening())...)
	all = append(all, maskedFrame(0x82, []byte("second"))...)
	var got []string
	hear := func(d netsys.Datagram) { got = append(got, string(d.Data)) }
	for len(all) > 0 {
		n := min(7, len(all))
		write(t, r.conn, all[:n])
		all = all[n:]
		_ = rawDial(t, l, nil).conn.Close()
		l.Poll(time.Now(), hear)
	}
	untilHeard(t, l, "both messages are there", hear, func() bool { return len(got) == 2 })
	if len(got[0]) != 1078 || got[1] != "second" {
		t.Errorf("received %q", got)
	}
}

// A frame may begin before the connection's first valid message is accepted and end after it.
func TestFrameCutWhereTheConnectionBegins(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{AnswerTimeout: time.Minute})
	second := maskedFrame(0x82, []byte("second"))
	for cut := range second {
		r := rawDial(t, l, nil)
		write(t, r.conn, append(maskedFrame(0x82, opening()), second[:cut]...))
		first := netsystest.Arrivals(t, l, 1)[0]
		write(t, r.conn, second[cut:])
		if got := netsystest.Arrivals(t, l, 1)[0]; string(got.Data) != "second" || got.From != first.From {
			t.Fatalf("cut at %d: %q from %v", cut, got.Data, got.From)
		}
		_ = r.conn.Close()
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
			write(t, r.conn, c.send)
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
	r, _ := rawSession(t, l)
	send := append(maskedFrame(0x89, []byte("are you there")), maskedFrame(0x8a, []byte("unasked"))...)
	send = append(send, maskedFrame(0x82, nil)...)
	send = append(send, maskedFrame(0x82, bytes.Repeat([]byte("x"), netsys.MaxDatagram))...)
	write(t, r.conn, send)
	var got []int
	untilHeard(t, l, "both datagrams are there", func(d netsys.Datagram) { got = append(got, len(d.Data)) }, func() bool { return len(got) == 2 })
	if first, payload, err := r.frame(); first != 0x8a || string(payload) != "are you there" || err != nil {
		t.Errorf("answer to a ping: %x %q %v", first, payload, err)
	}
	if got[0] != 0 || got[1] != netsys.MaxDatagram {
		t.Errorf("received %d bytes", got)
	}
	write(t, r.conn, maskedFrame(0x88, []byte{0x03, 0xe9}))
	until(t, l, "closed", func() bool { return l.WebSocketStats().Connections == 0 })
	if code := r.closeCode(); code != 1001 {
		t.Errorf("goodbye answered with %d", code)
	}
}

// Unfinished handshakes cost no more than configured, and all end after a time. Those under way are finished, whoever else connects,
// so that clients who all connect at once get in one after another. A client that is silent after its handshake counts as
// unfinished; when it has been so for long, others get in beside it.
func TestHalfOpenIsBounded(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{HalfOpen: 4, HandshakeTimeout: time.Hour, IdleTimeout: never})
	var begun []*raw
	half := len(request()) / 2
	for range 4 {
		r := connectRaw(t, l)
		write(t, r.conn, []byte(request()[:half]))
		begun = append(begun, r)
	}
	until(t, l, "four begin", func() bool { return l.WebSocketStats().HalfOpen == 4 })
	for range 8 {
		answer, _ := io.ReadAll(connectRaw(t, l).conn)
		if !bytes.HasPrefix(answer, []byte("HTTP/1.1 503 ")) || !bytes.Contains(answer, []byte("\r\nRetry-After: ")) {
			t.Fatalf("one more handshake is answered %q", answer)
		}
	}
	if s := l.WebSocketStats(); s.Crowded != 8 || s.HalfOpen != 4 || s.Connections != 4 {
		t.Errorf("after eight more: %+v", s)
	}
	if status := begun[0].handshake(request()[half:]); status != "101" {
		t.Errorf("the oldest handshake is answered %q", status)
	}
	l.Age(2 * time.Second)
	rawSession(t, l)
	rawDial(t, l, nil)
	if s := l.WebSocketStats(); s.Crowded != 9 || s.HalfOpen != 4 {
		t.Errorf("beside slow handshakes: %+v", s)
	}
	l.Sweep(time.Now().Add(59 * time.Minute))
	if s := l.WebSocketStats(); s.HalfOpen != 4 || s.Expired != 0 {
		t.Errorf("before their time: %+v", s)
	}
	l.Sweep(time.Now().Add(61 * time.Minute))
	until(t, l, "the rest expired", func() bool {
		s := l.WebSocketStats()
		return s.HalfOpen == 0 && s.Connections == 1 && s.Expired == 4
	})
}

// The loop itself closes connections that exceed a timeout.
func TestLoopSweeps(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{HandshakeTimeout: 1})
	connectRaw(t, l)
	until(t, l, "expired", func() bool { s := l.WebSocketStats(); return s.Expired == 1 && s.Connections == 0 })
}

func TestConnectionsAreBounded(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{Connections: 3})
	var in []*raw
	for range 3 {
		in = append(in, rawDial(t, l, nil))
	}
	if status := connectRaw(t, l).handshake(request()); status == "101" {
		t.Errorf("one too many was answered %q", status)
	}
	_ = in[0].conn.Close()
	until(t, l, "one left", func() bool { return l.WebSocketStats().Connections == 2 })
	rawDial(t, l, nil)
}

// Pings keep nothing alive: only datagrams do.
func TestSilentConnectionExpires(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{IdleTimeout: time.Hour})
	r, _ := rawSession(t, l)
	before := time.Now()
	_, _ = r.conn.Write(maskedFrame(0x82, []byte("here")))
	netsystest.Arrivals(t, l, 1)
	if l.Sweep(before.Add(time.Hour)); l.WebSocketStats().Expired != 0 {
		t.Error("expired an hour after the datagram before the last")
	}
	after := time.Now()
	_, _ = r.conn.Write(maskedFrame(0x89, []byte("here")))
	r.answered(l, "here")
	l.Sweep(after.Add(time.Hour + 1))
	until(t, l, "expired", func() bool { s := l.WebSocketStats(); return s.Expired == 1 && s.Connections == 0 })
}

// A flooding client loses its own datagrams, and takes no room from others.
func TestFloodOfOneConnection(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{})
	r, _ := rawSession(t, l)
	write(t, r.conn, bytes.Repeat(maskedFrame(0x82, []byte("flood")), 900))
	all, most := 0, 0
	for l.WebSocketStats().Flooded+uint64(all) < 900 {
		n := 0
		l.Poll(time.Now(), func(netsys.Datagram) { n++ })
		all, most = all+n, max(most, n)
	}
	if most > 256 || l.Dropped() != 0 {
		t.Errorf("%d delivered at once, %+v, %d dropped", most, l.WebSocketStats(), l.Dropped())
	}
	_, _ = r.conn.Write(maskedFrame(0x82, []byte("after")))
	if d := netsystest.Arrivals(t, l, 1)[0]; string(d.Data) != "after" {
		t.Errorf("received %q", d.Data)
	}
}

// A client that pauses reading gets the newest datagrams afterwards, in whole frames only. The dropped ones are counted, and
// other clients lose nothing. A client that has caught up does not count as stuck, even if nothing is sent to it for long.
func TestSlowReader(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{Outbound: 8, StuckTimeout: time.Hour})
	r, slow := rawSession(t, l)
	other, quick := webSession(t, l)
	send := func(to netip.AddrPort, b []byte) {
		t.Helper()
		must(t, l.Send(time.Now(), to, b))
	}
	payload := make([]byte, 1200)
	sent := 0
	for ; l.WebSocketStats().Stale < 500 && sent < 100_000; sent++ {
		payload[0], payload[1], payload[2] = byte(sent>>16), byte(sent>>8), byte(sent)
		send(slow, payload)
	}
	send(quick, []byte("on time"))
	if d := netsystest.Arrivals(t, other, 1)[0]; string(d.Data) != "on time" {
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
	if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
		t.Errorf("out of order: %v", got)
	}
	for n := range 5 {
		l.Poll(time.Now().Add(time.Duration(n+1)*2*time.Hour), func(netsys.Datagram) {})
	}
	if s := l.WebSocketStats(); uint64(sent-len(got)) != stale || s.Connections != 2 || s.Slow != 0 {
		t.Errorf("%d sent, %d arrived, %d stale; %+v", sent, len(got), stale, s)
	}
	send(slow, []byte("still there"))
	if _, b, err := r.frame(); err != nil || string(b) != "still there" {
		t.Errorf("%q, %v", b, err)
	}
}

// A client that reads nothing at all is let go in the end.
func TestStuckReaderIsClosed(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{Outbound: 4, StuckTimeout: time.Hour})
	_, from := rawSession(t, l)
	now, payload := time.Now(), make([]byte, 1200)
	until(t, l, "closed", func() bool {
		for range 100 {
			must(t, l.Send(now, from, payload))
		}
		now = now.Add(61 * time.Minute)
		l.Poll(now, func(netsys.Datagram) {})
		s := l.WebSocketStats()
		return s.Slow == 1 && s.Connections == 0
	})
	if err := l.Send(now, from, payload); err != nil {
		t.Errorf("Send to a connection that is gone: %v", err)
	}
}

// Many connections that end at the same time, in every way, leave nothing behind, and neither does the listener.
func TestManyConnectionsLeaveNothing(t *testing.T) {
	before, files := runtime.NumGoroutine(), openFiles()
	l := listenWeb(t, "127.0.0.1:0", eventloop.WebSocketConfig{
		HandshakeTimeout: time.Minute, AnswerTimeout: time.Minute, // a busy machine loses nobody
	})
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
			_ = w.Send(time.Now(), w.RemoteAddr(), opening())
		}
		n := 0
		untilHeard(t, l, "all are there", func(d netsys.Datagram) {
			n++
			_ = l.Send(time.Now(), d.From, d.Data)
		}, func() bool {
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
	must(t, l.Close())
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

// Behind a trusted proxy, the client's address comes from the header. Without one the header is ignored.
func TestTrustedProxy(t *testing.T) {
	proxies := prefixes("127.0.0.0/8", "10.0.0.0/8")
	for header, cases := range map[string][]struct{ line, peer string }{
		"x-forwarded-for": {
			{"X-Forwarded-For: 203.0.113.9", "203.0.113.9"},
			{"X-Forwarded-For: 1.2.3.4, 203.0.113.9, 10.1.1.1", "203.0.113.9"},
			{"X-Forwarded-For: 2001:db8::7", "2001:db8::7"},
			{"X-Forwarded-For: [2001:db8::7]:1234", "2001:db8::7"},
			{"X-Forwarded-For: 10.1.1.1", ""},
			{"X-Forwarded-For: unknown", ""},
			{"X-Forwarded-For: fe80::1%eth0", ""},
			{"Forwarded: for=203.0.113.9", ""},
			{"X-Else: 1", ""},
		},
		"Forwarded": {
			{"Forwarded: for=203.0.113.9", "203.0.113.9"},
			{"Forwarded: for=1.2.3.4, proto=https; For=\"203.0.113.9:80\" ,for=10.1.1.1;by=10.1.1.2", "203.0.113.9"},
			{"forwarded: for=\"[2001:db8::7]:1234\"", "2001:db8::7"},
			{"Forwarded: for=_hidden", ""},
			{"Forwarded: for=unknown", ""},
			{"Forwarded: proto=https", ""},
			{"X-Forwarded-For: 203.0.113.9", ""},
		},
	} {
		l := listenWeb(t, "", eventloop.WebSocketConfig{ClientAddrHeader: header, TrustedProxies: proxies})
		for _, c := range cases {
			if c.peer == "" {
				if status := connectRaw(t, l).handshake(request(c.line)); status != "400" {
					t.Errorf("%s: %s: answered %q", header, c.line, status)
				}
				continue
			}
			if _, from := rawSession(t, l, c.line); eventloop.PeerAddr(from).Addr().String() != c.peer || !eventloop.IsWebSocket(from) {
				t.Errorf("%s: %s: from %v", header, c.line, from)
			}
		}
	}
	for _, config := range []eventloop.WebSocketConfig{{}, {ClientAddrHeader: "X-Forwarded-For", TrustedProxies: prefixes("10.0.0.0/8")}} {
		_, from := rawSession(t, listenWeb(t, "", config), "X-Forwarded-For: 203.0.113.9", "Forwarded: for=203.0.113.9")
		if peer := eventloop.PeerAddr(from); !peer.Addr().IsLoopback() {
			t.Errorf("a stranger's header was believed: %v", peer)
		}
	}
}

// The number of connections per address is bounded. Behind a proxy this is the client's address.
func TestConnectionsPerAddress(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{
		PerAddress: 2, ClientAddrHeader: "X-Forwarded-For", TrustedProxies: prefixes("127.0.0.1/32"),
	})
	for _, client := range []string{"203.0.113.9", "203.0.113.10", "2001:db8:0:1::1", "2001:db8:0:2::1"} {
		header := "X-Forwarded-For: " + client
		first, _ := rawSession(t, l, header)
		second := header
		if strings.Contains(client, "::") {
			second += "2" // another one of its network
		}
		rawSession(t, l, second)
		before := l.WebSocketStats()
		if status := connectRaw(t, l).handshake(request(second)); status != "" {
			t.Errorf("the third of %s was answered %q", client, status)
		}
		_ = first.conn.Close()
		until(t, l, "one left", func() bool { return l.WebSocketStats().Connections == before.Connections-1 })
		if s := l.WebSocketStats(); s.CrowdedAddress != before.CrowdedAddress+1 {
			t.Errorf("%s: %+v", client, s)
		}
		rawSession(t, l, header)
	}

	direct := listenWeb(t, "", eventloop.WebSocketConfig{PerAddress: 2})
	rawDial(t, direct, nil)
	rawDial(t, direct, nil)
	if status := connectRaw(t, direct).handshake(request()); status == "101" {
		t.Errorf("the third of loopback was answered %q", status)
	}
}

// A connection whose first message is neither a request nor a packet of a session is closed at once, and the message is not
// delivered.
func TestFirstMessage(t *testing.T) {
	other := opening()
	other[5]++
	for _, c := range []struct {
		name string
		send []byte
		ok   bool
	}{
		{"request", maskedFrame(0x82, opening()), true},
		{"payload of a session", maskedFrame(0x82, append([]byte{0x15}, make([]byte, 40)...)), true},
		{"keep-alive of a session", maskedFrame(0x82, append([]byte{0x84}, make([]byte, 32)...)), true},
		{"goodbye of a session", maskedFrame(0x82, append([]byte{0x16}, make([]byte, 17)...)), true},
		{"other protocol", maskedFrame(0x82, other), false},
		{"short request", maskedFrame(0x82, opening()[:1077]), false},
		{"long request", maskedFrame(0x82, append(opening(), 0)), false},
		{"response", maskedFrame(0x82, append([]byte{0x13}, make([]byte, 325)...)), false},
		{"no sequence", maskedFrame(0x82, append([]byte{0x05}, make([]byte, 40)...)), false},
		{"long sequence", maskedFrame(0x82, append([]byte{0x95}, make([]byte, 40)...)), false},
		{"short packet", maskedFrame(0x82, append([]byte{0x15}, make([]byte, 16)...)), false},
		{"nothing", maskedFrame(0x82, nil), false},
		{"ping", maskedFrame(0x89, nil), false},
		{"pong", maskedFrame(0x8a, nil), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := listenWeb(t, "", eventloop.WebSocketConfig{})
			r := rawDial(t, l, nil)
			if s := l.WebSocketStats(); s.Accepted != 1 || s.HalfOpen != 1 {
				t.Errorf("before it: %+v", s)
			}
			write(t, r.conn, c.send)
			if c.ok {
				netsystest.Arrivals(t, l, 1)
				if s := l.WebSocketStats(); s.HalfOpen != 0 || s.Connections != 1 || s.Strangers != 0 {
					t.Errorf("%+v", s)
				}
				return
			}
			if code := r.closeCode(); code != 1008 {
				t.Errorf("close code %d", code)
			}
			until(t, l, "closed and counted", func() bool {
				s := l.WebSocketStats()
				return s.Strangers == 1 && s.Connections == 0
			})
			l.Poll(time.Now(), func(d netsys.Datagram) { t.Errorf("%d bytes delivered", len(d.Data)) })
		})
	}
}

// A connection to which nothing is sent may send little, and only for a limited time. An answer lifts both limits.
func TestUnansweredConnection(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{AnswerTimeout: time.Hour, IdleTimeout: never})
	_, from := rawSession(t, l)
	r := rawDial(t, l, nil)
	write(t, r.conn, bytes.Repeat(maskedFrame(0x82, opening()), 100))
	all, most := 0, 0
	for l.WebSocketStats().Flooded+uint64(all) < 100 {
		n := 0
		l.Poll(time.Now(), func(netsys.Datagram) { n++ })
		all, most = all+n, max(most, n)
	}
	flooded := l.WebSocketStats().Flooded
	if most > 8 || flooded == 0 { // four that came with the handshake, and four behind it
		t.Errorf("%d delivered at once, %d lost", most, flooded)
	}
	if l.Sweep(time.Now().Add(59 * time.Minute)); l.WebSocketStats().Unanswered != 0 {
		t.Error("closed before its time")
	}
	l.Sweep(time.Now().Add(61 * time.Minute))
	until(t, l, "closed and counted", func() bool {
		s := l.WebSocketStats()
		return s.Unanswered == 1 && s.Flooded == flooded && s.Connections == 1
	})
	if err := l.Send(time.Now(), from, []byte("the other one stays")); err != nil {
		t.Error(err)
	}
}

// A client that still sends while the server closes receives everything: the server waits until the client has closed its end.
func TestCloseWaitsForClients(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("gnet closes the connections of this system")
	}
	l := listenWeb(t, "", eventloop.WebSocketConfig{})
	r, from := rawSession(t, l)
	must(t, l.Send(time.Now(), from, []byte("goodbye")))
	var sends atomic.Bool
	sends.Store(true)
	closed := make(chan error, 1)
	go func() {
		err := l.Close()
		if sends.Load() {
			err = errors.New("the server closed the connection of a client that sends")
		}
		closed <- err
	}()
	if _, payload, err := r.frame(); string(payload) != "goodbye" || err != nil {
		t.Fatalf("received %q, %v", payload, err)
	}
	if code := r.closeCode(); code != 1001 {
		t.Errorf("closed with code %d", code)
	}
	for range 20 {
		write(t, r.conn, maskedFrame(0x82, []byte("an input")))
		time.Sleep(time.Millisecond)
	}
	sends.Store(false)
	must(t, r.conn.Close())
	must(t, <-closed)
}
