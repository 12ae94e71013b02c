package netsys

import (
	"net/netip"
	"time"
)

// delayed is a datagram that waits for its time.
type delayed struct {
	due   time.Time
	order uint64
	addr  netip.AddrPort
	data  []byte
}

// before orders datagrams by time; equal times keep the order in which they were pushed, so that what comes
// out depends on nothing but what went in.
func (p *delayed) before(o *delayed) bool {
	if c := p.due.Compare(o.due); c != 0 {
		return c < 0
	}
	return p.order < o.order
}

// delayQueue is a bounded binary heap of datagrams, earliest first, with pooled buffers.
type delayQueue struct {
	heap  []delayed
	free  [][]byte
	limit int
	order uint64
}

// push copies data and reports whether there was room.
func (q *delayQueue) push(due time.Time, addr netip.AddrPort, data []byte) bool {
	if len(q.heap) >= q.limit {
		return false
	}
	var b []byte
	if n := len(q.free); n > 0 {
		b, q.free = q.free[n-1], q.free[:n-1]
	} else {
		b = make([]byte, MaxDatagram+1)
	}
	b = b[:copy(b[:cap(b)], data)]
	q.heap = append(q.heap, delayed{due, q.order, addr, b})
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

// next is the time of the earliest.
func (q *delayQueue) next() (time.Time, bool) {
	if len(q.heap) == 0 {
		return time.Time{}, false
	}
	return q.heap[0].due, true
}

// due reports whether the time of one has come.
func (q *delayQueue) due(now time.Time) bool {
	return len(q.heap) > 0 && !q.heap[0].due.After(now)
}

// pop removes the earliest. Its buffer belongs to the caller until recycle.
func (q *delayQueue) pop() delayed {
	first := q.heap[0]
	n := len(q.heap) - 1
	q.heap[0] = q.heap[n]
	q.heap[n] = delayed{}
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

func (q *delayQueue) recycle(p delayed) { q.free = append(q.free, p.data) }
