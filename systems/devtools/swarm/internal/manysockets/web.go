package manysockets

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/websocket"
)

// Web is the WebSocket transports of many clients to one server, each with its own connection. Make it with [Config.Web].
type Web struct {
	url    string
	server netip.AddrPort
	wires  []*webWire // nil: not connected
	turn   int        // the next goroutine connection to check
	slow   int        // number of goroutine connections
	fast   fast
	stats  Stats

	arrived func(n int)
	closing sync.WaitGroup
	closed  bool
}

// Connection is a connection without a client: see [Web.Connect].
type Connection struct {
	raw  *raw // read and written by the Web itself; nil: slow is
	slow *websocket.Wire
}

// webTime is the timeout of a handshake.
const webTime = 10 * time.Second

// Connect opens a connection for a client. It blocks until the handshake is done, for at most 10 s, or until ctx ends.
// Several goroutines may call it at once. Pass the result to [Web.Wire], or close it.
func (w *Web) Connect(ctx context.Context) (*Connection, error) {
	ctx, cancel := context.WithTimeout(ctx, webTime)
	defer cancel()
	if strings.HasPrefix(w.url, "ws://") && w.fast.usable() {
		r, err := dialRaw(ctx, w.url)
		if err != nil {
			return nil, fmt.Errorf("manysockets: %s: %w", w.url, err)
		}
		return &Connection{raw: r}, nil
	}
	on, err := websocket.Dial(ctx, w.url)
	if err != nil {
		return nil, err
	}
	return &Connection{slow: on}, nil
}

// Close closes a connection that has no client.
func (c *Connection) Close() error {
	if c.raw == nil {
		return c.slow.Close()
	}
	c.raw.close()
	return nil
}

// Wire returns the wire of client n, 0 to Config.Clients−1, on a connection that no other client has. It panics for another
// number, and for a client whose wire is open. The wire's Poll delivers only within a Poll of the Web that calls arrived(n).
// The error is the operating system's, or [netsys.ErrClosed].
func (w *Web) Wire(n int, on *Connection) (netsys.Wire, error) {
	if n < 0 || n >= len(w.wires) || w.wires[n] != nil && !w.wires[n].closed {
		panic(fmt.Sprintf("manysockets: Wire(%d): %d clients over WebSocket have wires 0 to %d, each open once; close it before asking again", n, len(w.wires), len(w.wires)-1))
	}
	if w.closed {
		return nil, errors.Join(netsys.ErrClosed, on.Close())
	}
	x := &webWire{all: w, number: n, raw: on.raw, slow: on.slow}
	if on.raw == nil {
		x.deliver = func(d netsys.Datagram) { w.deliver(x, d) }
		w.slow++
	} else if err := w.fast.add(x); err != nil {
		return nil, errors.Join(err, on.Close())
	}
	w.wires[n] = x
	return x, nil
}

// RemoteAddr returns the placeholder of the server's address, for NewClient.
func (w *Web) RemoteAddr() netip.AddrPort { return w.server }

// deliver passes a datagram to a client.
func (w *Web) deliver(x *webWire, d netsys.Datagram) {
	x.waiting, x.waits = d, true
	w.arrived(x.number)
	x.waits = false
}

// slowTurns is the number of polls in which every goroutine connection is checked once: about a tick.
const slowTurns = 16

// Poll receives for all clients. It calls arrived with the client's number once per datagram. Within that call, the
// client's transport must be polled, for example by [netsys.Client.Poll]; otherwise the datagram is lost. now must come
// from time.Now. Poll never blocks.
func (w *Web) Poll(now time.Time, arrived func(n int)) {
	w.arrived = arrived
	w.fast.poll(now)
	if w.slow > 0 {
		for range (len(w.wires) + slowTurns - 1) / slowTurns {
			if w.turn++; w.turn >= len(w.wires) {
				w.turn = 0
			}
			if x := w.wires[w.turn]; x != nil && x.slow != nil && !x.closed {
				x.slow.Poll(now, x.deliver)
			}
		}
	}
	w.arrived = nil
}

// Flush sends the bytes that sockets had no room for. It never blocks.
func (w *Web) Flush(time.Time) { w.fast.flush() }

// Stats returns the current counters.
func (w *Web) Stats() Stats {
	st := w.stats
	for _, x := range w.wires {
		if x == nil || x.closed {
			continue
		}
		if x.raw == nil || x.raw.open() {
			st.Sockets++
		}
		if x.slow != nil {
			s := x.slow.Stats()
			st.Dropped += s.Dropped
			st.Unsent += s.Stale
		}
	}
	return st
}

// Close closes all transports. It waits up to 250 ms in total for the closing handshakes of TLS connections. A second call
// has no effect.
func (w *Web) Close() error {
	if w.closed {
		return nil
	}
	for _, x := range w.wires {
		if x != nil {
			_ = x.Close()
		}
	}
	w.closed = true
	w.fast.close()
	w.closing.Wait()
	return nil
}

// webWire is the transport of one client.
type webWire struct {
	all    *Web
	number int
	raw    *raw            // nil: use slow
	slow   *websocket.Wire // has its own goroutines
	closed bool

	waiting netsys.Datagram // valid while waits
	waits   bool
	deliver func(netsys.Datagram) // callback for slow
}

var _ netsys.Wire = (*webWire)(nil)

// Poll implements [netsys.Wire].
func (x *webWire) Poll(_ time.Time, deliver func(netsys.Datagram)) {
	if x.waits {
		x.waits = false
		deliver(x.waiting)
	}
}

// Send implements [netsys.Wire]. If the server has ended the connection, Send drops the datagram and returns nil, as for a
// vanished UDP peer.
func (x *webWire) Send(now time.Time, to netip.AddrPort, b []byte) error {
	w := x.all
	switch {
	case len(b) > netsys.MaxDatagram:
		return netsys.ErrTooLarge
	case x.closed:
		return netsys.ErrClosed
	case to != w.server:
		return fmt.Errorf("manysockets: Send to %v by a set that was dialed to %v", to, w.server)
	case x.raw == nil:
		if err := x.slow.Send(now, to, b); err != nil {
			return err
		}
	case !w.fast.send(x, b):
		w.stats.Unsent++
		return netsys.ErrFull
	}
	return nil
}

// LocalAddr implements [netsys.Wire]. It returns the local address if known.
func (x *webWire) LocalAddr() netip.AddrPort {
	if x.raw != nil {
		return x.raw.local
	}
	return x.slow.LocalAddr()
}

// Close implements [netsys.Wire]. It does not wait.
func (x *webWire) Close() error {
	if x.closed {
		return nil
	}
	x.closed = true
	if x.raw != nil {
		x.all.fast.end(x)
		return nil
	}
	x.all.slow--
	x.all.closing.Go(func() { _ = x.slow.Close() })
	return nil
}
