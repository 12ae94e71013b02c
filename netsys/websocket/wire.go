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

// DefaultServer is the server's address if neither [DialConfig.Server] nor the URL contains an address. A browser does not
// reveal the address of a connection, so this is a placeholder from the discard prefix (RFC 6666).
var DefaultServer = netip.MustParseAddrPort("[100::1]:1")

// local is a placeholder for the local address.
var local = netip.MustParseAddrPort("[100::2]:2")

const (
	defaultInbound  = 1024
	defaultOutbound = 64
	// closeTime is how long Close waits for the last datagrams to leave and for the closing handshake.
	closeTime = 250 * time.Millisecond
	// maxBuffered is the number of bytes, about ten datagrams, that a browser may buffer before the writer pauses for
	// bufferedPause.
	maxBuffered   = 8 << 10
	bufferedPause = 5 * time.Millisecond
	// attemptTime is the timeout of one attempt to reconnect. maxRedial is the longest pause between attempts.
	attemptTime = 5 * time.Second
	maxRedial   = 5 * time.Second
)

// Link is one message connection, over WebSocket unless [DialConfig.Connect] makes another kind. One goroutine calls Read
// and one calls Write; any goroutine may call the other methods.
type Link interface {
	// Read waits for the next message and copies it to b. b has room for more than the largest datagram; a message that
	// does not fit is an error. Read returns an error after the connection has ended.
	Read(b []byte) (n int, err error)
	// Write sends a message. It may wait for room, except in a browser.
	Write(b []byte) error
	// Buffered returns the bytes that a browser has not passed to its socket; 0 elsewhere.
	Buffered() int
	// Close performs the closing handshake and makes Read return. It may wait for the other side, except in a browser.
	Close()
	// Abort ends the connection immediately, also while Close waits.
	Abort()
}

// errText means that the server sent a text message, which cannot be a datagram.
var errText = errors.New("websocket: the server sent text")

