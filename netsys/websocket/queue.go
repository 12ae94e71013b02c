package websocket

import "sync"

// queue is the bounded queue between Send and the goroutine that writes. When it is full the oldest datagram
// goes. Buffers are used again; in steady state neither side allocates.
type queue struct {
	mu    sync.Mutex
	some  sync.Cond // there is something, or there will be nothing any more
	ring  [][]byte
	head  int
	count int
	taken []byte // what next returned last
	free  [][]byte
	ended bool
	stale uint64
}

func newQueue(capacity int) *queue {
	q := &queue{ring: make([][]byte, capacity)}
	q.some.L = &q.mu
	return q
}

// put copies a datagram into the queue.
func (q *queue) put(b []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
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

func (q *queue) pop() []byte {
	b := q.ring[q.head]
	q.ring[q.head] = nil
	q.head = (q.head + 1) % len(q.ring)
	q.count--
	return b
}

// next waits for a datagram, which is valid until the call after; ok is false when no more will come.
func (q *queue) next() (b []byte, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.taken != nil {
		q.free = append(q.free, q.taken)
		q.taken = nil
	}
	for q.count == 0 {
		if q.ended {
			return nil, false
		}
		q.some.Wait()
	}
	q.taken = q.pop()
	return q.taken, true
}

// close lets what is queued be taken, and nothing more be put.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.some.Signal()
}

// abandon closes the queue and drops what is in it.
func (q *queue) abandon() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stale += uint64(q.count)
	for q.count > 0 {
		q.pop()
	}
	q.ended = true
	q.some.Signal()
}

func (q *queue) dropped() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.stale
}
