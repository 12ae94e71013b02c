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

// Web is the wires of many clients to one server over WebSocket, with a connection each. Make it with [Config.Web].
type Web struct {
	url    string
	server netip.AddrPort
	wires  []*webWire // nil: not connected yet
	turn   int        // the client on a goroutine's connection that is looked at next
	slow   int        // how many of these there are
	fast   fast
	stats  Stats

	arrived func(n int)
	closing sync.WaitGroup
	closed  bool
}

// Connection is a connection of a [Web] that no client has yet: see [Web.Connect].
type Connection struct {
	raw  *raw // read and written by the Web itself; nil: slow is
	slow *websocket.Wire
}

// webTime bounds a connection's handshake.
const webTime = 10 * time.Second

// Connect makes a connection for a client that is to have one; it blocks until the handshake is done, at most 10 s, or ctx
// ends. It may be called by several goroutines at once. Give what it returns to [Web.Wire], or close it.
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

// Close ends a connection that no client has.
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

// RemoteAddr stands for the server, for NewClient.
func (w *Web) RemoteAddr() netip.AddrPort { return w.server }

// deliver gives a datagram to a client.
func (w *Web) deliver(x *webWire, d netsys.Datagram) {
	x.waiting, x.waits = d, true
	w.arrived(x.number)
	x.waits = false
}

// slowTurns is in how many polls each connection on goroutines is looked at once: about a tick.
const slowTurns = 16

// Poll takes in what has come for all clients and calls arrived with the number of a client once for each datagram; the
// client's wire delivers it within that call, to [netsys.Client.Poll] for example, or it is lost. now must come from
// time.Now. It never blocks.
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

// Flush sends what sockets had no room for before. It never blocks.
func (w *Web) Flush(time.Time) { w.fast.flush() }

// Stats counts what happened so far.
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

// Close closes all wires. It waits, all together up to a quarter of a second, for connections over TLS to say goodbye.
// Closing twice is harmless.
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

// webWire is that of one client.
type webWire struct {
	all    *Web
	number int
	raw    *raw            // nil: slow
	slow   *websocket.Wire // on goroutines of its own
	closed bool

	waiting netsys.Datagram // while waits
	waits   bool
	deliver func(netsys.Datagram) // of slow
}

var _ netsys.Wire = (*webWire)(nil)

// Poll implements [netsys.Wire].
func (x *webWire) Poll(_ time.Time, deliver func(netsys.Datagram)) {
	if x.waits {
		x.waits = false
		deliver(x.waiting)
	}
}

// Send implements [netsys.Wire]. To a server that has ended the connection it sends nothing, as to a UDP peer that is gone.
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

// LocalAddr implements [netsys.Wire] with the address of this end where it is known.
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
