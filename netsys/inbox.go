package netsys

import (
	"net/netip"
	"sync"
	"time"
)

// Inbox is a bounded queue between the goroutine that receives datagrams and the goroutine that polls. Use it to implement a
// [Wire] that reads a socket whenever a datagram arrives: call [Inbox.Put] from the receiving goroutine and [Inbox.Drain] from
// [Wire.Poll]. Buffers are pooled, so neither call allocates in steady state.
type Inbox struct {
	mu      sync.Mutex
	ring    []arrival
	head    int
	count   int
	buffers bufferPool
	dropped uint64
}

type arrival struct {
	from netip.AddrPort
	at   time.Time
	data []byte
}

// NewInbox returns an inbox in which at most capacity datagrams can wait. It panics if capacity is below 1.
func NewInbox(capacity int) *Inbox {
	if capacity < 1 {
		panic("netsys: NewInbox: the capacity is below 1 datagram")
	}
	return &Inbox{ring: make([]arrival, capacity), buffers: newBufferPool(MaxDatagram + 1)}
}

// Put adds a copy of a datagram, truncated to [MaxDatagram]+1 bytes. It reports false if the queue is full; the datagram is then
// lost and counted. at must not decrease from call to call.
func (q *Inbox) Put(from netip.AddrPort, at time.Time, data []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.count == len(q.ring) {
		q.dropped++
		return false
	}
	b := q.buffers.get(len(data))
	copy(b, data)
	q.ring[(q.head+q.count)%len(q.ring)] = arrival{unmap(from), at, b}
	q.count++
	return true
}

// Drain delivers the datagrams that arrived at or before now, oldest first. It also delivers datagrams that seem to have arrived
// more than a second after now, because the clock was set back since. It does not hold the lock during deliver.
func (q *Inbox) Drain(now time.Time, deliver func(Datagram)) {
	var used []byte
	for {
		q.mu.Lock()
		if used != nil {
			q.buffers.put(used)
		}
		if q.count == 0 || notYetDue(q.ring[q.head].at.Sub(now)) {
			q.buffers.drained()
			q.mu.Unlock()
			return
		}
		a := q.ring[q.head]
		q.ring[q.head] = arrival{}
		q.head = (q.head + 1) % len(q.ring)
		q.count--
		q.mu.Unlock()

		deliver(Datagram{From: a.from, At: a.at, Data: a.data})
		used = a.data
	}
}

// notYetDue reports whether a datagram from the future is to wait. Above one second, the clock was set back.
func notYetDue(ahead time.Duration) bool { return ahead > 0 && ahead < time.Second }

// Dropped returns the number of datagrams lost because the queue was full.
func (q *Inbox) Dropped() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped
}
