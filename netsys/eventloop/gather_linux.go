package eventloop

import (
	"sync"
	"time"

	"github.com/tactusgo/tactus/internal/mmsg"
	"github.com/tactusgo/tactus/netsys"
)

// gather spares the event loop most of its wake-ups. gnet reads one datagram for each time that the loop wakes up.
// Once it has done so, the loop sleeps for a while, in which datagrams gather in the kernel, and then takes them
// all; a Poll meanwhile takes what is there at once, so that nothing comes later to who polls. Both read the socket
// that gnet reads too, but never while gnet may have a datagram in its hand, so that the order is kept. The kernel
// stamps arrivals, so that no datagram looks as if it had been under way while it waited.
//
// Where nothing but UDP is served the loop sleeps on as long as somebody polls: it leaves the socket to them, and takes
// something only when its buffer is getting full or nobody has polled for a while.
type gather struct {
	sleep   time.Duration
	alone   bool // nothing but UDP is served
	batches int  // that one Read takes
	inbox   *netsys.Inbox

	put      func(netsys.Datagram) // the loop's
	last     time.Time             // of what it put into the inbox
	received uint64                // by the reader, when the loop last looked
	busy     time.Time             // when there was more

	mu     sync.Mutex // held by who reads the socket
	in     *mmsg.Reader
	asleep bool      // the loop is, and gnet's datagram is in the inbox
	ended  bool      // the loop is to end
	polled time.Time // when somebody did last

	hand    func(netsys.Datagram) // the poller's
	deliver func(netsys.Datagram)
	now     time.Time
	handed  time.Time // the latest time of arrival delivered
}

// newGather returns nil on systems that cannot do this.
func newGather(sleep time.Duration, alone bool, inbox *netsys.Inbox, queue int) *gather {
	g := &gather{
		sleep:   sleep,
		alone:   alone,
		batches: (queue + mmsg.BatchSize - 1) / mmsg.BatchSize,
		inbox:   inbox,
		in:      mmsg.NewReader(),
	}
	g.put = func(d netsys.Datagram) {
		g.last = latest(d.At, g.last)
		inbox.Put(d.From, g.last, d.Data)
	}
	g.hand = func(d netsys.Datagram) {
		// The datagram that woke the loop has the time at which it was read: after the stamp of what came behind it,
		// and maybe after now.
		d.At = latest(d.At, g.handed)
		if d.At.After(g.now) {
			d.At = g.now
		}
		g.handed = d.At
		g.deliver(d)
	}
	return g
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// bind is told the socket before the event loop begins.
func (g *gather) bind(fd int) error { return mmsg.Stamp(fd) }

// end makes the loop wake up for good.
func (g *gather) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
}

// rest runs on the event loop when it has put a datagram of a time into the inbox.
func (g *gather) rest(fd int, at time.Time) {
	g.last, g.busy = at, at
	g.mu.Lock()
	g.asleep = true
	g.mu.Unlock()
	for g.nap(fd) && g.alone {
	}
	g.mu.Lock()
	g.asleep = false
	g.mu.Unlock()
}

const (
	// attended is how long after a poll another one is expected.
	attended = 100 * time.Millisecond
	// idle is how long nothing has come when the loop goes back to waiting.
	idle = time.Second
)

// nap sleeps once, and takes what nobody else will. It reports whether to go on.
func (g *gather) nap(fd int) bool {
	time.Sleep(g.sleep)
	if !g.mu.TryLock() {
		if g.alone {
			return true // somebody polls
		}
		g.mu.Lock()
	}
	now := time.Now()
	ended, left := g.ended, g.alone && now.Sub(g.polled) < attended && !crowded(fd)
	quiet := g.in.Received == g.received
	if !quiet {
		g.received, g.busy = g.in.Received, now
	}
	g.mu.Unlock()
	if !left {
		for range g.batches {
			if g.take(fd) {
				break
			}
		}
	}
	return !ended && now.Sub(g.busy) < idle
}

// crowded reports whether a quarter of a socket's buffer is used.
func crowded(fd int) bool {
	used, size := mmsg.Waiting(fd)
	return used >= size/4
}

// take puts one batch into the inbox and reports whether that was all. Who polls does not wait for more than one.
func (g *gather) take(fd int) (all bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.in.Read(fd, time.Now(), 1, g.put)
}

// poll delivers what the event loop took, and then what it would take later.
func (g *gather) poll(fd int, now time.Time, deliver func(netsys.Datagram)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.deliver, g.now, g.polled = deliver, now, now
	g.inbox.Drain(time.Now(), g.hand)
	if g.asleep {
		g.in.Read(fd, now, g.batches, g.hand)
	}
	g.deliver = nil
}
