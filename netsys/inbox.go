package netsys

import (
	"net/netip"
	"sync"
	"time"
)

// Inbox is the bounded queue between the goroutine that receives datagrams and the goroutine that polls. It
// is the inside of wires that read a socket as datagrams come, exported for those who write another one: call
// [Inbox.Put] from the receiving side and [Inbox.Drain] from [Wire.Poll]. Buffers are pooled, as many as were
// needed lately; in steady state neither side allocates.
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

// NewInbox returns an inbox for at most capacity datagrams that wait. It panics when capacity is below 1.
func NewInbox(capacity int) *Inbox {
	if capacity < 1 {
		panic("netsys: NewInbox needs a capacity of at least 1 datagram")
	}
	return &Inbox{ring: make([]arrival, capacity), buffers: newBufferPool(MaxDatagram + 1)}
}

// Put copies a datagram into the queue and reports whether there was room; without room it is counted and
// lost. Data beyond [MaxDatagram]+1 bytes is cut off. Times must not decrease from call to call.
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

// Drain delivers, oldest first, what arrived at or before now, and what seems to have arrived more than a second later:
// the clock was set back since. The lock is not held during deliver.
func (q *Inbox) Drain(now time.Time, deliver func(Datagram)) {
	var used []byte
	for {
		q.mu.Lock()
		if used != nil {
			q.buffers.put(used)
		}
		if q.count == 0 || soon(q.ring[q.head].at.Sub(now)) {
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

// soon is about what is not due, unless the clock was set back.
func soon(ahead time.Duration) bool { return ahead > 0 && ahead < time.Second }

// Dropped is the number of datagrams that [Inbox.Put] had no room for.
func (q *Inbox) Dropped() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped
}
