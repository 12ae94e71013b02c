//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netsystest"
	"github.com/tactusgo/tactus/netsys/websocket"
)

// raw is a WebSocket client that sends any bytes.
type raw struct {
	t    testing.TB
	conn net.Conn
}

// connectRaw opens a TCP connection and sends nothing.
func connectRaw(t testing.TB, l *eventloop.Listener) *raw {
	t.Helper()
	conn, err := net.Dial("tcp", l.WebSocketAddr().String())
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	return &raw{t, conn}
}

// rawDial finishes a handshake with additional header lines.
func rawDial(t testing.TB, l *eventloop.Listener, headers []string) *raw {
	t.Helper()
	r := connectRaw(t, l)
	if status := r.handshake(request(headers...)); status != "101" {
		t.Fatalf("handshake answered %q", status)
	}
	return r
}

// opening returns bytes that look like a netcode connection request to anybody without the key.
func opening() []byte {
	return append([]byte("\x00NETCODE 1.02\x00"), make([]byte, 1078-14)...)
}

// rawSession finishes a handshake, sends a first message and is answered. It returns the connection's address too.
func rawSession(t testing.TB, l *eventloop.Listener, headers ...string) (*raw, netip.AddrPort) {
	t.Helper()
	r := rawDial(t, l, headers)
	write(t, r.conn, maskedFrame(0x82, opening()))
	from := netsystest.Arrivals(t, l, 1)[0].From
	must(t, l.Send(time.Now(), from, []byte("answer")))
	if _, payload, err := r.frame(); string(payload) != "answer" || err != nil {
		t.Fatalf("answered %q, %v", payload, err)
	}
	return r, from
}

// webSession dials, sends a first message and is answered.
func webSession(t testing.TB, l *eventloop.Listener) (c *websocket.Wire, from netip.AddrPort) {
	t.Helper()
	c = dialWeb(t, l)
	return c, netsystest.Answer(t, l, c, c.RemoteAddr(), string(opening()))
}

// request returns an honest request with additional header lines.
func request(headers ...string) string {
	lines := append([]string{
		"GET /play HTTP/1.1", "Host: 127.0.0.1:7778", "Upgrade: websocket", "Connection: keep-alive, Upgrade",
		"Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
	}, headers...)
	return strings.Join(lines, "\r\n") + "\r\n\r\n"
}

// handshake sends a request and returns the status of the answer; "" when there was none.
func (r *raw) handshake(request string) string {
	r.t.Helper()
	if _, err := r.conn.Write([]byte(request)); err != nil {
		return ""
	}
	var head []byte
	b := make([]byte, 1)
	for !bytes.HasSuffix(head, []byte("\r\n\r\n")) {
		if _, err := r.conn.Read(b); err != nil {
			return ""
		}
		head = append(head, b...)
	}
	var status string
	_, _ = fmt.Sscanf(string(head), "HTTP/1.1 %s", &status)
	return status
}

// frame reads one frame of the server's.
func (r *raw) frame() (first byte, payload []byte, err error) {
	b := make([]byte, 2)
	if _, err := io.ReadFull(r.conn, b); err != nil {
		return 0, nil, err
	}
	first, n := b[0], int(b[1])
	if n == 126 {
		if _, err := io.ReadFull(r.conn, b); err != nil {
			return 0, nil, err
		}
		n = int(binary.BigEndian.Uint16(b))
	}
	payload = make([]byte, n)
	_, err = io.ReadFull(r.conn, payload)
	return first, payload, err
}

// answered polls a listener until it has answered with a payload.
func (r *raw) answered(l *eventloop.Listener, want string) {
	r.t.Helper()
	answer := make(chan string, 1)
	go func() {
		_, payload, err := r.frame()
		answer <- fmt.Sprint(string(payload), err)
	}()
	got := ""
	until(r.t, l, "answered", func() bool {
		select {
		case got = <-answer:
			return true
		default:
			return false
		}
	})
	if got != fmt.Sprint(want, error(nil)) {
		r.t.Fatalf("answered %q", got)
	}
}

// closeCode reads until a close frame, and the end behind it, and returns its code; 0 when there was none.
func (r *raw) closeCode() (code int) {
	for {
		first, payload, err := r.frame()
		if err != nil {
			return code
		}
		if first == 0x88 && len(payload) >= 2 {
			code = int(binary.BigEndian.Uint16(payload))
		}
	}
}

// maskedFrame returns a frame as a client sends it, under a mask that changes every byte.
func maskedFrame(first byte, payload []byte) []byte {
	b := []byte{first}
	switch n := len(payload); {
	case n < 126:
		b = append(b, 0x80|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(n))
	}
	mask := [4]byte{0xa5, 0x5a, 0x33, 0xcc}
	b = append(b, mask[:]...)
	for i, v := range payload {
		b = append(b, v^mask[i%4])
	}
	return b
}

func prefixes(all ...string) (p []netip.Prefix) {
	for _, s := range all {
		p = append(p, netip.MustParsePrefix(s))
	}
	return p
}
