package swarm

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/fleet"
	"github.com/tactusgo/tactus/netsys/websocket"
)

// web is the wires of clients over WebSocket: a connection each, which two goroutines serve.
type web struct {
	url     string
	wires   []*webWire // nil: not connected yet
	turn    int        // the client that is looked after next
	stats   fleet.Stats
	closing sync.WaitGroup

	mu     sync.Mutex
	server netip.AddrPort // as wires know it
}

// webWire is that of one client, which delivers within web.Poll.
type webWire struct {
	*websocket.Wire
	all     *web
	waiting netsys.Datagram
	waits   bool
	closed  bool
	deliver func(netsys.Datagram)
}

// newWeb makes wires for so many clients of a server, given as "host:port" or URL.
func newWeb(addr string, clients, sockets int) (*web, error) {
	if sockets == 0 {
		sockets = defaultSockets
	}
	if clients > sockets {
		return nil, fmt.Errorf("%w: %d clients over WebSocket need a socket each, and Sockets allows %d: raise it, or run fewer clients", ErrConfig, clients, sockets)
	}
	if !strings.Contains(addr, "://") {
		addr = "ws://" + addr
	}
	return &web{url: addr, wires: make([]*webWire, clients)}, nil
}

// webTime bounds a connection's handshake.
const webTime = 10 * time.Second

// dial connects a client; it blocks, and may be called by any goroutine.
func (w *web) dial(ctx context.Context) (netsys.Wire, error) {
	ctx, cancel := context.WithTimeout(ctx, webTime)
	defer cancel()
	on, err := websocket.Dial(ctx, w.url)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.server = on.RemoteAddr()
	return on, nil
}

// take gives a client its connection.
func (w *web) take(n int, on netsys.Wire, arrived func(n int)) netsys.Wire {
	x := &webWire{Wire: on.(*websocket.Wire), all: w}
	x.deliver = func(d netsys.Datagram) {
		w.stats.Received++
		x.waiting, x.waits = d, true
		arrived(n)
		x.waits = false
	}
	w.wires[n] = x
	return x
}

// Wire implements carrier: connections are dialed elsewhere, since that blocks.
func (w *web) Wire(n int) (netsys.Wire, error) {
	panic(fmt.Sprintf("swarm: the connection of client %d was not dialed", n))
}

// RemoteAddr implements carrier.
func (w *web) RemoteAddr() netip.AddrPort {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.server
}

// webTurns is in how many polls each client is looked after once: about a tick.
const webTurns = 16

// Poll implements carrier. Connections note the time of arrival themselves.
func (w *web) Poll(now time.Time, _ func(n int)) {
	for range (len(w.wires) + webTurns - 1) / webTurns {
		if w.turn++; w.turn >= len(w.wires) {
			w.turn = 0
		}
		if x := w.wires[w.turn]; x != nil && !x.closed {
			x.Wire.Poll(now, x.deliver)
		}
	}
}

// Flush implements carrier.
func (w *web) Flush(time.Time) {}

// Stats implements carrier.
func (w *web) Stats() fleet.Stats {
	st := w.stats
	for _, x := range w.wires {
		if x != nil && !x.closed {
			st.Sockets++
			s := x.Wire.Stats()
			st.Dropped += s.Dropped
			st.Unsent += s.Stale
		}
	}
	return st
}

// Close implements carrier. It waits for those that were closed before, too: all together up to a quarter of a second.
func (w *web) Close() error {
	for _, x := range w.wires {
		if x != nil {
			_ = x.Close()
		}
	}
	w.closing.Wait()
	return nil
}

// Poll implements [netsys.Wire].
func (x *webWire) Poll(_ time.Time, deliver func(netsys.Datagram)) {
	if x.waits {
		x.waits = false
		deliver(x.waiting)
	}
}

// Send implements [netsys.Wire].
func (x *webWire) Send(now time.Time, to netip.AddrPort, b []byte) error {
	err := x.Wire.Send(now, to, b)
	if err == nil {
		x.all.stats.Sent++
	}
	return err
}

// Close implements [netsys.Wire]. It does not wait.
func (x *webWire) Close() error {
	if x.closed {
		return nil
	}
	x.closed = true
	x.all.closing.Go(func() { _ = x.Wire.Close() })
	return nil
}
