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
	// webSweep is how often connections that take too long are looked for.
	webSweep = 250 * time.Millisecond
	// webPerPoll bounds what one connection may bring between two polls, so that it cannot fill the queue.
	webPerPoll = 256
	// webUnanswered is the same before anything is sent to it: a client asks ten times a second, and one that goes
	// on with a session sends once a tick.
	webUnanswered = 4
	// webSendBuffer is what is asked of the kernel for each connection, in bytes. Data that it holds cannot
	// be replaced by newer data any more.
	webSendBuffer = 64 << 10
	// webUnsent is how many bytes of it may wait to be sent for the first time, where that can be said.
	webUnsent = 16 << 10
)

// web is the table of WebSocket connections. The event loop opens them and closes those that do not begin; who polls reads
// and closes the others, where the system can ([reader]), else the event loop does; who sends writes; the ticker sweeps.
type web struct {
	config WebSocketConfig
	polls  atomic.Uint32
	reader *reader // nil: the event loop reads

	// For the event loop alone, to open connections.
	inbox  *netsys.Inbox
	loop   taker           // into the inbox
	logged map[string]bool // the refusals that were logged, by advice
	log    logger
	swept  uint32 // polls at the last tick

	// For the poller alone, to write to sockets that were full.
	backed []*webConn // connections whose frames wait
	spare  spareFrames

	mu     sync.Mutex
	conns  map[*webConn]struct{}
	byAddr map[netip.AddrPort]*webConn
	counts map[netip.Addr]int // connections by network
	half   []*webConn         // those without a valid first message, oldest first
	closed bool
	stats  WebSocketStats
}

func newWeb(config WebSocketConfig, inbox *netsys.Inbox, log logger) *web {
	w := &web{
		config: config.withDefaults(),
		inbox:  inbox,
		loop:   taker{put: func(d netsys.Datagram) { inbox.Put(d.From, d.At, d.Data) }},
		logged: make(map[string]bool),
		log:    log,
		conns:  make(map[*webConn]struct{}),
		byAddr: make(map[netip.AddrPort]*webConn),
		counts: make(map[netip.Addr]int),
	}
	w.reader = newReader(w)
	return w
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
	addr := remote.AddrPort()
	c := &webConn{remote: addr.Addr().Unmap(), port: addr.Port(), since: time.Now(), fd: g.Fd()}
	// Behind a proxy the handshake says whose connection it is.
	if !w.config.guard().Proxied(c.remote) && !w.countAs(c, c.remote) {
		return nil
	}
	if len(w.half) >= w.config.HalfOpen {
		w.stats.Crowded++
		w.half[0].hangUp(unix.SHUT_RDWR)
		w.half = slices.Delete(w.half, 0, 1)
	}
	// A socket with other buffers or with delayed small packets works too, only worse.
	_ = g.SetWriteBuffer(webSendBuffer)
	_ = g.SetNoDelay(true)
	streams.LimitUnsent(c.fd, webUnsent)
	w.conns[c] = struct{}{}
	w.half = append(w.half, c)
	return c
}

// countAs counts a connection for the network of an address, unless that has too many.
func (w *web) countAs(c *webConn, addr netip.Addr) bool {
	n := network(addr)
	if w.counts[n] >= w.config.perAddress(n) {
		w.stats.CrowdedAddress++
		return false
	}
	w.counts[n]++
	c.counted = n
	return true
}

// upgraded notes that a connection has finished its handshake, and whose it is.
func (w *web) upgraded(c *webConn, client netip.Addr) (ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !c.counted.IsValid() && !w.countAs(c, client) {
		return false
	}
	c.client = client
	w.stats.Accepted++
	return true
}

