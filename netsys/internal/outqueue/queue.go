package outqueue

import (
	"errors"
	"sync"
)

// Queue is the bounded queue between Send and the goroutine that writes. When it is full the oldest datagram
// goes. Buffers are used again; in steady state neither side allocates.
type Queue struct {
	mu    sync.Mutex
	some  sync.Cond // there is something, or there will be nothing any more
	ring  [][]byte
	head  int
	count int
	taken []byte // what Next returned last
	free  [][]byte
	ended error // nil while datagrams are taken
	stale uint64
}

var (
	// ErrClosed is that nothing more will be put.
	ErrClosed = errors.New("outqueue: closed")
	// ErrAbandoned is that nothing is put until the queue is opened again.
	ErrAbandoned = errors.New("outqueue: no connection")
)

// New makes a queue for so many datagrams, at least 1.
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

// Next waits for a datagram, which is valid until the call after. The error is why there are no more.
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

// Close lets what is queued be taken, and nothing more be put, ever.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = ErrClosed
	q.some.Signal()
}

// Abandon drops what is queued, and lets nothing more be put for now: it would be old news when there is a connection
// again.
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

// Reopen takes datagrams again, unless the queue was closed.
func (q *Queue) Reopen() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if errors.Is(q.ended, ErrAbandoned) {
		q.ended = nil
	}
}

// Dropped is how many datagrams were put and not taken.
func (q *Queue) Dropped() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.stale
}
