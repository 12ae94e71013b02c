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
	remote netip.Addr     // of the TCP connection
	port   uint16         // likewise
	from   netip.AddrPort // as delivered; the zero AddrPort until the handshake is done
	since  time.Time      // when it was opened

	heard  atomic.Int64 // when the last datagram came, in nanoseconds since 1970
	poll   uint32       // the poll that arrivals are counted for
	number int          // how many of them

	mu     sync.Mutex
	fd     int // −1 once gnet may close it
	out    outbox
	lost   int  // frames pushed out since the socket took something
	listed bool // among those that wait for room; the poller's
}

// send queues a frame and writes what the socket takes. It reports what was pushed out, and whether something
// still waits.
func (c *webConn) send(op ws.OpCode, payload []byte) (dropped, waits bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fd < 0 {
		return false, false
	}
	dropped = c.out.push(appendFrame(c.out.buffer(), op, payload))
	if dropped {
		c.lost++
	}
	c.write()
	return dropped, c.out.count > 0
}

// retry writes what the socket takes, and reports whether something still waits.
func (c *webConn) retry() (waits bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.write()
	return c.fd >= 0 && c.out.count > 0
}

// write runs under the lock. A broken connection shows when the event loop reads it; until then its frames are
// as lost as datagrams can be.
func (c *webConn) write() {
	for c.fd >= 0 {
		b := c.out.next()
		if b == nil {
			return
		}
		n, err := unix.Write(c.fd, b)
		switch {
		case n > 0:
			c.out.took(n)
			c.lost = 0
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
	if c.fd < 0 || len(b) == 0 {
		return
	}
	if c.out.sent == 0 {
		// The socket of a connection at its beginning has room; at the end nothing depends on it.
		_, _ = unix.Write(c.fd, b)
	}
}

// stuck is how many frames were pushed out since the socket took something.
func (c *webConn) stuck() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost
}

// hangUp ends the connection in one direction or both, which the event loop notices and then closes it.
func (c *webConn) hangUp(how int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fd >= 0 {
		_ = unix.Shutdown(c.fd, how)
	}
}

// release gives the descriptor back to gnet.
func (c *webConn) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fd = -1
	c.out = outbox{}
}
