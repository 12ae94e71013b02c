//go:build !js

package webtransport

import (
	"net/netip"
	"sync"
	"time"
)

const (
	// drainTime is how long Close waits until queued datagrams are passed to QUIC.
	drainTime = 250 * time.Millisecond
	// leaveTime is how long QUIC then has to send them. It does not report when it has, and drops them when a connection
	// closes.
	leaveTime = 20 * time.Millisecond
)

// Stats counts events of a [Listener].
type Stats struct {
	// Connections is the current number of connections. Sessions is the number of those with a session.
	Connections, Sessions int
	// Accepted counts sessions that started.
	Accepted uint64
	// Crowded counts connections refused because of the limits in total or per address.
	Crowded uint64
	// Refused counts session requests answered with an error: a wrong path, or a page that may not connect.
	Refused uint64
	// Unanswered counts connections closed because the server sent nothing to them, or because they started no session.
	Unanswered uint64
	// Flooded counts datagrams dropped because of Config.PerSecond. TooLong counts datagrams longer than
	// netsys.MaxDatagram.
	Flooded, TooLong uint64
	// Dropped counts datagrams dropped because too many waited for Poll.
	Dropped uint64
	// Stale counts outgoing datagrams that newer ones replaced in a full queue.
	Stale uint64
}

// crowd is the set of connections of a listener.
type crowd struct {
	mu    sync.Mutex
	peers map[netip.AddrPort]*peer // peers with a session, by address
	open  map[netip.Addr]int       // number of connections by network
	total int
	stats Stats
}

// admit counts a connection. It returns false if there are too many.
func (c *crowd) admit(network netip.Addr, config *Config) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	most := config.PerAddress
	switch {
	case most == 0 && network.IsLoopback():
		most = config.Connections
	case most == 0:
		most = defaultPerAddress
	}
	if c.total >= config.Connections || c.open[network] >= most {
		c.stats.Crowded++
		return false
	}
	c.total++
	c.open[network]++
	return true
}

// busy reports whether a quarter of the allowed connections is in use. New connections must then prove their address, which
// takes a round trip. Without this proof, an attacker with forged addresses could fill all places faster than they time
// out.
func (c *crowd) busy(config *Config) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return 4*c.total >= config.Connections
}

// leave undoes admit.
func (c *crowd) leave(network netip.Addr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total--
	if c.open[network]--; c.open[network] == 0 {
		delete(c.open, network)
	}
}

// enter adds a session; exit removes it.
func (c *crowd) enter(at netip.AddrPort, p *peer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Accepted++
	c.peers[at] = p
}

func (c *crowd) exit(at netip.AddrPort, p *peer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Stale += p.out.Dropped()
	if c.peers[at] == p {
		delete(c.peers, at)
	}
}

// at returns the peer with a session from an address, or nil.
func (c *crowd) at(from netip.AddrPort) *peer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peers[from]
}

// count updates the counters.
func (c *crowd) count(f func(s *Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.stats)
}

// figures returns a copy of the counters.
func (c *crowd) figures() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Connections, s.Sessions = c.total, len(c.peers)
	for _, p := range c.peers {
		s.Stale += p.out.Dropped()
	}
	return s
}

// drain stops further sending, and waits up to drainTime until the queues are empty.
func (c *crowd) drain() {
	c.mu.Lock()
	waits := make([]*peer, 0, len(c.peers))
	for _, p := range c.peers {
		p.out.Close()
		waits = append(waits, p)
	}
	c.mu.Unlock()
	enough := time.After(drainTime)
	for _, p := range waits {
		select {
		case <-p.written:
		case <-enough:
			return
		}
	}
	if len(waits) > 0 {
		time.Sleep(leaveTime)
	}
}