// join gives a connection its address when its first message has come. Behind a proxy, or with several local
// addresses, two connections can come from the same address and port: then the later one gets another port.
func (w *web) join(c *webConn, at time.Time) (ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.half, c)
	if i < 0 {
		return false // pushed out meanwhile
	}
	w.half = slices.Delete(w.half, i, i+1)
	from := webMark.On(netip.AddrPortFrom(c.client, c.port))
	for w.byAddr[from] != nil {
		from = netip.AddrPortFrom(from.Addr(), max(from.Port()+1, 1))
	}
	c.from = from
	c.joined = at.Sub(c.since)
	c.heard.Store(int64(c.joined))
	c.out = newOutbox(w.config.Outbound, &w.spare)
	w.byAddr[from] = c
	return true
}

// leave forgets a connection that gnet is about to close, or closes one that it has no part in any more.
func (w *web) leave(c *webConn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reader != nil {
		w.reader.forget(c)
	}
	c.release()
	delete(w.conns, c)
	if w.byAddr[c.from] == c {
		delete(w.byAddr, c.from)
	}
	if c.counted.IsValid() {
		if w.counts[c.counted]--; w.counts[c.counted] == 0 {
			delete(w.counts, c.counted)
		}
	}
	if i := slices.Index(w.half, c); i >= 0 {
		w.half = slices.Delete(w.half, i, i+1)
	}
}

// of is the connection of an address, nil where it is gone.
func (w *web) of(to netip.AddrPort) *webConn {
	w.mu.Lock()
	c := w.byAddr[to]
	w.mu.Unlock()
	if c != nil && !c.answered.Load() {
		c.answered.Store(true)
	}
	return c
}

// send runs on goroutines that send. A connection that is gone is like a peer that does not answer.
func (w *web) send(now time.Time, to netip.AddrPort, b []byte) {
	if c := w.of(to); c != nil {
		w.sent(c, c.send(now, binaryFrame, b))
	}
}

// sent notes what became of frames.
func (w *web) sent(c *webConn, what left) {
	if what == (left{}) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if what.waits && !c.listed {
		c.listed = true
		w.backed = append(w.backed, c)
	}
	w.stats.Stale += uint64(what.dropped)
}

// polled runs on the goroutine that polls: sockets may have got room since. One that got none for long will get none.
func (w *web) polled(now time.Time) {
	w.polls.Add(1)
	w.backed = slices.DeleteFunc(w.backed, func(c *webConn) bool {
		waits, since := c.retry(now)
		if waits && now.Sub(since) > w.config.StuckTimeout && c.hangUp(unix.SHUT_RDWR) {
			w.count(func(s *WebSocketStats) { s.Slow++ })
			waits = false
		}
		c.listed = waits
		return !waits
	})
}

// tick is what the loop does now and then. Who has brought nothing is judged as long as somebody polls, since nothing is
// read while nobody does.
func (w *web) tick(now time.Time) {
	w.sweepHalf(now)
	if polls := w.polls.Load(); polls != w.swept || w.reader == nil {
		w.swept = polls
		w.sweepJoined(now)
	}
}

// sweepHalf ends connections that take too long to begin.
func (w *web) sweepHalf(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.half) > 0 && now.Sub(w.half[0].since) > w.config.HandshakeTimeout {
		w.stats.Expired++
		w.half[0].hangUp(unix.SHUT_RDWR)
		w.half = slices.Delete(w.half, 0, 1)
	}
}

// sweepJoined ends those that are silent, or that nobody answers.
func (w *web) sweepJoined(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.byAddr {
		switch open := now.Sub(c.since); {
		case open-time.Duration(c.heard.Load()) > w.config.IdleTimeout:
			if c.hangUp(unix.SHUT_RDWR) {
				w.stats.Expired++
			}
		case !c.answered.Load() && open-c.joined > w.config.AnswerTimeout:
			if c.hangUp(unix.SHUT_RDWR) {
				w.stats.Unanswered++
			}
		}
	}
}

// shut says goodbye to everybody; no connection is taken in from then on.
func (w *web) shut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	goodbye := appendClose(nil, statusGoingAway)
	now := time.Now()
	for c := range w.conns {
		c.retry(now)
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
