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

	"github.com/tactusgo/tactus/internal/streams"
	"github.com/tactusgo/tactus/netsys"
)

const (
	// sweepInterval is how often the event loop looks for connections that exceed a timeout.
	sweepInterval = 250 * time.Millisecond
	// maxFramesPerPoll bounds the frames of one connection between two polls, so that it cannot fill the inbox.
	maxFramesPerPoll = 256
	// maxFramesUnanswered is the same bound before anything is sent to the connection. A client sends its request ten times
	// a second, and a client that resumes a session sends once per tick.
	maxFramesUnanswered = 4
	// connSendBuffer is the requested size in bytes of each socket's send buffer. Data in it cannot be replaced by newer
	// data any more.
	connSendBuffer = 64 << 10
	// maxUnsent bounds the bytes of the send buffer that have not been sent at all, on systems that support it.
	maxUnsent = 16 << 10
)

// connections is the table of WebSocket connections. The event loop accepts connections. It also reads and closes them until
// their first valid message. After that Poll reads and closes them, if there is a [pollReader]; otherwise the event loop does
// both throughout.
type connections struct {
	config WebSocketConfig
	polls  atomic.Uint32
	reader *pollReader // nil: the event loop reads all connections

	// Used by the event loop only.
	frames     frameReceiver
	logged     map[string]bool // the refusals that were logged, by advice
	log        logger
	sweptPolls uint32 // value of polls at the previous sweep

	backlogged []*webConn // connections whose outbox is not empty; used by the goroutine that polls
	pool       framePool

	mu        sync.Mutex
	all       map[*webConn]struct{}
	byAddr    map[netip.AddrPort]*webConn
	byNetwork map[netip.Addr]int // number of connections
	halfOpen  []*webConn         // connections without a valid first message, oldest first
	closed    bool
	stats     WebSocketStats

	acceptFails bool // no connection was accepted since an attempt failed
}

func newConnections(config WebSocketConfig, inbox *netsys.Inbox, log logger) *connections {
	w := &connections{
		config:    config.withDefaults(),
		frames:    frameReceiver{deliver: func(d netsys.Datagram) { inbox.Put(d.From, d.At, d.Data) }},
		logged:    make(map[string]bool),
		log:       log,
		all:       make(map[*webConn]struct{}),
		byAddr:    make(map[netip.AddrPort]*webConn),
		byNetwork: make(map[netip.Addr]int),
	}
	w.reader = newPollReader(w)
	return w
}

// noteAcceptError counts a failed attempt to accept a connection, and logs the first one since a connection was accepted.
func (w *connections) noteAcceptError(err error) {
	w.mu.Lock()
	w.stats.AcceptErrors++
	first := !w.acceptFails
	w.acceptFails = true
	w.mu.Unlock()
	if first {
		w.log.Errorf("eventloop: accept a WebSocket connection: %v; trying again; if files are missing, raise the limit (ulimit -n)", err)
	}
}

// noteAccepted ends what [connections.noteAcceptError] began.
func (w *connections) noteAccepted() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acceptFails = false
}

// busy answers a connection that is closed because there are too many. A client of package websocket tries again, with a pause.
var busy = []byte("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")

// accept adds a new TCP connection. It returns nil if there are too many.
func (w *connections) accept(g gnet.Conn) *webConn {
	w.mu.Lock()
	defer w.mu.Unlock()
	remote, ok := g.RemoteAddr().(*net.TCPAddr)
	if !ok || w.closed || len(w.all) >= w.config.Connections {
		w.stats.Crowded++
		return nil
	}
	addr := remote.AddrPort()
	c := &webConn{remote: addr.Addr().Unmap(), port: addr.Port(), opened: time.Now(), fd: g.Fd()}
	if !w.roomForHandshake(c.opened) {
		w.stats.Crowded++
		return nil
	}
	// Behind a proxy, the client's address is known after the handshake only.
	if !w.config.guard().Proxied(c.remote) && !w.countForNetwork(c, c.remote) {
		return nil
	}
	// The connection also works if these options cannot be set, with more latency.
	_ = g.SetWriteBuffer(connSendBuffer)
	_ = g.SetNoDelay(true)
	streams.LimitUnsent(c.fd, maxUnsent)
	w.all[c] = struct{}{}
	w.halfOpen = append(w.halfOpen, c)
	return c
}

// slowHandshake is the time after which a handshake has to make room for a newer one.
const slowHandshake = 2 * time.Second

// roomForHandshake reports whether one more connection may begin its handshake now. It never closes one that may still finish: in
// a storm of reconnecting clients, each would else lose its place to the next one shortly before its end. The caller holds the
// lock.
func (w *connections) roomForHandshake(now time.Time) bool {
	if len(w.halfOpen) < w.config.HalfOpen {
		return true
	}
	if now.Sub(w.halfOpen[0].opened) < min(slowHandshake, w.config.HandshakeTimeout/2) {
		return false
	}
	w.stats.Crowded++
	w.halfOpen[0].shutdown(unix.SHUT_RDWR)
	w.halfOpen = slices.Delete(w.halfOpen, 0, 1)
	return true
}

// countForNetwork counts a connection for the network of an address. It reports false if the network has too many.
func (w *connections) countForNetwork(c *webConn, addr netip.Addr) bool {
	n := network(addr)
	if w.byNetwork[n] >= w.config.perAddress(n) {
		w.stats.CrowdedAddress++
		return false
	}
	w.byNetwork[n]++
	c.network = n
	return true
}

