//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gobwas/ws"
	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/internal/streams"
)

// webConn is one TCP connection of a [web]. The event loop reads it, or who polls, once it has begun. Everybody writes to
// it under its lock, straight to the socket: gnet would queue without a bound, wake the loop and allocate.
type webConn struct {
	since   time.Time      // when it was opened
	remote  netip.Addr     // of the TCP connection
	port    uint16         // likewise
	counted netip.Addr     // the network that it is counted for; the zero Addr while that is not known
	client  netip.Addr     // valid when the handshake is done; the event loop's
	from    netip.AddrPort // as delivered; valid from the first message on

	heard    atomic.Int64  // when the last datagram came, in nanoseconds after since
	joined   time.Duration // when the first one came, after since
	answered atomic.Bool   // something was sent to it
	intake   intake        // the reader's
	rest     []byte        // of a frame that has not arrived in full; the poller's

	mu     sync.Mutex
	fd     int  // −1 once it may be closed
	own    bool // fd is not gnet's
	ended  bool
	out    outbox
	moved  time.Time // when the socket last took something, or had nothing to take
	listed bool      // among those that wait for room; the poller's
}

// left is what became of frames that were to be sent.
type left struct {
	dropped int  // that newer ones pushed out
	waits   bool // something does
}

// send queues a frame and writes what the socket takes.
func (c *webConn) send(now time.Time, op ws.OpCode, payload []byte) left {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fd < 0 || c.ended {
		return left{}
	}
	return c.queue(now, appendFrame(c.out.buffer(), op, payload))
}

// queue runs under the lock.
func (c *webConn) queue(now time.Time, frame []byte) (l left) {
	if c.out.count == 0 {
		c.moved = now
	}
	if c.out.push(frame) {
		l.dropped = 1
	}
	c.write(now)
	l.waits = c.out.count > 0
	return l
}

// sendAll sends whole frames, which lie one behind the other in all and end at ends: in one system call where nothing
// waits. What the socket does not take waits.
func (c *webConn) sendAll(now time.Time, all []byte, ends []int) (l left) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fd < 0 || c.ended {
		return left{}
	}
	taken := 0
	if c.out.count == 0 {
		c.moved = now
		taken = streams.Write(c.fd, all)
	}
	l.dropped = c.out.pushRest(all, ends, taken)
	if taken == 0 {
		c.write(now)
	}
	l.waits = c.out.count > 0
	return l
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
		n := streams.Write(c.fd, b)
		if n == 0 {
			return
		}
		c.out.took(n)
		c.moved = now
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
		streams.Write(c.fd, b)
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

// release gives the descriptor back to gnet, or closes one of its own.
func (c *webConn) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.own && c.fd >= 0 {
		_ = unix.Close(c.fd)
	}
	c.fd = -1
	c.out.clear()
}
