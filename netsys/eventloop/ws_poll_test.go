//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"bytes"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
)

// pair returns two ends of a stream that do not block; the first has little room.
func pair(t *testing.T) (a, b int) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if err := unix.SetNonblock(fd, true); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Close(fd) })
	}
	_ = unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_SNDBUF, 1)
	return fds[0], fds[1]
}

// joined returns a connection that has begun.
func joined(w *connections, fd int, at time.Time) *webConn {
	c := &webConn{fd: fd, client: netip.MustParseAddr("192.0.2.1"), port: 5000, opened: at}
	w.all[c], w.halfOpen = struct{}{}, []*webConn{c}
	w.assignAddress(c, at)
	return c
}

// A sender writes all frames for a connection together, before those for another connection. When a full socket has room
// again, it gets the newest frames, none of them cut. Dropped frames are counted.
func TestSenderWritesTogether(t *testing.T) {
	now := time.Unix(1, 0)
	w := newConnections(WebSocketConfig{Outbound: 4}, netsys.NewInbox(1), logger{})
	near, far := pair(t)
	c := joined(w, near, now)
	p := pendingFrames{connections: w}
	var heard []byte
	hear := func() {
		b := make([]byte, 1<<16)
		for n := 1; n > 0; {
			n, _ = unix.Read(far, b)
			heard = append(heard, b[:max(n, 0)]...)
		}
	}
	p.add(now, c.from, []byte("a"))
	p.add(now, c.from, []byte("b"))
	if hear(); len(heard) != 0 {
		t.Errorf("%q is sent at once", heard)
	}
	p.add(now, netip.MustParseAddrPort("192.0.2.9:1"), []byte("for nobody"))
	if hear(); string(heard) != "\x82\x01a\x82\x01b" {
		t.Errorf("%q before what another connection gets", heard)
	}
	heard = nil
	payload := func(n int) []byte { return bytes.Repeat(fmt.Appendf(nil, "%03d", n), 400) }
	sent := 0
	for ; w.currentStats().Stale < 20; sent += 3 {
		for n := range 3 {
			p.add(now, c.from, payload(sent+n))
		}
		p.flush(now)
	}
	for range 100 {
		hear()
		w.flushBacklogged(now)
	}
	var got []int
	for b := heard; len(b) > 0; {
		const size = 4 + 1200
		if len(b) < size || b[0] != 0x82 || b[1] != 126 || !bytes.Equal(b[4:size], payload(atoi(b[4:7]))) {
			t.Fatalf("after %v: %q", got, b[:min(len(b), 20)])
		}
		got, b = append(got, atoi(b[4:7])), b[size:]
	}
	for i := 1; i < len(got); i++ {
		if got[i] <= got[i-1] {
			t.Fatalf("out of order: %v", got)
		}
	}
	if n := len(got); n == 0 || got[n-1] != sent-1 || uint64(sent-n) != w.currentStats().Stale {
		t.Errorf("%d sent, %v arrived, %d were lost", sent, got, w.currentStats().Stale)
	}
}

func atoi(b []byte) int { return int(b[0]-'0')*100 + int(b[1]-'0')*10 + int(b[2]-'0') }

// If polls read the sockets, no connection counts as silent while nobody polls, because its frames may be waiting. After the
// next poll silence counts.
func TestSilenceIsJudgedWhilePolled(t *testing.T) {
	now := time.Unix(1000, 0)
	w := newConnections(WebSocketConfig{IdleTimeout: time.Second, AnswerTimeout: time.Second}, netsys.NewInbox(1), logger{})
	if w.reader == nil {
		t.Skip("the event loop reads here")
	}
	near, _ := pair(t)
	joined(w, near, now)
	for n := range 100 {
		w.sweep(now.Add(time.Duration(n) * time.Second))
	}
	if s := w.currentStats(); s.Expired+s.Unanswered != 0 {
		t.Errorf("not polled: %+v", s)
	}
	w.flushBacklogged(now)
	w.sweep(now.Add(100 * time.Second))
	if s := w.currentStats(); s.Expired != 1 {
		t.Errorf("polled: %+v", s)
	}
}
