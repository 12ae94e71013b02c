package rooms

import (
	"net/netip"
	"slices"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

const (
	// inboxPerSeat is the number of datagrams per seat that may wait for a room's tick.
	inboxPerSeat = 32
	// maxOutbox is the number of bytes that a port collects before sending.
	maxOutbox = 64 << 10
)

// port is the transport of a room. It belongs to one goroutine, but any goroutine may call setAddress and clearAddress.
type port struct {
	router *router
	inbox  *netsys.Inbox
	out    outbox
	now    time.Time
	closed bool

	// Valid during a poll:
	deliver    func(netsys.Datagram)
	deliverDue func(netsys.Datagram)

	// Guarded by the router's lock:
	seats  []portSeat
	silent bool // a client has been silent for a while
}

var (
	_ netsys.Wire    = (*port)(nil)
	_ netsys.Flusher = (*port)(nil)
)

// portSeat holds the addresses of a seat.
type portSeat struct {
	client    netip.AddrPort // of the connected client
	requester netip.AddrPort // of a client that requests a session
}

// outbox is the datagrams that a port has collected.
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

// newPort returns a transport for a room with the given number of seats.
func (r *router) newPort(seats int) *port {
	p := &port{router: r, inbox: netsys.NewInbox(max(seats, 2) * inboxPerSeat), seats: make([]portSeat, seats)}
	p.deliverDue = func(d netsys.Datagram) {
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

// Poll implements [netsys.Wire]. It receives for all ports and delivers this port's datagrams.
func (p *port) Poll(now time.Time, deliver func(netsys.Datagram)) {
	if p.closed {
		return
	}
	p.router.poll(now)
	p.now, p.deliver = now, deliver
	// The inbox also has datagrams that another room's poll received slightly later than now.
	p.inbox.Drain(now.Add(sweepInterval), p.deliverDue)
	p.deliver = nil
}

// Send implements [netsys.Wire]. Flush sends the datagram.
func (p *port) Send(now time.Time, to netip.AddrPort, b []byte) error {
	switch {
	case p.closed:
		return netsys.ErrClosed
	case len(b) > netsys.MaxDatagram:
		return netsys.ErrTooLarge
	}
	if p.out.add(to, b); len(p.out.bytes) >= maxOutbox {
		p.Flush(now)
	}
	return nil
}

// Flush implements [netsys.Flusher].
func (p *port) Flush(now time.Time) {
	if len(p.out.ends) > 0 {
		p.router.send(now, p)
		p.out.clear()
	}
}

// LocalAddr implements [netsys.Wire]. It returns the address of the first transport.
func (p *port) LocalAddr() netip.AddrPort { return p.router.config.wires[0].LocalAddr() }

// PeerAddr returns the ordinary form of an address. Transports for WebSocket deliver marked addresses.
func (p *port) PeerAddr(from netip.AddrPort) netip.AddrPort {
	for _, w := range p.router.config.wires {
		if x, ok := w.(interface {
			PeerAddr(from netip.AddrPort) netip.AddrPort
		}); ok {
			from = x.PeerAddr(from)
		}
	}
	return from
}

// Close implements [netsys.Wire]. It flushes, and removes the port and its addresses from the router. The transports stay
// open.
func (p *port) Close() error {
	if p.closed {
		return nil
	}
	p.Flush(p.now)
	p.closed = true
	r := p.router
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ports = slices.DeleteFunc(r.ports, func(x *port) bool { return x == p })
	for i := range p.seats {
		r.removeRequest(&p.seats[i])
		r.removeClient(&p.seats[i])
	}
	return nil
}

// setAddress sets the address of a seat's client and removes its previous address.
func (p *port) setAddress(seat uint16, at netip.AddrPort) {
	r := p.router
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &p.seats[seat]
	to := r.routes[at]
	if to != nil && (to.port != p || to.seat != seat) {
		r.removeRoute(at, to) // the room's sessions have assigned the address to this client
		to = nil
	}
	wire := r.wireOf(at)
	if s.client != at {
		r.removeClient(s)
	}
	if s.requester == at {
		s.requester = netip.AddrPort{}
	}
	if to == nil {
		to = &route{port: p, wire: wire, seat: seat}
		r.routes[at] = to
		delete(r.strays, at)
	}
	to.here, to.heard, s.client = true, r.now, at
	r.config.reader.Met(at)
}

// clearAddress records that a seat has no client.
func (p *port) clearAddress(seat uint16) {
	p.router.mu.Lock()
	defer p.router.mu.Unlock()
	p.router.removeClient(&p.seats[seat])
}

// removeClient removes the address of a seat's client.
func (r *router) removeClient(s *portSeat) {
	if s.client.IsValid() {
		delete(r.routes, s.client)
		s.client = netip.AddrPort{}
	}
}
