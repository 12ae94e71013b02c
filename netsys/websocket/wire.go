package websocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/tactusgo/tactus/netsys"
)

// DefaultServer is the address under which a wire knows its server unless [DialConfig.Server] says otherwise. A
// browser tells no page whom it is connected to, so that this is a stand-in, from the addresses that lead
// nowhere (RFC 6666).
var DefaultServer = netip.MustParseAddrPort("[100::1]:1")

// local stands in for the address of this end.
var local = netip.MustParseAddrPort("[100::2]:2")

const (
	defaultInbound  = 1024
	defaultOutbound = 64
	// closeTime bounds how long Close waits for what was sent to leave and for the server to say goodbye too.
	closeTime = 250 * time.Millisecond
)

// DialConfig configures a [Wire]. The zero value is what [Dial] uses.
type DialConfig struct {
	// Server is the address that stands for the server in Send and in arrivals: the one in a connect token,
	// for example. The zero AddrPort means [DefaultServer].
	Server netip.AddrPort
	// Inbound bounds the datagrams that wait for a Poll; more are dropped and counted. 0 means 1,024.
	Inbound int
	// Outbound bounds the datagrams that wait for the socket. When one more is sent, the oldest goes. 0
	// means 64.
	Outbound int
}

// Validate returns an error for negative sizes.
func (c DialConfig) Validate() error {
	var errs []error
	if c.Inbound < 0 {
		errs = append(errs, fmt.Errorf("websocket: DialConfig.Inbound %d is negative", c.Inbound))
	}
	if c.Outbound < 0 {
		errs = append(errs, fmt.Errorf("websocket: DialConfig.Outbound %d is negative", c.Outbound))
	}
	return errors.Join(errs...)
}

// Dial is [DialConfig.Dial] of the zero value.
func Dial(ctx context.Context, url string) (*Wire, error) { return DialConfig{}.Dial(ctx, url) }

// Wire is a connection to one server; it is a [netsys.Wire]. One goroutine reads into a bounded queue, another
// writes from one.
type Wire struct {
	conn   *websocket.Conn
	abort  func() // ends the connection at once, whatever it waits for
	server netip.AddrPort
	inbox  *netsys.Inbox
	out    *queue
	read   chan struct{} // closed when nothing more is read
	wrote  chan struct{} // closed when nothing more is written
	closed bool

	mu  sync.Mutex
	err error
}

var _ netsys.Wire = (*Wire)(nil)

// Dial connects to a URL such as ws://127.0.0.1:7778 or wss://game.example/play, and blocks until the handshake
// is done or ctx ends; after that ctx means nothing. Unlike UDP, a server that is not there or says no is an
// error. A page in a browser must not block the goroutine that its events come on.
func (c DialConfig) Dial(ctx context.Context, url string) (*Wire, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	conn, abort, err := dial(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("websocket: Dial %q: %w", url, err)
	}
	conn.SetReadLimit(netsys.MaxDatagram)
	w := &Wire{
		conn:   conn,
		abort:  abort,
		server: c.Server,
		inbox:  netsys.NewInbox(max(c.Inbound, 1)),
		out:    newQueue(max(c.Outbound, 1)),
		read:   make(chan struct{}),
		wrote:  make(chan struct{}),
	}
	if c.Inbound == 0 {
		w.inbox = netsys.NewInbox(defaultInbound)
	}
	if c.Outbound == 0 {
		w.out = newQueue(defaultOutbound)
	}
	if !c.Server.IsValid() {
		w.server = DefaultServer
	}
	go w.reads()
	go w.writes()
	return w, nil
}

// reads fills the inbox until the connection ends.
func (w *Wire) reads() {
	defer close(w.read)
	b := make([]byte, netsys.MaxDatagram+1)
	for {
		// A context that can end would cost a timer for each message.
		kind, r, err := w.conn.Reader(context.Background())
		if err != nil {
			w.end(err)
			return
		}
		if kind != websocket.MessageBinary {
			w.end(errors.New("websocket: the server sent text"))
			_ = w.conn.CloseNow()
			return
		}
		n, err := readAll(r, b)
		if err != nil {
			w.end(err)
			return
		}
		w.inbox.Put(w.server, time.Now(), b[:n])
	}
}

// readAll reads a message, of which the read limit sees to it that it fits.
func readAll(r io.Reader, b []byte) (n int, err error) {
	for {
		m, err := r.Read(b[n:])
		n += m
		switch {
		case errors.Is(err, io.EOF):
			return n, nil
		case err != nil:
			return n, err
		case n == len(b):
			return n, io.ErrShortBuffer
		}
	}
}

// writes empties the queue until it is closed or the connection ends.
func (w *Wire) writes() {
	defer close(w.wrote)
	for {
		b, ok := w.out.next()
		if !ok {
			return
		}
		if err := w.conn.Write(context.Background(), websocket.MessageBinary, b); err != nil {
			w.end(err)
			return
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
	w.out.abandon()
}

// Err is why the connection has ended; nil while it has not. After Close it is [netsys.ErrClosed], unless it had
// ended before. It may be called from any goroutine.
func (w *Wire) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Poll implements [netsys.Wire]; now must come from time.Now.
func (w *Wire) Poll(now time.Time, deliver func(netsys.Datagram)) { w.inbox.Drain(now, deliver) }

// Send implements [netsys.Wire]. It sends to the server only and returns an error for any other address than
// [Wire.RemoteAddr]. On a connection that has ended datagrams are lost without one.
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
	w.out.put(b)
	return nil
}

// LocalAddr implements [netsys.Wire] with an address that only stands in for one: no other end knows it.
func (w *Wire) LocalAddr() netip.AddrPort { return local }

// RemoteAddr is the address that stands for the server: [DialConfig.Server] or [DefaultServer]. Pass it to
// [netsys.NewClient].
func (w *Wire) RemoteAddr() netip.AddrPort { return w.server }

// Stats counts what a [Wire] lost.
type Stats struct {
	// Dropped is the arrivals lost because too many waited for a Poll.
	Dropped uint64
	// Stale is the datagrams that newer ones pushed out while the socket had no room, and those sent after the
	// connection had ended.
	Stale uint64
}

// Stats counts what happened so far. It may be called from any goroutine.
func (w *Wire) Stats() Stats { return Stats{w.inbox.Dropped(), w.out.dropped()} }

// Close implements [netsys.Wire]. It waits up to a quarter of a second for what was sent to leave and for the
// server to close its end; in a browser, for nothing.
func (w *Wire) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	w.mu.Lock()
	if w.err == nil {
		w.err = netsys.ErrClosed
	}
	w.mu.Unlock()
	w.out.close()
	w.shut()
	return nil
}
