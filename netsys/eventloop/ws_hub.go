//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/panjf2000/gnet/v2"
	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
)

const (
	// webSweep is how often connections that take too long are looked for.
	webSweep = 250 * time.Millisecond
	// webPerPoll bounds what one connection may bring between two polls, so that it cannot fill the queue.
	webPerPoll = 256
	// webSendBuffer is what is asked of the kernel for each connection, in bytes. Data that it holds cannot
	// be replaced by newer data any more.
	webSendBuffer = 64 << 10
	// webUnsent is how many bytes of it may wait to be sent for the first time, where that can be said.
	webUnsent = 16 << 10
)

// web is the table of WebSocket connections. The event loop opens, reads and closes them; the goroutine that
// polls sends; the ticker sweeps.
type web struct {
	config WebSocketConfig
	inbox  *netsys.Inbox
	polls  atomic.Uint32
	frames frameReader // the event loop's
	backed []*webConn  // the poller's: connections whose frames wait for room

	mu     sync.Mutex
	conns  map[*webConn]struct{}
	byAddr map[netip.AddrPort]*webConn
	half   []*webConn // handshakes not done, oldest first
	closed bool
	stats  WebSocketStats
}

func newWeb(config WebSocketConfig, inbox *netsys.Inbox) *web {
	return &web{
		config: config.withDefaults(),
		inbox:  inbox,
		conns:  make(map[*webConn]struct{}),
		byAddr: make(map[netip.AddrPort]*webConn),
	}
}

// open takes a new TCP connection in, or nil when there are too many.
func (w *web) open(g gnet.Conn) *webConn {
	w.mu.Lock()
	defer w.mu.Unlock()
	remote, ok := g.RemoteAddr().(*net.TCPAddr)
	if !ok || w.closed || len(w.conns) >= w.config.Connections {
		w.stats.Crowded++
		return nil
	}
	if len(w.half) >= w.config.HalfOpen {
		w.stats.Crowded++
		w.half[0].hangUp(unix.SHUT_RDWR)
		w.half = slices.Delete(w.half, 0, 1)
	}
	addr := remote.AddrPort()
	c := &webConn{
		remote: addr.Addr().Unmap(), port: addr.Port(), since: time.Now(),
		fd: g.Fd(), out: newOutbox(w.config.Outbound),
	}
	// A socket with other buffers or with delayed small packets works too, only worse.
	_ = g.SetWriteBuffer(webSendBuffer)
	_ = g.SetNoDelay(true)
	limitUnsent(c.fd, webUnsent)
	w.conns[c] = struct{}{}
	w.half = append(w.half, c)
	return c
}

// join gives a connection its address when its handshake is done. Behind a proxy, or with several local
// addresses, two connections can come from the same address and port: then the later one gets another port.
func (w *web) join(c *webConn, client netip.Addr, at time.Time) (ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.half, c)
	if i < 0 {
		return false // pushed out meanwhile
	}
	w.half = slices.Delete(w.half, i, i+1)
	from := webAddr(netip.AddrPortFrom(client, c.port))
	for w.byAddr[from] != nil {
		from = netip.AddrPortFrom(from.Addr(), max(from.Port()+1, 1))
	}
	c.from = from
	c.heard.Store(at.UnixNano())
	w.byAddr[from] = c
	w.stats.Accepted++
	return true
}

// leave forgets a connection that gnet is about to close.
func (w *web) leave(c *webConn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c.release()
	delete(w.conns, c)
	if w.byAddr[c.from] == c {
		delete(w.byAddr, c.from)
	}
	if i := slices.Index(w.half, c); i >= 0 {
		w.half = slices.Delete(w.half, i, i+1)
	}
}

// send runs on the goroutine that polls. A connection that is gone is like a peer that does not answer.
func (w *web) send(to netip.AddrPort, b []byte) {
	w.mu.Lock()
	c := w.byAddr[to]
	w.mu.Unlock()
	if c == nil {
		return
	}
	dropped, waits := c.send(binaryFrame, b)
	if waits && !c.listed {
		c.listed = true
		w.backed = append(w.backed, c)
	}
	if !dropped {
		return
	}
	slow := c.stuck() == w.config.Stale
	w.count(func(s *WebSocketStats) {
		s.Stale++
		if slow {
			s.Slow++
		}
	})
	if slow {
		c.hangUp(unix.SHUT_RDWR)
	}
}

// polled runs on the goroutine that polls: sockets may have got room since.
func (w *web) polled() {
	w.polls.Add(1)
	w.backed = slices.DeleteFunc(w.backed, func(c *webConn) bool {
		c.listed = c.retry()
		return !c.listed
	})
}

// sweep ends connections that take too long.
func (w *web) sweep(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.half) > 0 && now.Sub(w.half[0].since) > w.config.HandshakeTimeout {
		w.stats.Expired++
		w.half[0].hangUp(unix.SHUT_RDWR)
		w.half = slices.Delete(w.half, 0, 1)
	}
	for _, c := range w.byAddr {
		if heard := c.heard.Load(); heard > 0 && now.UnixNano()-heard > w.config.IdleTimeout.Nanoseconds() {
			w.stats.Expired++
			c.heard.Store(0)
			c.hangUp(unix.SHUT_RDWR)
		}
	}
}

// shut says goodbye to everybody; no connection is taken in from then on.
func (w *web) shut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	goodbye := appendClose(nil, statusGoingAway)
	for c := range w.conns {
		c.retry()
		if c.from.IsValid() {
			c.answer(goodbye)
		}
		c.hangUp(unix.SHUT_WR)
	}
}

func (w *web) count(change func(*WebSocketStats)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(&w.stats)
}

func (w *web) snapshot() WebSocketStats {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.stats
	s.Connections, s.HalfOpen = len(w.conns), len(w.half)
	return s
}
