//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gobwas/ws"
	"golang.org/x/sys/unix"
)

// webConn is one TCP connection of a [web]. The event loop reads it. Everybody writes to it under its lock,
// straight to the socket: gnet would queue without a bound, wake the loop and allocate.
type webConn struct {
	remote  netip.Addr // of the TCP connection
	port    uint16     // likewise
	counted netip.Addr // the network that it is counted for; the zero Addr while that is not known
	since   time.Time  // when it was opened

	client netip.Addr     // valid when the handshake is done; the event loop's
	from   netip.AddrPort // as delivered; valid from the first message on

	heard    atomic.Int64  // when the last datagram came, in nanoseconds after since
	joined   time.Duration // when the first one came, after since
	answered atomic.Bool   // something was sent to it
	intake   intake        // the event loop's

	mu     sync.Mutex
	fd     int // −1 once gnet may close it
	ended  bool
	out    outbox
	moved  time.Time // when the socket last took something, or had nothing to take
	listed bool      // among those that wait for room; the poller's
}

// send queues a frame and writes what the socket takes. It reports what was pushed out, and whether something
// still waits.
func (c *webConn) send(now time.Time, op ws.OpCode, payload []byte) (dropped, waits bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fd < 0 || c.ended {
		return false, false
	}
	if c.out.count == 0 {
		c.moved = now
	}
	dropped = c.out.push(appendFrame(c.out.buffer(), op, payload))
	c.write(now)
	return dropped, c.out.count > 0
}

// retry writes what the socket takes. It reports whether something still waits, and since when the socket took
// nothing.
func (c *webConn) retry(now time.Time) (waits bool, since time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.write(now)
	return c.fd >= 0 && !c.ended && c.out.count > 0, c.moved
}

// write runs under the lock. A broken connection shows when the event loop reads it; until then its frames are
// as lost as datagrams can be.
func (c *webConn) write(now time.Time) {
	for c.fd >= 0 && !c.ended {
		b := c.out.next()
		if b == nil {
			return
		}
		n, err := unix.Write(c.fd, b)
		switch {
		case n > 0:
			c.out.took(n)
			c.moved = now
		case err == unix.EINTR:
		default:
			return
		}
	}
}

// answer writes bytes that are no datagram, ahead of everything: when the handshake ends, or at the very end.
func (c *webConn) answer(b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fd < 0 || c.ended || len(b) == 0 {
		return
	}
	if c.out.sent == 0 {
		// The socket of a connection at its beginning has room; at the end nothing depends on it.
		_, _ = unix.Write(c.fd, b)
	}
}

// hangUp ends the connection in one direction or both, which the event loop notices and then closes it. Nothing is
// sent any more. It reports whether this is news.
func (c *webConn) hangUp(how int) (news bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fd < 0 || c.ended {
		return false
	}
	c.ended = true
	_ = unix.Shutdown(c.fd, how)
	return true
}

// release gives the descriptor back to gnet.
func (c *webConn) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fd = -1
	c.out.clear()
}
