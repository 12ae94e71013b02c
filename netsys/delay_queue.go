package netsys

import (
	"net/netip"
	"time"
)

// delayedDatagram is a datagram that waits until it is due.
type delayedDatagram struct {
	due   time.Time
	order uint64 // number of the push
	addr  netip.AddrPort
	data  []byte
}

// before reports whether p comes before o. Datagrams that are due at the same time keep the order in which they were pushed, so
// that the order is the same in every run.
func (p *delayedDatagram) before(o *delayedDatagram) bool {
	if c := p.due.Compare(o.due); c != 0 {
		return c < 0
	}
	return p.order < o.order
}

// delayQueue stores datagrams until they are due: datagrams on a virtual network, and datagrams that a conditioner delays.
// It is a bounded binary heap, earliest first, with pooled buffers.
type delayQueue struct {
	heap  []delayedDatagram
	free  [][]byte
	limit int    // maximum number of datagrams
	size  int    // size of a buffer in bytes
	order uint64 // number of the next push
}

// newDelayQueue returns a queue for at most limit datagrams. push truncates datagrams to size bytes.
func newDelayQueue(limit, size int) delayQueue { return delayQueue{limit: limit, size: size} }

func (q *delayQueue) len() int { return len(q.heap) }

// push adds a copy of data. It returns false if the queue is full.
func (q *delayQueue) push(due time.Time, addr netip.AddrPort, data []byte) bool {
	if len(q.heap) >= q.limit {
		return false
	}
	var b []byte
	if n := len(q.free); n > 0 {
		b, q.free = q.free[n-1], q.free[:n-1]
	} else {
		b = make([]byte, q.size)
	}
	b = b[:copy(b[:cap(b)], data)]
	q.heap = append(q.heap, delayedDatagram{due, q.order, addr, b})
	q.order++
	for i := len(q.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !q.heap[i].before(&q.heap[up]) {
			break
		}
		q.heap[i], q.heap[up] = q.heap[up], q.heap[i]
		i = up
	}
	return true
}

// next returns the time at which the earliest datagram is due. It returns false if the queue is empty.
func (q *delayQueue) next() (time.Time, bool) {
	if len(q.heap) == 0 {
		return time.Time{}, false
	}
	return q.heap[0].due, true
}

// ready reports whether a datagram is due.
func (q *delayQueue) ready(now time.Time) bool {
	return len(q.heap) > 0 && !q.heap[0].due.After(now)
}

// pop removes and returns the earliest datagram. The caller owns its buffer until it calls recycle.
func (q *delayQueue) pop() delayedDatagram {
	first := q.heap[0]
	n := len(q.heap) - 1
	q.heap[0] = q.heap[n]
	q.heap[n] = delayedDatagram{}
	q.heap = q.heap[:n]
	for i := 0; ; {
		least, left := i, 2*i+1
		if left < n && q.heap[left].before(&q.heap[least]) {
			least = left
		}
		if right := left + 1; right < n && q.heap[right].before(&q.heap[least]) {
			least = right
		}
		if least == i {
			return first
		}
		q.heap[i], q.heap[least] = q.heap[least], q.heap[i]
		i = least
	}
}

// recycle returns the buffer of a popped datagram to the pool.
func (q *delayQueue) recycle(p delayedDatagram) { q.free = append(q.free, p.data) }
