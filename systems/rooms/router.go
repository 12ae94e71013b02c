package rooms

import (
	"net/netip"
	"sync"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const (
	// sweepInterval is the interval of the search for silent addresses.
	sweepInterval = 100 * time.Millisecond
	// silenceTimeout is the silence after which a client may have changed its address.
	silenceTimeout = 250 * time.Millisecond
	// requestTimeout is how long a silent address keeps its route after a session request.
	requestTimeout = time.Second
	// unansweredTimeout is how long an address without a session is kept after its request.
	unansweredTimeout = 15 * time.Second
	// maxStrays is the number of datagrams from unknown addresses passed to rooms between two sweeps. Each receiving room
	// counts.
	maxStrays = 1000
)

// routerConfig configures a router.
type routerConfig struct {
	// wires are the transports. The router reads, writes and closes them.
	wires []netsys.Wire
	// reader reads requests.
	reader *netcode.Reader
	// find returns the port and seat for a request, or nil. It is called with the router locked.
	find func(now time.Time, a netcode.Asked) (p *port, seat uint16)
}

// Drops counts the datagrams that no room received, by reason.
type Drops struct {
	Requests netcode.Drops // requests, by the reader's reason
	Roomless uint64        // requests for rooms of other processes or ended rooms
	Strays   uint64        // datagrams from unknown addresses that were passed to no room
	Full     uint64        // datagrams for a full inbox
	Unsent   uint64        // datagrams refused by a transport, except those that it sends later, such as netsys/eventloop
}

// router passes the datagrams of a process's transports to the ports of its rooms, and sends the ports' datagrams. Any
// goroutine may use it.
//
// A datagram from a known address is passed to the room of that address unread. The router decrypts only session requests,
// once, to find the room. The room's own sessions check the request again and do all other encryption, on the room's
// goroutine.
//
// A seat has at most two addresses: that of its client, and that of a requester with a valid token. Without tokens nobody
// can fill the table. Datagrams from unknown addresses go to rooms with a silent client, whose address may have changed;
// their number is limited.
type router struct {
	mu        sync.Mutex
	config    routerConfig
	routes    map[netip.AddrPort]*route
	ports     []*port
	strays    map[netip.AddrPort]int // unknown addresses and the transports of their datagrams
	receivers []func(netsys.Datagram)
	senders   []sender // of the transports
	now       time.Time
	swept     time.Time
	spent     int // of strayMost
	drops     Drops
	closed    bool
}

// sender sends datagrams on a transport. It may collect them until the transport is flushed.
type sender interface {
	Send(now time.Time, to netip.AddrPort, b []byte) error
}

// route is the destination of an address's datagrams.
type route struct {
	port  *port
	wire  int
	seat  uint16
	here  bool // the address of a client, otherwise of a requester
	heard time.Time
}

// newRouter returns a router without ports.
func newRouter(c routerConfig) *router {
	r := &router{config: c, routes: make(map[netip.AddrPort]*route), strays: make(map[netip.AddrPort]int)}
	for i, w := range c.wires {
		r.receivers = append(r.receivers, func(d netsys.Datagram) { r.receive(i, d) })
		var out sender = w
		if w, ok := w.(netsys.ParallelWire); ok {
			out = w.Senders(1)[0]
		}
		r.senders = append(r.senders, out)
	}
	return r
}

// clockSet is how far back a time is that shows that the clock was set. Rooms poll at slightly different times.
const clockSet = time.Second

// restart goes on at a time before the latest, after the clock was set back: silence counts from there.
func (r *router) restart(now time.Time) {
	r.now, r.swept = now, now
	for _, x := range r.routes {
		x.heard = now
	}
}

// poll receives from all transports and passes the datagrams to the ports. A now slightly before the latest counts as the latest.
func (r *router) poll(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if now.After(r.now) {
		r.now = now
	} else if r.now.Sub(now) > clockSet {
		r.restart(now)
	}
	for i, w := range r.config.wires {
		w.Poll(r.now, r.receivers[i])
	}
	if r.now.Sub(r.swept) >= sweepInterval {
		r.sweep()
	}
}

// receive passes on one datagram.
func (r *router) receive(wire int, d netsys.Datagram) {
	to := r.routes[d.From]
	if netcode.IsRequest(d.Data) {
		to = r.findRoute(wire, to, d)
		if to == nil {
			return
		}
	}
	if to == nil || to.wire != wire {
		r.handToSilent(wire, d)
		return
	}
	to.heard = r.now
	r.deliver(to.port, d)
}

func (r *router) deliver(p *port, d netsys.Datagram) {
	if !p.inbox.Put(d.From, d.At, d.Data) {
		r.drops.Full++
	}
}

// findRoute returns the route of a session request, or nil if the router drops it.
func (r *router) findRoute(wire int, known *route, d netsys.Datagram) *route {
	asked, drop := r.config.reader.Read(r.now, d.From, d.Data)
	if drop != netcode.DropNone {
		r.drops.Requests[drop]++
		return nil
	}
	port, seat := r.config.find(r.now, asked)
	if port == nil {
		r.drops.Roomless++
		return nil
	}
	if known != nil && known.port == port && known.seat == seat && known.wire == wire {
		return known
	}
	if known != nil && (known.here || r.now.Sub(known.heard) < requestTimeout) {
		r.drops.Requests[netcode.DropConnected]++ // the address has a session or requests another one
		return nil
	}
	s := &port.seats[seat]
	if other := r.routes[s.requester]; other != nil && s.requester != d.From && r.now.Sub(other.heard) < requestTimeout {
		r.drops.Requests[netcode.DropTokenUsed]++ // another address is using the token
		return nil
	}
	if known != nil {
		r.removeRoute(d.From, known)
	}
	r.removeRequest(s)
	to := &route{port: port, wire: wire, seat: seat, heard: r.now}
	r.routes[d.From], s.requester = to, d.From
	return to
}

// removeRequest removes the requester of a seat.
func (r *router) removeRequest(s *portSeat) {
	if s.requester.IsValid() {
		if to := r.routes[s.requester]; to != nil && !to.here {
			delete(r.routes, s.requester)
		}
		s.requester = netip.AddrPort{}
	}
}

// removeRoute removes an address.
func (r *router) removeRoute(at netip.AddrPort, to *route) {
	delete(r.routes, at)
	s := &to.port.seats[to.seat]
	if s.requester == at {
		s.requester = netip.AddrPort{}
	}
	if s.client == at {
		s.client = netip.AddrPort{}
	}
}

// handToSilent passes a datagram from an unknown address to the rooms with a silent client.
func (r *router) handToSilent(wire int, d netsys.Datagram) {
	handed := false
	for _, p := range r.ports {
		if !p.silent || r.spent >= maxStrays {
			continue
		}
		r.spent++
		handed = true
		r.deliver(p, d)
	}
	if !handed {
		r.drops.Strays++
		return
	}
	if len(r.strays) >= maxStrays {
		clear(r.strays)
	}
	r.strays[d.From] = wire
}

// sweep finds the rooms with silent clients, and removes requesters without a session.
func (r *router) sweep() {
	r.swept, r.spent = r.now, 0
	for _, p := range r.ports {
		p.silent = false
	}
	for at, to := range r.routes {
		silent := r.now.Sub(to.heard)
		switch {
		case !to.here && silent >= unansweredTimeout:
			r.removeRoute(at, to)
		case to.here && silent >= silenceTimeout:
			to.port.silent = true
		}
	}
	if len(r.ports) > 1 { // whose turn it is to be handed strays first
		r.ports = append(r.ports[1:], r.ports[0])
	}
}

// send sends what a port has collected.
func (r *router) send(now time.Time, p *port) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	for i := range p.out.ends {
		to, b := p.out.at(i)
		if err := r.senders[r.wireOf(to)].Send(now, to, b); err != nil {
			r.drops.Unsent++
		}
	}
	for _, w := range r.config.wires {
		if f, ok := w.(netsys.Flusher); ok {
			f.Flush(now)
		}
	}
}

// wireOf returns the number of the wire that reaches an address.
func (r *router) wireOf(to netip.AddrPort) int {
	if len(r.config.wires) == 1 {
		return 0
	}
	if x := r.routes[to]; x != nil {
		return x.wire
	}
	return r.strays[to]
}

// readDrops returns the counts of datagrams that no room was given.
func (r *router) readDrops() Drops {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.drops
}

// routeCount returns how many addresses are known.
func (r *router) routeCount() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.routes)
}

// knows reports whether an address is known.
func (r *router) knows(at netip.AddrPort) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.routes[at] != nil
}

// close closes the wires. Ports send nothing after that.
func (r *router) close() (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	for _, w := range r.config.wires {
		if e := w.Close(); e != nil && err == nil {
			err = e
		}
	}
	return err
}
