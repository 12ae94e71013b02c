package swarm

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/devtools/swarm/internal/manysockets"
)

// wires is a carrier for [Config.Wire].
type wires struct {
	open   func(n int) (netsys.Wire, error)
	server netip.AddrPort
	first  int // number of client 0
	all    []netsys.Wire
}

func newWires(c *Config, first, clients int) (*wires, error) {
	server, err := netip.ParseAddrPort(c.Addr)
	if err != nil {
		return nil, fmt.Errorf("%w: Addr %q: with Wire, write an address and a port, such as 127.0.0.1:7777", ErrConfig, c.Addr)
	}
	return &wires{open: c.Wire, server: server, first: first, all: make([]netsys.Wire, clients)}, nil
}

// Wire implements carrier.
func (x *wires) Wire(n int) (netsys.Wire, error) {
	w, err := x.open(x.first + n)
	x.all[n] = w
	return w, err
}

// RemoteAddr implements carrier.
func (x *wires) RemoteAddr() netip.AddrPort { return x.server }

// Poll implements carrier. It skips a transport whose next arrival is not due.
func (x *wires) Poll(now time.Time, arrived func(n int)) {
	for n, w := range x.all {
		if w == nil {
			continue
		}
		if s, ok := w.(interface{ NextDue() (time.Time, bool) }); ok {
			if at, any := s.NextDue(); !any || at.After(now) {
				continue
			}
		}
		arrived(n)
	}
}

// Flush implements carrier.
func (x *wires) Flush(now time.Time) {
	for _, w := range x.all {
		if f, ok := w.(netsys.Flusher); ok {
			f.Flush(now)
		}
	}
}

// Stats implements carrier.
func (x *wires) Stats() manysockets.Stats { return manysockets.Stats{} }

// Close implements carrier. The transports stay open; they belong to the caller.
func (x *wires) Close() error { return nil }
