package crowd

import (
	"cmp"
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
	// comeAtOnce is the maximum number of guests who begin to connect in one step.
	comeAtOnce = 10
	// enterTimeout is how long a guest tries to connect.
	enterTimeout = 5 * time.Second
)

// Guests are players who connect with a token, stay, and leave. [Guests.Come] may be called from any goroutine. All other
// methods must be called from one goroutine.
type Guests struct {
	atOnce    int           // maximum in one process with rooms
	play      bool          // give an input in every tick
	timeout   time.Duration // of sessions; 0: the default
	processes map[netip.AddrPort]*visited

	mu     sync.Mutex
	coming []*guest

	// Entered counts guests who connected, Turned guests who failed to connect, and Lost sessions that ended before the guest
	// left.
	Entered, Turned, Lost int
	// Why is the error of the latest guest in Turned.
	Why error
	// Arrived is called for each connected guest. May be nil.
	Arrived func(h *Hold, now time.Time)
	// Ended is called for each session that ended before its player left. May be nil.
	Ended func(h *Hold, reason error)
}

// visited is a process with rooms and its guests.
type visited struct {
	swarm *swarm.Swarm
	here  map[int]*guest // by number in the swarm
	now   time.Time
	// changed reports whether a guest connected or lost a session since the last step.
	changed bool
}

// guest is one guest.
type guest struct {
	hold   *Hold
	stay   time.Duration // 0: until the end
	since  time.Time     // when it connected
	in     bool
	reason error // why the session has ended
}

// NewGuests returns no guests yet. They give no inputs: the benchmarks measure what coming and going costs.
func NewGuests() *Guests {
	return &Guests{atOnce: guestsAtOnce, processes: make(map[netip.AddrPort]*visited)}
}

// newResidents returns guests who give inputs and stay until the end, one for each seat.
func newResidents(holds []*Hold) *Guests {
	g := NewGuests()
	g.play, g.atOnce = true, 0
	seats := make(map[netip.AddrPort]int)
	for _, h := range holds {
		g.Come(h, 0)
		seats[h.Seat.At]++
		g.atOnce = max(g.atOnce, seats[h.Seat.At])
	}
	return g
}

// Come makes a player connect to a seat and stay for a time. A stay of 0 lasts until Close.
func (g *Guests) Come(h *Hold, stay time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.coming = append(g.coming, &guest{hold: h, stay: stay})
}

// Step performs the due steps.
func (g *Guests) Step(now time.Time) error {
	g.mu.Lock()
	n := min(len(g.coming), comeAtOnce)
	coming := g.coming[:n]
	g.coming = g.coming[n:]
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
		if g.play && !v.changed {
			continue
		}
		v.changed = false
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
		Protocol: Field, Addr: at.String(), Clients: g.atOnce, OnDemand: true, Idle: !g.play,
		Client: func(_ int, c *systems.ClientConfig) {
			if c.Session.Timeout = g.timeout; !g.play {
				c.Session.ConnectTimeout = enterTimeout
			}
		},
		OnConnect: func(n int) { v.here[n].in, v.changed = true, true },
		OnEnd:     func(n int, reason error) { v.here[n].reason, v.changed = reason, true },
		OnUpdate: func(n int) { // the seat is the player's as long as the server is heard
			if x := v.here[n]; x.in {
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

// leave ends the session of a guest.
func (v *visited) leave(n int) {
	v.swarm.Leave(v.now, n)
	delete(v.here, n)
}

// Here returns the number of connected or connecting guests.
func (g *Guests) Here() (n int) {
	g.mu.Lock()
	n = len(g.coming)
	g.mu.Unlock()
	for _, v := range g.processes {
		n += len(v.here)
	}
	return n
}

// settled reports whether each guest is in or was turned away.
func (g *Guests) settled() bool {
	for _, v := range g.processes {
		for _, x := range v.here {
			if !x.in {
				return false
			}
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.coming) == 0
}

// measure starts a measurement.
func (g *Guests) measure(now time.Time) {
	for _, v := range g.processes {
		v.swarm.Measure(now)
	}
}

// heard holds the statistics of guests since measure.
type heard struct {
	connected     int
	updates, busy float64 // updates per guest and second; share of the time that the load worked
	limit         string  // see swarm.Report.Limit
}

// report returns the figures since measure.
func (g *Guests) report(now time.Time) (h heard) {
	for _, v := range g.processes {
		v.swarm.Look(now)
		x := v.swarm.Report()
		h.connected += x.Connected
		h.updates += x.UpdatesPerS * float64(x.Connected)
		h.busy += x.Busy
		h.limit = cmp.Or(h.limit, x.Limit)
	}
	h.updates /= max(float64(h.connected), 1)
	return h
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
