package router

import (
	"net/netip"
	"sync"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const (
	// sweepTime is between looks at who was not heard from.
	sweepTime = 100 * time.Millisecond
	// missTime is after how long a silent client may have another address.
	missTime = 250 * time.Millisecond
	// askTime is for how long an address keeps its place that asks for a session and falls silent.
	askTime = time.Second
	// lateTime is for how long an address is kept that asked and got no session.
	lateTime = 15 * time.Second
	// strayMost is how many datagrams of nobody are handed to rooms between two sweeps, each counted for each room.
	strayMost = 1000
)

// Config configures a router.
type Config struct {
	// Wires are what it reads and writes, which belong to it from then on.
	Wires []netsys.Wire
	// Reader reads requests.
	Reader *netcode.Reader
	// Find is who a request is for: a port and the number of a seat. It is called with the router locked.
	Find func(now time.Time, a netcode.Asked) (p *Port, seat uint16)
}

// Drops counts what nobody got.
type Drops struct {
	Requests netcode.Drops // requests, by what the reader said
	Roomless uint64        // requests for rooms that are not here
	Strays   uint64        // datagrams from addresses that nobody knows, which no room was handed
	Full     uint64        // datagrams for which an inbox had no room
	Unsent   uint64        // datagrams that a wire refused
}

// Router hands datagrams to ports, and from ports to wires. Any goroutine may use it.
type Router struct {
	mu     sync.Mutex
	config Config
	routes map[netip.AddrPort]*route
	ports  []*Port
	strays map[netip.AddrPort]int // wires by which they came
	take   []func(netsys.Datagram)
	now    time.Time
	swept  time.Time
	spent  int // of strayMost
	drops  Drops
	closed bool
}

// route is where the datagrams of an address go.
type route struct {
	port  *Port
	wire  int
	seat  uint16
	here  bool // a client is there; else somebody who asks
	heard time.Time
}

// New returns a router without ports.
func New(c Config) *Router {
	r := &Router{config: c, routes: make(map[netip.AddrPort]*route), strays: make(map[netip.AddrPort]int)}
	for i := range c.Wires {
		r.take = append(r.take, func(d netsys.Datagram) { r.receive(i, d) })
	}
	return r
}

// Poll takes in what has come, for all ports. Time does not go back: an earlier now counts as the latest.
func (r *Router) Poll(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if now.After(r.now) {
		r.now = now
	}
	for i, w := range r.config.Wires {
		w.Poll(r.now, r.take[i])
	}
	if r.now.Sub(r.swept) >= sweepTime {
		r.sweep()
	}
}

// receive hands on one datagram.
func (r *Router) receive(wire int, d netsys.Datagram) {
	to := r.routes[d.From]
	if netcode.IsRequest(d.Data) {
		to = r.request(wire, to, d)
		if to == nil {
			return
		}
	}
	if to == nil || to.wire != wire {
		r.stray(wire, d)
		return
	}
	to.heard = r.now
	r.put(to.port, d)
}

func (r *Router) put(p *Port, d netsys.Datagram) {
	if !p.inbox.Put(d.From, d.At, d.Data) {
		r.drops.Full++
	}
}

// request is the route of who asks for a session, nil where that leads nowhere.
func (r *Router) request(wire int, known *route, d netsys.Datagram) *route {
	asked, drop := r.config.Reader.Read(r.now, d.From, d.Data)
	if drop != netcode.DropNone {
		r.drops.Requests[drop]++
		return nil
	}
	port, seat := r.config.Find(r.now, asked)
	if port == nil {
		r.drops.Roomless++
		return nil
	}
	if known != nil && known.port == port && known.seat == seat && known.wire == wire {
		return known
	}
	if known != nil && (known.here || r.now.Sub(known.heard) < askTime) {
		r.drops.Requests[netcode.DropConnected]++ // it has a session, or asks for another
		return nil
	}
	s := &port.seats[seat]
	if other := r.routes[s.asks]; other != nil && s.asks != d.From && r.now.Sub(other.heard) < askTime {
		r.drops.Requests[netcode.DropTokenUsed]++ // another address is using it
		return nil
	}
	if known != nil {
		r.forget(d.From, known)
	}
	r.unask(s)
	to := &route{port: port, wire: wire, seat: seat, heard: r.now}
	r.routes[d.From], s.asks = to, d.From
	return to
}

// unask forgets who asked for a seat.
func (r *Router) unask(s *seat) {
	if s.asks.IsValid() {
		if to := r.routes[s.asks]; to != nil && !to.here {
			delete(r.routes, s.asks)
		}
		s.asks = netip.AddrPort{}
	}
}

// forget forgets an address.
func (r *Router) forget(at netip.AddrPort, to *route) {
	delete(r.routes, at)
	s := &to.port.seats[to.seat]
	if s.asks == at {
		s.asks = netip.AddrPort{}
	}
	if s.at == at {
		s.at = netip.AddrPort{}
	}
}

// stray hands a datagram of nobody to the rooms that miss somebody.
func (r *Router) stray(wire int, d netsys.Datagram) {
	handed := false
	for _, p := range r.ports {
		if !p.misses || r.spent >= strayMost {
			continue
		}
		r.spent++
		handed = true
		r.put(p, d)
	}
	if !handed {
		r.drops.Strays++
		return
	}
	if len(r.strays) >= strayMost {
		clear(r.strays)
	}
	r.strays[d.From] = wire
}

// sweep looks which rooms miss somebody, and forgets who asked in vain.
func (r *Router) sweep() {
	r.swept, r.spent = r.now, 0
	for _, p := range r.ports {
		p.misses = false
	}
	for at, to := range r.routes {
		silent := r.now.Sub(to.heard)
		switch {
		case !to.here && silent >= lateTime:
			r.forget(at, to)
		case to.here && silent >= missTime:
			to.port.misses = true
		}
	}
	if len(r.ports) > 1 { // whose turn it is to be handed strays first
		r.ports = append(r.ports[1:], r.ports[0])
	}
}

// send sends what a port has collected.
func (r *Router) send(now time.Time, p *Port) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	for i := range p.out.ends {
		to, b := p.out.at(i)
		if err := r.config.Wires[r.wireOf(to)].Send(now, to, b); err != nil {
			r.drops.Unsent++
		}
	}
	for _, w := range r.config.Wires {
		if f, ok := w.(netsys.Flusher); ok {
			f.Flush(now)
		}
	}
}

// wireOf is the wire by which an address is reached.
func (r *Router) wireOf(to netip.AddrPort) int {
	if len(r.config.Wires) == 1 {
		return 0
	}
	if x := r.routes[to]; x != nil {
		return x.wire
	}
	return r.strays[to]
}

// Drops counts what nobody got so far.
func (r *Router) Drops() Drops {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.drops
}

// Routes is how many addresses are known.
func (r *Router) Routes() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.routes)
}

// Knows reports whether an address is somebody's.
func (r *Router) Knows(at netip.AddrPort) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.routes[at] != nil
}

// Close closes the wires. Ports send nothing after that.
func (r *Router) Close() (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	for _, w := range r.config.Wires {
		if e := w.Close(); e != nil && err == nil {
			err = e
		}
	}
	return err
}
