package websocket

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/internal/outqueue"
)

// DefaultServer is the address under which a wire knows its server when neither [DialConfig.Server] nor the URL says
// one. A browser tells no page whom it is connected to, so that this is a stand-in, from the addresses that lead
// nowhere (RFC 6666).
var DefaultServer = netip.MustParseAddrPort("[100::1]:1")

// local stands in for the address of this end.
var local = netip.MustParseAddrPort("[100::2]:2")

const (
	defaultInbound  = 1024
	defaultOutbound = 64
	// closeTime bounds how long Close waits for what was sent to leave and for the server to say goodbye too.
	closeTime = 250 * time.Millisecond
	// maxBuffered is how many bytes a browser may hold before nothing more is given to it: some ten datagrams.
	// bufferedPause is after how long it is asked again.
	maxBuffered   = 8 << 10
	bufferedPause = 5 * time.Millisecond
	// attemptTime bounds one attempt to connect anew, maxRedial the pauses between attempts.
	attemptTime = 5 * time.Second
	maxRedial   = 5 * time.Second
)

// Link is one connection, which carries messages from one end to the other: over WebSocket, unless
// [DialConfig.Connect] says otherwise. Read and Write are called by a goroutine each, the others by any.
type Link interface {
	// Read waits for the next message and copies it to b, which has room for more than the largest datagram: what
	// does not fit is an error. It returns an error when the connection has ended.
	Read(b []byte) (n int, err error)
	// Write sends a message. It may wait for room, but not in a browser.
	Write(b []byte) error
	// Buffered is how many bytes a browser holds that its socket has not taken; elsewhere 0.
	Buffered() int
	// Close ends the connection politely, and makes Read return; it may wait for the other end, but not in a browser.
	Close()
	// Abort ends it at once, also while Close waits.
	Abort()
}

// errText is that the server sent what no datagram is.
var errText = errors.New("websocket: the server sent text")

// DialConfig configures a [Wire]. The zero value is what [Dial] uses.
type DialConfig struct {
	// Server is the address that stands for the server in Send and in arrivals. The zero AddrPort means the one in
	// the URL, when its host is an address or localhost, else [DefaultServer].
	Server netip.AddrPort
	// Redial makes the wire connect again when its connection has broken: after so long at first, half of that
	// left to chance so that clients of a server do not all come at once, and twice as long after each attempt that
	// fails, up to 5 s or Redial if that is more. Sessions go on from the new connection as from another address.
	// 0 means never. 250 ms suits sessions that time out after 10 s.
	Redial time.Duration
	// Connect makes a connection to the URL, at first and when the wire connects again; it ends with ctx. nil means
	// [Connect].
	Connect func(ctx context.Context, url string) (Link, error)
	// Inbound bounds the datagrams that wait for a Poll; more are dropped and counted. 0 means 1,024.
	Inbound int
	// Outbound bounds the datagrams that wait for the socket. When one more is sent, the oldest goes. 0
	// means 64.
	Outbound int
}

// Validate returns an error for negative values.
func (c DialConfig) Validate() error {
	var errs []error
	if c.Inbound < 0 {
		errs = append(errs, fmt.Errorf("websocket: DialConfig.Inbound %d is negative", c.Inbound))
	}
	if c.Outbound < 0 {
		errs = append(errs, fmt.Errorf("websocket: DialConfig.Outbound %d is negative", c.Outbound))
	}
	if c.Redial < 0 {
		errs = append(errs, fmt.Errorf("websocket: DialConfig.Redial %v is negative", c.Redial))
	}
	return errors.Join(errs...)
}

// Dial is [DialConfig.Dial] of the zero value.
func Dial(ctx context.Context, url string) (*Wire, error) { return DialConfig{}.Dial(ctx, url) }

// Wire is a connection to one server, or, when it redials, one after another; it is a [netsys.Wire]. One goroutine
// reads into a bounded queue, another writes from one.
type Wire struct {
	connect func(ctx context.Context) (Link, error)
	redial  time.Duration
	server  netip.AddrPort
	inbox   *netsys.Inbox
	out     *outqueue.Queue
	life    context.Context // ends with Close
	kill    context.CancelFunc
	ended   chan struct{} // closed when neither goroutine runs any more
	closed  bool

	redials atomic.Uint64

	mu   sync.Mutex
	link Link
	err  error
}

