package outqueue

import (
	"errors"
	"sync"
)

// Queue is the bounded queue between Send and the writing goroutine. When the queue is full, Put drops the oldest datagram.
// Buffers are reused: in a steady state neither side allocates.
type Queue struct {
	mu    sync.Mutex
	some  sync.Cond // signalled when a datagram or the end arrives
	ring  [][]byte
	head  int
	count int
	taken []byte // returned by the latest Next
	free  [][]byte
	ended error // nil while Put accepts datagrams
	stale uint64
}

var (
	// ErrClosed means that the queue was closed for good.
	ErrClosed = errors.New("outqueue: closed")
	// ErrAbandoned means that the queue drops datagrams until Reopen.
	ErrAbandoned = errors.New("outqueue: no connection")
)

// New returns a queue with room for capacity datagrams, at least 1.
func New(capacity int) *Queue {
	q := &Queue{ring: make([][]byte, capacity)}
	q.some.L = &q.mu
	return q
}

// Put copies a datagram into the queue.
func (q *Queue) Put(b []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended != nil {
		q.stale++
		return
	}
	if q.count == len(q.ring) {
		q.free = append(q.free, q.pop())
		q.stale++
	}
	var own []byte
	if n := len(q.free); n > 0 {
		own, q.free = q.free[n-1], q.free[:n-1]
	}
	q.ring[(q.head+q.count)%len(q.ring)] = append(own[:0], b...)
	q.count++
	q.some.Signal()
}

func (q *Queue) pop() []byte {
	b := q.ring[q.head]
	q.ring[q.head] = nil
	q.head = (q.head + 1) % len(q.ring)
	q.count--
	return b
}

// Next waits for a datagram, which is valid until the next call. The error says why the queue ended.
func (q *Queue) Next() (b []byte, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.taken != nil {
		q.free = append(q.free, q.taken)
		q.taken = nil
	}
	for q.count == 0 {
		if q.ended != nil {
			return nil, q.ended
		}
		q.some.Wait()
	}
	q.taken = q.pop()
	return q.taken, nil
}

// Close ends the queue for good. Next still returns the queued datagrams.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = ErrClosed
	q.some.Signal()
}

// Abandon drops the queued datagrams, and new ones until Reopen: they would be outdated when a connection is back.
func (q *Queue) Abandon() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stale += uint64(q.count)
	for q.count > 0 {
		q.free = append(q.free, q.pop())
	}
	if q.ended == nil {
		q.ended = ErrAbandoned
	}
	q.some.Signal()
}

// Reopen accepts datagrams again, unless the queue was closed.
func (q *Queue) Reopen() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if errors.Is(q.ended, ErrAbandoned) {
		q.ended = nil
	}
}

// Dropped returns the number of datagrams that were put but never returned by Next.
func (q *Queue) Dropped() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.stale
}
