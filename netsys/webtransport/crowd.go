//go:build !js

package webtransport

import (
	"net/netip"
	"sync"
	"time"
)

const (
	// drainTime is how long Close waits for what was sent to be given to QUIC.
	drainTime = 250 * time.Millisecond
	// leaveTime is how long QUIC has then to send it: it does not tell when it has, and drops it when a connection ends.
	leaveTime = 20 * time.Millisecond
)

// Stats counts what happened on a [Listener].
type Stats struct {
	// Connections is how many there are now, Sessions how many of them are through their handshakes.
	Connections, Sessions int
	// Accepted is the sessions that began.
	Accepted uint64
	// Crowded is the connections refused because there were too many, in all or from their address.
	Crowded uint64
	// Refused is the requests for a session that were answered with an error: another path, or a page that may not connect.
	Refused uint64
	// Unanswered is the connections closed because nothing was sent to them, or because they began no session.
	Unanswered uint64
	// Flooded is the datagrams lost because one connection brought too many, TooLong those that no datagram may be as long as.
	Flooded, TooLong uint64
	// Dropped is the datagrams lost because too many waited for a Poll.
	Dropped uint64
	// Stale is the datagrams that newer ones pushed out while a connection had no room.
	Stale uint64
}

// crowd is who is connected to a listener.
type crowd struct {
	mu    sync.Mutex
	peers map[netip.AddrPort]*peer // those who have a session
	open  map[netip.Addr]int       // connections, by network
	total int
	stats Stats
}

// admit counts a connection, unless there are too many.
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

// busy reports whether there is a quarter of the connections that there may be. Who comes then has to show that it is at its
// address, which takes a round trip: for others to be kept out by connections that nobody is at the other end of, they would
// have to be made up faster than they end.
func (c *crowd) busy(config *Config) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return 4*c.total >= config.Connections
}

// leave takes back what admit counted.
func (c *crowd) leave(network netip.Addr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total--
	if c.open[network]--; c.open[network] == 0 {
		delete(c.open, network)
	}
}

// enter and exit are the beginning and the end of a session.
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

// at is who has a session from an address, nil for nobody.
func (c *crowd) at(from netip.AddrPort) *peer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peers[from]
}

// count changes the figures.
func (c *crowd) count(f func(s *Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.stats)
}

// figures are how many there are, and what happened.
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

// drain lets nothing more be sent, and waits until what is queued has left, for a while.
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
