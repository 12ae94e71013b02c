package eventloop

import (
	"sync"
	"time"

	"github.com/tactusgo/tactus/internal/mmsg"
	"github.com/tactusgo/tactus/netsys"
)

// udpReader reads the UDP socket in batches, so that gnet's loop wakes up rarely. gnet reads one datagram per wake-up, and a
// wake-up costs several times what receiving a datagram does. After gnet has read a datagram, the reader therefore suspends
// the loop: the loop's goroutine sleeps inside OnTraffic, and datagrams collect in the kernel. Each Poll reads the collected
// datagrams, so the sleep delays nothing for a server that polls. The package comment has the measurements.
//
// The loop stays suspended as long as somebody polls. It reads the socket itself only when nobody has polled for a while or
// when the kernel's buffer fills up.
//
// Poll and loop read the same socket as gnet, but never while gnet may hold a datagram that is not in the inbox yet. That
// keeps the datagrams in order. The kernel stamps arrivals, so the time that a datagram waits does not count as latency.
type udpReader struct {
	interval   time.Duration // how long the loop sleeps before it checks whether somebody polls
	maxBatches int           // most batches that one Poll or one check reads
	inbox      *netsys.Inbox

	// Used by the loop only.
	queue        func(netsys.Datagram) // puts a datagram into the inbox
	lastQueued   time.Time             // arrival of the newest datagram in the inbox
	lastReceived uint64                // reader.Received at the previous check
	lastArrival  time.Time             // previous check at which reader.Received had grown

	mu        sync.Mutex // held while reading the socket
	reader    *mmsg.Reader
	suspended bool      // the loop is suspended, and gnet's datagram is in the inbox
	stopped   bool      // the listener is closing
	lastPoll  time.Time // now of the latest Poll

	// Used by Poll only.
	deliverInOrder func(netsys.Datagram) // corrects the time of arrival, then calls deliver
	deliver        func(netsys.Datagram)
	now            time.Time
	lastDelivered  time.Time // latest time of arrival that was delivered
}

// newUDPReader returns a reader that puts what the loop reads into the inbox, whose capacity is queue. On systems that cannot
// read datagrams in batches it returns nil.
func newUDPReader(interval time.Duration, inbox *netsys.Inbox, queue int) *udpReader {
	r := &udpReader{
		interval:   interval,
		maxBatches: (queue + mmsg.BatchSize - 1) / mmsg.BatchSize,
		inbox:      inbox,
		reader:     mmsg.NewReader(),
	}
	r.queue = func(d netsys.Datagram) {
		r.lastQueued = later(d.At, r.lastQueued)
		inbox.Put(d.From, r.lastQueued, d.Data)
	}
	r.deliverInOrder = func(d netsys.Datagram) {
		// The datagram that gnet read has the time at which it was read. That can be after the kernel's stamp of the
		// datagrams behind it, and after now.
		d.At = later(d.At, r.lastDelivered)
		if d.At.After(r.now) {
			d.At = r.now
		}
		r.lastDelivered = d.At
		r.deliver(d)
	}
	return r
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// prepare makes the kernel stamp arrivals on the socket. It runs before the loop starts.
func (r *udpReader) prepare(fd int) error { return mmsg.Stamp(fd) }

// stop ends the suspension of the loop, and prevents another one.
func (r *udpReader) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
}

// suspendLoop sleeps on the loop's goroutine. It runs after gnet's datagram, which arrived at the given time, was put into
// the inbox.
func (r *udpReader) suspendLoop(fd int, at time.Time) {
	r.lastQueued, r.lastArrival = at, at
	r.mu.Lock()
	r.suspended = true
	r.mu.Unlock()
	for r.sleepOnce(fd) {
	}
	r.mu.Lock()
	r.suspended = false
	r.mu.Unlock()
}

const (
	// pollTimeout is how long after a Poll the loop expects another one.
	pollTimeout = 100 * time.Millisecond
	// quietTimeout is how long after the latest arrival the loop goes back to waiting in gnet.
	quietTimeout = time.Second
)

// sleepOnce sleeps for one interval. Then it reads the socket, if no Poll will. It reports whether the loop should stay
// suspended.
func (r *udpReader) sleepOnce(fd int) bool {
	time.Sleep(r.interval)
	if !r.mu.TryLock() {
		return true // a Poll is running
	}
	now := time.Now()
	stopped, pollWillRead := r.stopped, now.Sub(r.lastPoll) < pollTimeout && !fillingUp(fd)
	if r.reader.Received != r.lastReceived {
		r.lastReceived, r.lastArrival = r.reader.Received, now
	}
	r.mu.Unlock()
	if !pollWillRead {
		for range r.maxBatches {
			if r.queueBatch(fd) {
				break
			}
		}
	}
	return !stopped && now.Sub(r.lastArrival) < quietTimeout
}

// fillingUp reports whether a quarter of the socket's receive buffer is used.
func fillingUp(fd int) bool {
	used, size := mmsg.Waiting(fd)
	return used >= size/4
}

// queueBatch puts one batch into the inbox, and reports whether the socket is empty then. It holds the lock for one batch
// only, so that a Poll does not wait longer than that.
func (r *udpReader) queueBatch(fd int) (empty bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reader.Read(fd, time.Now(), 1, r.queue)
}

// poll delivers the datagrams of the inbox, and then those that wait in the kernel.
func (r *udpReader) poll(fd int, now time.Time, deliver func(netsys.Datagram)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deliver, r.now, r.lastPoll = deliver, now, now
	r.inbox.Drain(time.Now(), r.deliverInOrder)
	if r.suspended {
		r.reader.Read(fd, now, r.maxBatches, r.deliverInOrder)
	}
	r.deliver = nil
}
