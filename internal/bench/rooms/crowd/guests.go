package crowd

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/manysockets"
)

const (
	// guestsAtOnce is how many there can be in one process with rooms.
	guestsAtOnce = 4096
	// pollTime is how often a guest's session is looked after where nothing comes.
	pollTime = 50 * time.Millisecond
	// enterTime is how long a guest knocks.
	enterTime = 5 * time.Second
)

// Guests are players who come with a token, stay, and go. They give no inputs: what they cost is coming and going. [Guests.Come]
// may be called from any goroutine, all else belongs to one.
type Guests struct {
	session netsys.ClientConfig
	floors  map[netip.AddrPort]*floor

	mu     sync.Mutex
	coming []*guest

	// Entered, Turned and Lost count those who got in, those who did not though they came in time, and those whose
	// session ended before they left.
	Entered, Turned, Lost int
	// Why is why the last one did not get in.
	Why error
	// Arrived is told of who got in. It may be nil.
	Arrived func(h *Hold, now time.Time)
	// Ended is told of sessions that ended before their players left. It may be nil.
	Ended func(h *Hold, reason error)
}

// floor is the guests of one process with rooms.
type floor struct {
	wires *manysockets.Set
	here  map[int]*guest // by wire
	next  int
}

// guest is one of them.
type guest struct {
	hold   *Hold
	stay   time.Duration // 0: until the end
	client *netsys.Client
	since  time.Time // when they knocked, and then when they got in
	polled time.Time
	now    time.Time
	in     bool
	reason error // why the session has ended
}

// NewGuests makes none.
func NewGuests() (*Guests, error) {
	session, err := systems.ClientConfig{}.Session(Field())
	session.ConnectTimeout = enterTime
	return &Guests{session: session, floors: make(map[netip.AddrPort]*floor)}, err
}

// Come lets one come who was given a seat, and stay that long: 0 is until Close.
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
		if err := g.knock(x, now); err != nil {
			return err
		}
	}
	for _, f := range g.floors {
		f.wires.Poll(now, func(n int) {
			if x := f.here[n]; x != nil {
				g.look(f, n, x, now)
			}
		})
		for n, x := range f.here {
			if now.Sub(x.polled) >= pollTime || x.in && x.stay > 0 && now.Sub(x.since) >= x.stay {
				g.look(f, n, x, now)
			}
		}
		f.wires.Flush(now)
	}
	return nil
}

// knock begins a session.
func (g *Guests) knock(x *guest, now time.Time) error {
	at := x.hold.Seat.At
	f := g.floors[at]
	if f == nil {
		wires, err := manysockets.Config{Clients: guestsAtOnce}.Dial(context.Background(), at.String())
		if err != nil {
			return err
		}
		f = &floor{wires: wires, here: make(map[int]*guest)}
		g.floors[at] = f
	}
	if len(f.here) == guestsAtOnce {
		return fmt.Errorf("more than %d guests at once in the process at %v", guestsAtOnce, at)
	}
	for f.here[f.next] != nil {
		f.next = (f.next + 1) % guestsAtOnce
	}
	n := f.next
	f.next = (f.next + 1) % guestsAtOnce // so that an address is not somebody else's at once
	wire, err := f.wires.Wire(n)
	if err != nil {
		return err
	}
	c := g.session
	c.Token = x.hold.Token
	if x.client, err = netsys.NewClient(wire, at, c); err != nil {
		return errors.Join(err, wire.Close())
	}
	x.since, f.here[n] = now, x
	g.look(f, n, x, now)
	return nil
}

// look looks after a guest.
func (g *Guests) look(f *floor, n int, x *guest, now time.Time) {
	x.polled, x.now = now, now
	x.client.Poll(now, x)
	h := x.hold
	switch {
	case x.reason == nil && x.in && !h.In:
		h.In, x.since = true, now
		g.Entered++
		h.Until = now
		if g.Arrived != nil {
			g.Arrived(h, now)
		}
	case x.reason == nil && x.in && x.stay > 0 && now.Sub(x.since) >= x.stay:
		h.Until = now
		g.leave(f, n, x, now)
	case x.reason == nil:
	default:
		if h.In {
			g.Lost++
		} else {
			g.Turned++
			g.Why = x.reason
			if now.Before(h.Until) {
				h.Until = now
			}
		}
		g.leave(f, n, x, now)
		if g.Ended != nil {
			g.Ended(h, x.reason)
		}
	}
}

// leave says goodbye.
func (g *Guests) leave(f *floor, n int, x *guest, now time.Time) {
	_ = x.client.Close(now)
	delete(f.here, n)
}

// Here is how many have come and not left.
func (g *Guests) Here() (n int) {
	g.mu.Lock()
	n = len(g.coming)
	g.mu.Unlock()
	for _, f := range g.floors {
		n += len(f.here)
	}
	return n
}

// Close says goodbye for all.
func (g *Guests) Close(now time.Time) (err error) {
	for _, f := range g.floors {
		for n, x := range f.here {
			if x.in {
				x.hold.Until = now
			}
			g.leave(f, n, x, now)
		}
		err = errors.Join(err, f.wires.Close())
	}
	return err
}

// heard notes that the server was heard: the seat is theirs.
func (x *guest) heard() {
	if x.in {
		x.hold.Until = x.now
	}
}

// Connected implements netsys.Handler.
func (x *guest) Connected(time.Time, netsys.Session) { x.in = true }

// Disconnected implements netsys.Handler.
func (x *guest) Disconnected(_ time.Time, _ netsys.Session, reason error) { x.reason = reason }

// Received implements netsys.Handler.
func (x *guest) Received(time.Time, netsys.Session, netsys.Packet) { x.heard() }

// Message implements netsys.Handler.
func (x *guest) Message(time.Time, netsys.Session, int, []byte) { x.heard() }

// Acked implements netsys.Handler.
func (x *guest) Acked(netsys.Session, uint16) {}
