//go:build !linux

package manysockets

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Set is the transports of many clients to one server. Make it with [Config.Dial].
type Set struct {
	remote netip.AddrPort
	wires  []*wire // nil: not requested
	closed bool
}

// wire counts datagrams that the system does not send.
type wire struct {
	*netsys.UDP
	unsent uint64
	closed bool
}

// Dial prepares to reach one server, given as "host:port"; a missing host is this machine. Looking the host up may block
// until ctx ends. Errors wrap [ErrAddress], say that there are more clients than sockets, or are the operating system's.
func (c Config) Dial(ctx context.Context, server string) (*Set, error) {
	remote, err := resolve(ctx, server)
	if err != nil {
		return nil, err
	}
	if err := c.oneEach(remote); err != nil {
		return nil, err
	}
	return &Set{remote: remote, wires: make([]*wire, c.Clients)}, nil
}

// Wire returns the transport of client n, 0 to Config.Clients−1. If the client's previous transport was closed, it returns
// a new one. It panics for any other number and if the client's transport is open. The error is the operating system's.
func (f *Set) Wire(n int) (netsys.Wire, error) {
	if n < 0 || n >= len(f.wires) || f.wires[n] != nil && !f.wires[n].closed {
		panic(fmt.Sprintf("manysockets: Wire(%d): a set of %d clients has wires 0 to %d, each open once; close it before asking again", n, len(f.wires), len(f.wires)-1))
	}
	if f.closed {
		return nil, netsys.ErrClosed
	}
	u, err := netsys.DialUDP(context.Background(), f.remote.String())
	if err != nil {
		return nil, fmt.Errorf("manysockets: client %d: %w", n, err)
	}
	f.wires[n] = &wire{UDP: u}
	return f.wires[n], nil
}

// RemoteAddr returns the server's address, for NewClient.
func (f *Set) RemoteAddr() netip.AddrPort { return f.remote }

// Poll calls arrived for every client with a transport, which must be polled within that call to deliver its datagrams. now
// must come from time.Now. Poll never blocks.
func (f *Set) Poll(_ time.Time, arrived func(n int)) {
	for n, w := range f.wires {
		if w != nil && !w.closed {
			arrived(n)
		}
	}
}

// Flush has nothing to send on this system.
func (f *Set) Flush(time.Time) {}

// Stats returns the current counters.
func (f *Set) Stats() (st Stats) {
	for _, w := range f.wires {
		if w == nil {
			continue
		}
		if !w.closed {
			st.Sockets++
		}
		st.Unsent += w.unsent
		st.Dropped += w.Dropped()
	}
	return st
}

// Close closes all transports. A second call has no effect.
func (f *Set) Close() error {
	f.closed = true
	var errs []error
	for _, w := range f.wires {
		if w != nil {
			errs = append(errs, w.Close())
		}
	}
	return errors.Join(errs...)
}

// Send implements [netsys.Wire].
func (w *wire) Send(now time.Time, to netip.AddrPort, b []byte) error {
	err := w.UDP.Send(now, to, b)
	if err != nil {
		w.unsent++
	}
	return err
}

// Close implements [netsys.Wire].
func (w *wire) Close() error {
	w.closed = true
	return w.UDP.Close()
}