var _ netsys.Wire = (*Wire)(nil)

// Dial connects to a URL such as ws://127.0.0.1:7778 or wss://game.example/play, and blocks until the handshake
// is done or ctx ends; after that ctx means nothing. Unlike UDP, a server that is not there or says no is an
// error. A page in a browser must not block the goroutine that its events come on.
func (c DialConfig) Dial(ctx context.Context, url string) (*Wire, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Connect == nil {
		c.Connect = Connect
	}
	conn, err := c.Connect(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("websocket: Dial %q: %w", url, err)
	}
	w := c.wire(url)
	w.link = conn
	go w.run(conn)
	return w, nil
}

// Begin is Dial that does not wait for the connection: what is sent before it stands leaves then, as far as Outbound
// goes. A server that is not there or says no is silence, and the reason is [Wire.Err]; a wire that redials tries again.
func (c DialConfig) Begin(url string) (*Wire, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Connect == nil {
		c.Connect = Connect
	}
	w := c.wire(url)
	go w.run(nil)
	return w, nil
}

// wire makes a wire without a connection.
func (c DialConfig) wire(url string) *Wire {
	w := &Wire{
		connect: func(ctx context.Context) (Link, error) { return c.Connect(ctx, url) },
		redial:  c.Redial,
		server:  c.Server,
		inbox:   netsys.NewInbox(max(c.Inbound, 1)),
		out:     outqueue.New(max(c.Outbound, 1)),
		ended:   make(chan struct{}),
	}
	w.life, w.kill = context.WithCancel(context.Background())
	if c.Inbound == 0 {
		w.inbox = netsys.NewInbox(defaultInbound)
	}
	if c.Outbound == 0 {
		w.out = outqueue.New(defaultOutbound)
	}
	if !c.Server.IsValid() {
		w.server = ServerOf(url)
	}
	return w
}

// ServerOf is the address that stands for the server of a URL where [DialConfig.Server] says none: the one that the URL
// names, or [DefaultServer] when it needs somebody to look it up.
func ServerOf(s string) netip.AddrPort {
	u, err := url.Parse(s)
	if err != nil {
		return DefaultServer
	}
	host := u.Hostname()
	if strings.EqualFold(host, "localhost") {
		host = "127.0.0.1"
	}
	addr, err := netip.ParseAddr(host)
	if err != nil || addr.IsUnspecified() {
		return DefaultServer
	}
	port := uint16(80)
	if strings.EqualFold(u.Scheme, "wss") || strings.EqualFold(u.Scheme, "https") {
		port = 443
	}
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil && n > 0 {
		port = uint16(n)
	}
	return netip.AddrPortFrom(addr.Unmap(), port)
}

// run serves one connection after another, the first of which may have to be made.
func (w *Wire) run(conn Link) {
	defer close(w.ended)
	ok := true
	if conn == nil {
		conn, ok = w.first()
	}
	for ; ok; conn, ok = w.again() {
		w.serve(conn)
	}
}