// DialConfig configures a [Wire]. [Dial] uses the zero value.
type DialConfig struct {
	// Server is the server's address in Send and in arrivals. The zero AddrPort means the address in the URL, if its host
	// is an IP address or localhost, and otherwise [DefaultServer].
	Server netip.AddrPort
	// Redial is the first pause before the transport reconnects after a broken connection. Each attempt doubles the next pause, up
	// to the larger of Redial and 5 s, until a connection has carried a session. Half of each pause is random, so that the clients of a
	// server do not all reconnect at once. A server that answers 503 with Retry-After is given at least that time, up to 30 s. Sessions
	// continue as if the client's address had changed. 0 means never; 250 ms suits sessions with a timeout of 10 s.
	Redial time.Duration
	// Connect opens a connection to the URL, the first time and on every reconnection. It must return when ctx ends. nil
	// means [Connect].
	Connect func(ctx context.Context, url string) (Link, error)
	// Inbound is the number of datagrams that may wait for a Poll; further arrivals are dropped and counted. 0 means 1,024.
	Inbound int
	// Outbound is the number of datagrams that may wait for the socket. When the queue is full, a new datagram replaces the
	// oldest. 0 means 64.
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

// Dial calls [DialConfig.Dial] on the zero value.
func Dial(ctx context.Context, url string) (*Wire, error) { return DialConfig{}.Dial(ctx, url) }

// Wire is a [netsys.Wire] with a connection to one server. With Redial, a broken connection is replaced by a new one. One
// goroutine reads into a bounded queue; another writes from a bounded queue.
type Wire struct {
	connect func(ctx context.Context) (Link, error)
	redial  time.Duration
	server  netip.AddrPort
	inbox   *netsys.Inbox
	out     *outqueue.Queue
	life    context.Context // cancelled by Close
	kill    context.CancelFunc
	ended   chan struct{} // closed after both goroutines have ended
	closed  bool

	redials atomic.Uint64

	attempts int           // to reconnect since there was a session; used by the goroutine of run
	busy     time.Duration // for how long the server that refused the latest attempt asked to wait; likewise
	session  atomic.Bool   // the latest connection has carried a session

	mu   sync.Mutex
	link Link
	err  error
}

var _ netsys.Wire = (*Wire)(nil)

// Dial connects to a URL such as ws://127.0.0.1:7778 or wss://game.example/play. It blocks until the handshake is complete
// or ctx ends; afterwards ctx has no effect. Unlike with UDP, a missing server or a refusal is an error. In a browser, do
// not call Dial in an event handler: it would block the page's events.
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

// Begin connects like Dial but does not wait. Up to Outbound datagrams wait for the connection. A missing server or a
// refusal looks like silence; [Wire.Err] returns the reason. With Redial, the transport tries again.
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

// wire returns a transport without a connection.
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

// ServerOf returns the default of [DialConfig.Server] for a URL: the IP address in the URL, or [DefaultServer] if the host
// is a name.
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

// run serves one connection after another. If conn is nil, it connects first.
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

// first connects. ok is false if this fails and the transport does not redial.
func (w *Wire) first() (conn Link, ok bool) {
	ctx, cancel := context.WithTimeout(w.life, attemptTime)
	defer cancel()
	conn, err := w.connect(ctx)
	if err != nil {
		w.end(err)
		w.refused(err)
		return w.again()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.link = conn
	return conn, true
}

// serve returns when the connection breaks, or after the closing handshake if the transport is closed.
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

// again reconnects, however long this takes. ok is false if the transport is closed or does not redial.
func (w *Wire) again() (conn Link, ok bool) {
	if w.redial == 0 {
		return nil, false
	}
	if w.session.Swap(false) {
		w.attempts = 0
	}
	for {
		wait := w.pause()
		wait = max(wait/2+rand.N(wait/2+1), w.busy+rand.N(w.busy/2+1))
		w.busy = 0
		select {
		case <-w.life.Done():
			return nil, false
		case <-time.After(wait):
		}
		w.attempts++
		ctx, cancel := context.WithTimeout(w.life, attemptTime)
		conn, err := w.connect(ctx)
		cancel()
		if err != nil {
			w.refused(err)
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

// busyError is the error of a server that has no place for a connection now.
type busyError struct {
	after time.Duration // for how long it asks to wait
	error
}

func (b *busyError) Unwrap() error { return b.error }

// maxBusy is the longest pause that a server may ask for.
const maxBusy = 30 * time.Second

// refused notes for how long a server that refused an attempt asks to wait.
func (w *Wire) refused(err error) {
	if b, ok := errors.AsType[*busyError](err); ok {
		w.busy = min(max(b.after, 0), maxBusy)
	}
}

// pause returns the longest pause before the next attempt.
func (w *Wire) pause() time.Duration {
	wait, most := w.redial, max(w.redial, maxRedial)
	for range w.attempts {
		if wait = 2 * wait; wait >= most {
			return most
		}
	}
	return wait
}

// ofSession reports whether a server sends a datagram only within a session: a keep-alive or a payload of netcode 1.02. A connection
// that a busy server accepts and drops again is no reason to hurry.
func ofSession(b []byte) bool { return len(b) > 0 && (b[0]&15 == 4 || b[0]&15 == 5) }

// reads puts received datagrams into the inbox until the connection ends, and returns the reason.
func (w *Wire) reads(conn Link) error {
	b := make([]byte, netsys.MaxDatagram+1)
	for {
		n, err := conn.Read(b)
		if err != nil {
			conn.Abort()
			return err
		}
		if ofSession(b[:n]) {
			w.session.Store(true)
		}
		w.inbox.Put(w.server, time.Now(), b[:n])
	}
}

// writes sends the queued datagrams until the connection ends. It returns nil if the transport was closed.
func (w *Wire) writes(conn Link, ended <-chan struct{}) error {
	for {
		// During this wait the queue drops its oldest datagrams.
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

// end records the first reason why the connection ended and stops the writer.
func (w *Wire) end(err error) {
	w.mu.Lock()
	if w.err == nil {
		w.err = fmt.Errorf("websocket: connection ended: %w", err)
	}
	w.mu.Unlock()
	w.out.Abandon()
}

// Err returns the reason why there is no connection, or nil while connected. After Close it returns [netsys.ErrClosed], or
// an earlier reason. Any goroutine may call it.
func (w *Wire) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Poll implements [netsys.Wire]; now must come from time.Now.
func (w *Wire) Poll(now time.Time, deliver func(netsys.Datagram)) { w.inbox.Drain(now, deliver) }

// Send implements [netsys.Wire]. It returns an error for any address but [Wire.RemoteAddr]. Without a connection it drops
// the datagram and returns nil.
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

// LocalAddr implements [netsys.Wire]. It returns a placeholder, which the server never sees.
func (w *Wire) LocalAddr() netip.AddrPort { return local }

// RemoteAddr returns the server's address: see [DialConfig.Server]. Pass it to [netsys.NewClient].
func (w *Wire) RemoteAddr() netip.AddrPort { return w.server }

// Stats counts the datagrams that a [Wire] lost.
type Stats struct {
	// Dropped counts arrivals lost because too many waited for a Poll.
	Dropped uint64
	// Stale counts datagrams replaced by newer ones while the socket was full, and datagrams sent without a connection.
	Stale uint64
	// Redials counts successful reconnections.
	Redials uint64
}

// Stats returns the current counters. Any goroutine may call it.
func (w *Wire) Stats() Stats { return Stats{w.inbox.Dropped(), w.out.Dropped(), w.redials.Load()} }

// Close implements [netsys.Wire]. It waits up to 250 ms for the last datagrams to leave and for the closing handshake. In a
// browser it does not wait.
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
