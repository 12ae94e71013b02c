//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
)

// A client that was slow and has caught up is nobody who is stuck, however long nothing is sent to it then.
func TestReaderThatCaughtUpIsKept(t *testing.T) {
	const stuck = time.Hour
	l := listenWeb(t, "", eventloop.WebSocketConfig{Outbound: 8, StuckTimeout: stuck})
	r, slow := rawSession(t, l)
	payload := make([]byte, 1200)
	sent := 0
	for ; l.WebSocketStats().Stale == 0 && sent < 100_000; sent++ {
		payload[0], payload[1], payload[2] = byte(sent>>16), byte(sent>>8), byte(sent)
		if err := l.Send(time.Now(), slow, payload); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan bool)
	go func() {
		for {
			_, b, err := r.frame()
			if err != nil || int(b[0])<<16|int(b[1])<<8|int(b[2]) == sent-1 {
				done <- err == nil
				return
			}
		}
	}()
	until(t, l, "the newest arrived", func() bool {
		select {
		case ok := <-done:
			return ok
		default:
			return false
		}
	})
	for n := range 5 {
		l.Poll(time.Now().Add(time.Duration(n+1)*2*stuck), func(netsys.Datagram) {})
	}
	if s := l.WebSocketStats(); s.Slow != 0 || s.Connections != 1 {
		t.Errorf("nothing waits for it: %+v", s)
	}
	if err := l.Send(time.Now(), slow, []byte("still there")); err != nil {
		t.Fatal(err)
	}
	if _, b, err := r.frame(); err != nil || string(b) != "still there" {
		t.Errorf("%q, %v", b, err)
	}
}

// A request that fills what one may have, and does not end, is refused then and there.
func TestRequestAsLongAsItMayBe(t *testing.T) {
	l := listenWeb(t, "", eventloop.WebSocketConfig{Handshake: 512, HandshakeTimeout: time.Hour})
	r := connectRaw(t, l)
	if _, err := r.conn.Write([]byte("GET /" + strings.Repeat("x", 507))); err != nil {
		t.Fatal(err)
	}
	until(t, l, "refused", func() bool { s := l.WebSocketStats(); return s.Refused == 1 && s.Connections == 0 })
	// One that ends exactly there is none too long.
	honest := request("X-Fill: ")
	honest = request("X-Fill: " + strings.Repeat("x", 512-len(honest)))
	if status := connectRaw(t, l).handshake(honest); len(honest) != 512 || status != "101" {
		t.Errorf("a request of %d bytes is answered %q", len(honest), status)
	}
}

// An origin has a scheme and a host.
func TestOriginsNeedHosts(t *testing.T) {
	for _, origin := range []string{"https://", "//game.example", "https:game.example", "://game.example"} {
		c := eventloop.WebSocketConfig{Addr: "127.0.0.1:0", Origins: []string{origin}}
		if err := c.Validate(); err == nil {
			t.Errorf("%q is taken", origin)
		}
	}
}