// first connects; ok is false where that fails, and nobody tries again.
func (w *Wire) first() (conn Link, ok bool) {
	ctx, cancel := context.WithTimeout(w.life, attemptTime)
	defer cancel()
	conn, err := w.connect(ctx)
	if err != nil {
		w.end(err)
		return w.again()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.link = conn
	return conn, true
}

// serve returns when the connection has ended: because it broke, or politely when the wire is closed.
func (w *Wire) serve(conn Link) {
	read := make(chan struct{})
	go func() {
		defer close(read)
		w.end(w.reads(conn))
	}()
	if err := w.writes(conn, read); err != nil {
		w.end(err)
		conn.Abort()
	} else {
		conn.Close()
	}
	<-read
}

// again connects anew, however long it takes; ok is false when the wire is closed or does not redial.
func (w *Wire) again() (conn Link, ok bool) {
	if w.redial == 0 {
		return nil, false
	}
	for wait := w.redial; ; wait = min(2*wait, max(w.redial, maxRedial)) {
		select {
		case <-w.life.Done():
			return nil, false
		case <-time.After(wait/2 + rand.N(wait/2+1)):
		}
		ctx, cancel := context.WithTimeout(w.life, attemptTime)
		conn, err := w.connect(ctx)
		cancel()
		if err != nil {
			continue
		}
		w.mu.Lock()
		w.link = conn
		if w.life.Err() == nil {
			w.err = nil
		}
		w.mu.Unlock()
		w.redials.Add(1)
		w.out.Reopen()
		return conn, true
	}
}

// reads fills the inbox until the connection ends, and returns why.
func (w *Wire) reads(conn Link) error {
	b := make([]byte, netsys.MaxDatagram+1)
	for {
		n, err := conn.Read(b)
		if err != nil {
			conn.Abort()
			return err
		}
		w.inbox.Put(w.server, time.Now(), b[:n])
	}
}

// writes empties the queue until the connection ends. The error is nil when the wire was closed.
func (w *Wire) writes(conn Link, ended <-chan struct{}) error {
	for {
		// Meanwhile the oldest datagrams leave the queue.
		for conn.Buffered() > maxBuffered && w.life.Err() == nil {
			select {
			case <-ended:
				return outqueue.ErrAbandoned
			case <-time.After(bufferedPause):
			}
		}
		b, err := w.out.Next()
		if errors.Is(err, outqueue.ErrClosed) {
			return nil
		}
		if err == nil {
			err = conn.Write(b)
		}
		if err != nil {
			return err
		}
	}
}

// end notes why the connection ended, the first time, and makes the writer end.
func (w *Wire) end(err error) {
	w.mu.Lock()
	if w.err == nil {
		w.err = fmt.Errorf("websocket: connection ended: %w", err)
	}
	w.mu.Unlock()
	w.out.Abandon()
}

// Err is why there is no connection; nil while there is one, also after a broken one. After Close it is
// [netsys.ErrClosed], unless there was none before. It may be called from any goroutine.
func (w *Wire) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Poll implements [netsys.Wire]; now must come from time.Now.
func (w *Wire) Poll(now time.Time, deliver func(netsys.Datagram)) { w.inbox.Drain(now, deliver) }

// Send implements [netsys.Wire]. It sends to the server only and returns an error for any other address than
// [Wire.RemoteAddr]. While there is no connection datagrams are lost without one.
func (w *Wire) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	if len(b) > netsys.MaxDatagram {
		return netsys.ErrTooLarge
	}
	if w.closed {
		return netsys.ErrClosed
	}
	if to != w.server {
		return fmt.Errorf("websocket: Send to %v on a wire that was dialed to %v", to, w.server)
	}
	w.out.Put(b)
	return nil
}

// LocalAddr implements [netsys.Wire] with an address that only stands in for one: no other end knows it.
func (w *Wire) LocalAddr() netip.AddrPort { return local }

// RemoteAddr is the address that stands for the server: see [DialConfig.Server]. Pass it to [netsys.NewClient].
func (w *Wire) RemoteAddr() netip.AddrPort { return w.server }

// Stats counts what a [Wire] lost.
type Stats struct {
	// Dropped is the arrivals lost because too many waited for a Poll.
	Dropped uint64
	// Stale is the datagrams that newer ones pushed out while the socket had no room, and those sent while there
	// was no connection.
	Stale uint64
	// Redials is how often the wire connected anew.
	Redials uint64
}

// Stats counts what happened so far. It may be called from any goroutine.
func (w *Wire) Stats() Stats { return Stats{w.inbox.Dropped(), w.out.Dropped(), w.redials.Load()} }

// Close implements [netsys.Wire]. It waits up to a quarter of a second for what was sent to leave and for the
// server to close its end; in a browser, for nothing.
func (w *Wire) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	w.mu.Lock()
	w.kill()
	if w.err == nil {
		w.err = netsys.ErrClosed
	}
	w.mu.Unlock()
	w.out.Close()
	w.shut()
	return nil
}
