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

// Set is the wires of many clients to one server. Make it with [Config.Dial].
type Set struct {
	remote netip.AddrPort
	wires  []*wire // nil: not asked for
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

// Wire is the wire of a client, 0 to Config.Clients−1; asked again, a fresh one in the place of one that was closed. It
// panics for another number, and for a wire that is open. The error is the operating system's.
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

// RemoteAddr is the server, for NewClient.
func (f *Set) RemoteAddr() netip.AddrPort { return f.remote }

// Poll calls arrived for every client that has a wire: what has come for it is delivered by that. now must come from
// time.Now. It never blocks.
func (f *Set) Poll(_ time.Time, arrived func(n int)) {
	for n, w := range f.wires {
		if w != nil && !w.closed {
			arrived(n)
		}
	}
}

// Flush sends what was collected. It never blocks.
func (f *Set) Flush(time.Time) {}

// Stats counts what happened so far.
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

// Close closes all wires. Closing twice is harmless.
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