// finishHandshake records that a connection has finished its handshake, and the address of its client. It reports false if the
// client's network has too many connections.
func (w *connections) finishHandshake(c *webConn, client netip.Addr) (ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !c.network.IsValid() && !w.countForNetwork(c, client) {
		return false
	}
	c.client = client
	w.stats.Accepted++
	return true
}

// assignAddress gives a connection its address when its first valid message has arrived. Behind a proxy, or with several local
// addresses, two connections can come from the same address and port. Then the later one gets another port. assignAddress
// reports false if the connection was closed in the meantime in favour of a newer one.
func (w *connections) assignAddress(c *webConn, at time.Time) (ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.halfOpen, c)
	if i < 0 {
		return false
	}
	w.halfOpen = slices.Delete(w.halfOpen, i, i+1)
	from := webMark.On(netip.AddrPortFrom(c.client, c.port))
	for w.byAddr[from] != nil {
		from = netip.AddrPortFrom(from.Addr(), max(from.Port()+1, 1))
	}
	c.from = from
	c.firstDatagram = at.Sub(c.opened)
	c.lastDatagram.Store(int64(c.firstDatagram))
	c.out = newOutbox(w.config.Outbound, &w.pool)
	w.byAddr[from] = c
	return true
}

// remove removes a connection from the table and releases its descriptor, which gnet closes if it is gnet's.
func (w *connections) remove(c *webConn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reader != nil {
		w.reader.remove(c)
	}
	c.releaseFD()
	delete(w.all, c)
	if w.byAddr[c.from] == c {
		delete(w.byAddr, c.from)
	}
	if c.network.IsValid() {
		if w.byNetwork[c.network]--; w.byNetwork[c.network] == 0 {
			delete(w.byNetwork, c.network)
		}
	}
	if i := slices.Index(w.halfOpen, c); i >= 0 {
		w.halfOpen = slices.Delete(w.halfOpen, i, i+1)
	}
}

// recipient returns the connection that has an address, in order to send to it. It returns nil if the connection is closed.
func (w *connections) recipient(to netip.AddrPort) *webConn {
	w.mu.Lock()
	c := w.byAddr[to]
	w.mu.Unlock()
	if c != nil && !c.answered.Load() {
		c.answered.Store(true)
	}
	return c
}

// send sends a datagram to an address. It does nothing if the connection is closed.
func (w *connections) send(now time.Time, to netip.AddrPort, b []byte) {
	if c := w.recipient(to); c != nil {
		w.recordSend(c, c.send(now, binaryFrame, b))
	}
}

// recordSend counts dropped frames, and remembers a connection whose outbox is not empty.
func (w *connections) recordSend(c *webConn, r sendResult) {
	if r == (sendResult{}) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.waiting && !c.listed {
		c.listed = true
		w.backlogged = append(w.backlogged, c)
	}
	w.stats.Stale += uint64(r.dropped)
}

// flushBacklogged runs at the end of each Poll. It writes to the sockets that were full, and closes those that have accepted
// nothing for too long.
func (w *connections) flushBacklogged(now time.Time) {
	w.polls.Add(1)
	w.backlogged = slices.DeleteFunc(w.backlogged, func(c *webConn) bool {
		waiting, lastProgress := c.flush(now)
		if waiting && now.Sub(lastProgress) > w.config.StuckTimeout && c.shutdown(unix.SHUT_RDWR) {
			w.count(func(s *WebSocketStats) { s.Slow++ })
			waiting = false
		}
		c.listed = waiting
		return !waiting
	})
}

// sweep closes connections that exceed a timeout. While nobody polls, the pollReader reads nothing, so silence proves nothing.
func (w *connections) sweep(now time.Time) {
	w.sweepHalfOpen(now)
	if polls := w.polls.Load(); polls != w.sweptPolls || w.reader == nil {
		w.sweptPolls = polls
		w.sweepSilent(now)
	}
}

// sweepHalfOpen closes connections whose first valid message has not arrived in time.
func (w *connections) sweepHalfOpen(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.halfOpen) > 0 && now.Sub(w.halfOpen[0].opened) > w.config.HandshakeTimeout {
		w.stats.Expired++
		w.halfOpen[0].shutdown(unix.SHUT_RDWR)
		w.halfOpen = slices.Delete(w.halfOpen, 0, 1)
	}
}

// sweepSilent closes connections that are silent, or to which nothing has been sent.
func (w *connections) sweepSilent(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.byAddr {
		switch age := now.Sub(c.opened); {
		case age-time.Duration(c.lastDatagram.Load()) > w.config.IdleTimeout:
			if c.shutdown(unix.SHUT_RDWR) {
				w.stats.Expired++
			}
		case !c.answered.Load() && age-c.firstDatagram > w.config.AnswerTimeout:
			if c.shutdown(unix.SHUT_RDWR) {
				w.stats.Unanswered++
			}
		}
	}
}

// shutdown sends a close frame to every client, and accepts no connection from now on.
func (w *connections) shutdown() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	closeFrame := appendClose(nil, statusGoingAway)
	now := time.Now()
	for c := range w.all {
		c.flush(now)
		if c.from.IsValid() {
			c.writeDirectly(closeFrame)
		}
		c.shutdown(unix.SHUT_WR)
	}
}

// count changes the statistics under the lock.
func (w *connections) count(change func(*WebSocketStats)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(&w.stats)
}

// currentStats returns a copy of the statistics.
func (w *connections) currentStats() WebSocketStats {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.stats
	s.Connections, s.HalfOpen = len(w.all), len(w.halfOpen)
	return s
}
