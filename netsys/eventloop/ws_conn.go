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

// webConn is one WebSocket connection. The event loop reads it at first, and Poll reads it after its first valid message if
// there is a [pollReader]. Every goroutine that sends writes directly to the socket, under the lock. gnet's own writing would
// queue without a bound, wake the loop and allocate.
type webConn struct {
	opened  time.Time      // all durations of the connection start here
	remote  netip.Addr     // address of the TCP peer, which may be a proxy
	port    uint16         // port of the TCP peer
	network netip.Addr     // network that the connection counts for; the zero Addr before that is known
	client  netip.Addr     // address of the client; valid after the handshake; used by the event loop only
	from    netip.AddrPort // sender of its datagrams; valid from the first message on

	lastDatagram  atomic.Int64  // when the latest datagram arrived, in nanoseconds since opened
	firstDatagram time.Duration // when the first one arrived, since opened
	answered      atomic.Bool   // something was sent to the client after its first message
	limit         frameLimit    // used by the goroutine that reads the connection
	partial       []byte        // a frame that has not arrived completely; used by Poll

	mu           sync.Mutex
	fd           int  // −1 once it may be closed
	ownsFD       bool // fd is a duplicate, which gnet does not close
	ended        bool
	out          outbox
	lastProgress time.Time // when the socket last accepted bytes or the outbox was empty
	listed       bool      // among the connections whose outbox is not empty; used by Poll
}

// sendResult is the result of sending frames.
type sendResult struct {
	dropped int  // frames that newer ones displaced
	waiting bool // frames are left in the outbox
}

// send queues a frame and writes as much as the socket accepts.
func (c *webConn) send(now time.Time, op ws.OpCode, payload []byte) sendResult {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fd < 0 || c.ended {
		return sendResult{}
	}
	return c.queue(now, appendFrame(c.out.buffer(), op, payload))
}

// queue queues a frame and writes as much as the socket accepts. The caller holds the lock.
func (c *webConn) queue(now time.Time, frame []byte) (r sendResult) {
	if c.out.count == 0 {
		c.lastProgress = now
	}
	if c.out.push(frame) {
		r.dropped = 1
	}
	c.writeQueued(now)
	r.waiting = c.out.count > 0
	return r
}

// sendFrames sends complete frames, which are concatenated in all and end at the offsets in ends. It needs one system call if
// the outbox is empty. Bytes that the socket does not accept go to the outbox.
func (c *webConn) sendFrames(now time.Time, all []byte, ends []int) (r sendResult) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fd < 0 || c.ended {
		return sendResult{}
	}
	written := 0
	if c.out.count == 0 {
		c.lastProgress = now
		written = streams.Write(c.fd, all)
	}
	r.dropped = c.out.pushUnwritten(all, ends, written)
	if written == 0 {
		c.writeQueued(now)
	}
	r.waiting = c.out.count > 0
	return r
}

// flush writes as much of the outbox as the socket accepts. It reports whether frames are left, and when the socket last
// accepted bytes.
func (c *webConn) flush(now time.Time) (waiting bool, lastProgress time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writeQueued(now)
	return c.fd >= 0 && !c.ended && c.out.count > 0, c.lastProgress
}

// writeQueued writes the outbox to the socket until the socket accepts no more. The caller holds the lock. A broken connection
// is detected when it is read; until then its frames are lost.
func (c *webConn) writeQueued(now time.Time) {
	for c.fd >= 0 && !c.ended {
		b := c.out.next()
		if b == nil {
			return
		}
		n := streams.Write(c.fd, b)
		if n == 0 {
			return
		}
		c.out.advance(n)
		c.lastProgress = now
	}
}

// writeDirectly writes the answer to the handshake, or a close frame, ahead of the outbox. It writes nothing in the middle of
// a frame.
func (c *webConn) writeDirectly(b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fd < 0 || c.ended || len(b) == 0 {
		return
	}
	if c.out.written == 0 {
		// During the handshake the send buffer has room. A lost close frame does no harm.
		streams.Write(c.fd, b)
	}
}

// shutdown shuts down one direction of the connection or both. The event loop or Poll then reads the end of the connection
// and closes it. Nothing is sent from now on. It reports whether the connection was still open.
func (c *webConn) shutdown(how int) (wasOpen bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fd < 0 || c.ended {
		return false
	}
	c.ended = true
	_ = unix.Shutdown(c.fd, how)
	return true
}

// releaseFD stops using the descriptor, and closes it unless it is gnet's.
func (c *webConn) releaseFD() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ownsFD && c.fd >= 0 {
		_ = unix.Close(c.fd)
	}
	c.fd = -1
	c.out.clear()
}
