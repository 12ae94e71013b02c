package crowd

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/swarm"
)

const (
	// guestsAtOnce is the maximum number of guests in one process with rooms.
	guestsAtOnce = 4096
	// enterTimeout is how long a guest tries to connect.
	enterTimeout = 5 * time.Second
)

// Guests are players who come with a token, stay, and go. They give no inputs: the benchmarks measure what coming and going
// costs. [Guests.Come] may be called from any goroutine, the other methods belong to one.
type Guests struct {
	timeout   time.Duration // of sessions; 0: the default
	processes map[netip.AddrPort]*visited

	mu     sync.Mutex
	coming []*guest

	// Entered counts guests who got in, Turned those who did not, and Lost those whose session ended before they left.
	Entered, Turned, Lost int
	// Why is why the last one of Turned did not get in.
	Why error
	// Arrived is called for each guest who got in. It may be nil.
	Arrived func(h *Hold, now time.Time)
	// Ended is called for each session that ended before its player left. It may be nil.
	Ended func(h *Hold, reason error)
}

// visited is a process with rooms and its guests.
type visited struct {
	swarm *swarm.Swarm
	here  map[int]*guest // by number in the swarm
	now   time.Time
}

// guest is one of them.
type guest struct {
	hold   *Hold
	stay   time.Duration // 0: until the end
	since  time.Time     // when it got in
	in     bool
	reason error // why the session has ended
}

// NewGuests returns no guests yet.
func NewGuests() *Guests { return &Guests{processes: make(map[netip.AddrPort]*visited)} }

// Come lets a player come to a seat and stay for a time. A stay of 0 lasts until Close.
func (g *Guests) Come(h *Hold, stay time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.coming = append(g.coming, &guest{hold: h, stay: stay})
}

// Step does what is due.
func (g *Guests) Step(now time.Time) error {
	g.mu.Lock()
	coming := g.coming
	g.coming = nil
	g.mu.Unlock()
	for _, x := range coming {
		v, err := g.process(x.hold.Seat.At)
		if err != nil {
			return err
		}
		n, err := v.swarm.Join(now, x.hold.Token)
		if err != nil {
			return err
		}
		v.here[n] = x
	}
	for _, v := range g.processes {
		v.now = now
		v.swarm.Step(now)
		for n, x := range v.here {
			switch {
			case x.reason != nil:
				v.leave(n)
				g.ended(x, now)
			case x.in && x.since.IsZero():
				x.since, x.hold.In, x.hold.Until = now, true, now
				g.Entered++
				if g.Arrived != nil {
					g.Arrived(x.hold, now)
				}
			case x.in && x.stay > 0 && now.Sub(x.since) >= x.stay:
				x.hold.Until = now
				v.leave(n)
			}
		}
	}
	return nil
}

// ended counts a guest whose session has ended.
func (g *Guests) ended(x *guest, now time.Time) {
	if x.hold.In {
		g.Lost++
	} else {
		g.Turned++
		g.Why = x.reason
		if now.Before(x.hold.Until) {
			x.hold.Until = now
		}
	}
	if g.Ended != nil {
		g.Ended(x.hold, x.reason)
	}
}

// process returns the process with rooms at an address.
func (g *Guests) process(at netip.AddrPort) (*visited, error) {
	if v := g.processes[at]; v != nil {
		return v, nil
	}
	v := &visited{here: make(map[int]*guest)}
	var err error
	v.swarm, err = swarm.New(context.Background(), swarm.Config{
		Protocol: Field, Addr: at.String(), Clients: guestsAtOnce, OnDemand: true, Idle: true,
		Client: func(_ int, c *systems.ClientConfig) {
			c.Session.ConnectTimeout, c.Session.Timeout = enterTimeout, g.timeout
		},
		OnConnect: func(n int) { v.here[n].in = true },
		OnEnd:     func(n int, reason error) { v.here[n].reason = reason },
		OnBody: func(b swarm.Body) { // the seat is the player's as long as the server is heard
			if x := v.here[b.Client]; x.in {
				x.hold.Until = v.now
			}
		},
	})
	if err != nil {
		return nil, err
	}
	g.processes[at] = v
	return v, nil
}

// leave says goodbye for a guest.
func (v *visited) leave(n int) {
	v.swarm.Leave(v.now, n)
	delete(v.here, n)
}

// Here returns the number of guests who have come and not left.
func (g *Guests) Here() (n int) {
	g.mu.Lock()
	n = len(g.coming)
	g.mu.Unlock()
	for _, v := range g.processes {
		n += len(v.here)
	}
	return n
}

// Close says goodbye for all.
func (g *Guests) Close(now time.Time) (err error) {
	for _, v := range g.processes {
		for _, x := range v.here {
			if x.in {
				x.hold.Until = now
			}
		}
		clear(v.here)
		if e := v.swarm.Close(now); err == nil {
			err = e
		}
	}
	return err
}
