package router

import (
	"net/netip"
	"slices"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

const (
	// inboxEach is how many datagrams of each seat may wait for a room's tick.
	inboxEach = 32
	// outMost is how many bytes a port collects before it sends by itself.
	outMost = 64 << 10
)

// Port is the wire of a room. Like every wire it belongs to one goroutine, but for Settle and Vacate.
type Port struct {
	router *Router
	inbox  *netsys.Inbox
	out    outbox
	now    time.Time
	closed bool

	// of the poll that is being served
	deliver func(netsys.Datagram)
	hand    func(netsys.Datagram)

	// under the router's lock
	seats  []seat
	misses bool // a client was not heard from for a while
}

var (
	_ netsys.Wire    = (*Port)(nil)
	_ netsys.Flusher = (*Port)(nil)
)

// seat is where a client is.
type seat struct {
	at   netip.AddrPort // of the client
	asks netip.AddrPort // of who asks for a session
}

// outbox is what a port has collected.
type outbox struct {
	to    []netip.AddrPort
	ends  []int
	bytes []byte
}

func (o *outbox) add(to netip.AddrPort, b []byte) {
	o.bytes = append(o.bytes, b...)
	o.to, o.ends = append(o.to, to), append(o.ends, len(o.bytes))
}

func (o *outbox) at(i int) (to netip.AddrPort, b []byte) {
	from := 0
	if i > 0 {
		from = o.ends[i-1]
	}
	return o.to[i], o.bytes[from:o.ends[i]]
}

func (o *outbox) clear() { o.to, o.ends, o.bytes = o.to[:0], o.ends[:0], o.bytes[:0] }

// Port returns a wire for a room of so many seats.
func (r *Router) Port(seats int) *Port {
	p := &Port{router: r, inbox: netsys.NewInbox(max(seats, 2) * inboxEach), seats: make([]seat, seats)}
	p.hand = func(d netsys.Datagram) {
		if d.At.After(p.now) {
			d.At = p.now
		}
		p.deliver(d)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ports = append(r.ports, p)
	return p
}

// Poll implements [netsys.Wire]: it takes in what has come for all ports, and delivers what is this one's.
func (p *Port) Poll(now time.Time, deliver func(netsys.Datagram)) {
	if p.closed {
		return
	}
	p.router.Poll(now)
	p.now, p.deliver = now, deliver
	// What another room has taken in a moment later is here, too.
	p.inbox.Drain(now.Add(sweepTime), p.hand)
	p.deliver = nil
}

// Send implements [netsys.Wire]: what is sent leaves with Flush.
func (p *Port) Send(now time.Time, to netip.AddrPort, b []byte) error {
	switch {
	case p.closed:
		return netsys.ErrClosed
	case len(b) > netsys.MaxDatagram:
		return netsys.ErrTooLarge
	}
	if p.out.add(to, b); len(p.out.bytes) >= outMost {
		p.Flush(now)
	}
	return nil
}

// Flush implements [netsys.Flusher].
func (p *Port) Flush(now time.Time) {
	if len(p.out.ends) > 0 {
		p.router.send(now, p)
		p.out.clear()
	}
}

// LocalAddr implements [netsys.Wire]: it is that of the first wire.
func (p *Port) LocalAddr() netip.AddrPort { return p.router.config.Wires[0].LocalAddr() }

// PeerAddr is the ordinary form of an address that a wire delivered from: one that serves WebSockets marks theirs.
func (p *Port) PeerAddr(from netip.AddrPort) netip.AddrPort {
	for _, w := range p.router.config.Wires {
		if x, ok := w.(interface {
			PeerAddr(from netip.AddrPort) netip.AddrPort
		}); ok {
			from = x.PeerAddr(from)
		}
	}
	return from
}

// Close implements [netsys.Wire]: it sends what was collected, and takes the port and its addresses out of the router.
// The wires stay open.
func (p *Port) Close() error {
	if p.closed {
		return nil
	}
	p.Flush(p.now)
	p.closed = true
	r := p.router
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ports = slices.DeleteFunc(r.ports, func(x *Port) bool { return x == p })
	for i := range p.seats {
		r.unask(&p.seats[i])
		r.vacate(&p.seats[i])
	}
	return nil
}

// Settle says that the client of a seat is at an address, and nowhere else.
func (p *Port) Settle(seat uint16, at netip.AddrPort) {
	r := p.router
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &p.seats[seat]
	to := r.routes[at]
	if to != nil && (to.port != p || to.seat != seat) {
		r.forget(at, to) // its own sessions have decided: the address is this client's
		to = nil
	}
	wire := r.wireOf(at)
	if s.at != at {
		r.vacate(s)
	}
	if s.asks == at {
		s.asks = netip.AddrPort{}
	}
	if to == nil {
		to = &route{port: p, wire: wire, seat: seat}
		r.routes[at] = to
		delete(r.strays, at)
	}
	to.here, to.heard, s.at = true, r.now, at
	r.config.Reader.Met(at)
}

// Vacate says that a seat has no client any more.
func (p *Port) Vacate(seat uint16) {
	p.router.mu.Lock()
	defer p.router.mu.Unlock()
	p.router.vacate(&p.seats[seat])
}

func (r *Router) vacate(s *seat) {
	if s.at.IsValid() {
		delete(r.routes, s.at)
		s.at = netip.AddrPort{}
	}
}
