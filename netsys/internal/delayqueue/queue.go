package delayqueue

import (
	"net/netip"
	"time"
)

// Delayed is a datagram that waits for its time.
type Delayed struct {
	Due   time.Time
	order uint64
	Addr  netip.AddrPort
	Data  []byte
}

// before orders datagrams by time; equal times keep the order in which they were pushed, so that what comes
// out depends on nothing but what went in.
func (p *Delayed) before(o *Delayed) bool {
	if c := p.Due.Compare(o.Due); c != 0 {
		return c < 0
	}
	return p.order < o.order
}

// Queue is a bounded binary heap of datagrams, earliest first, with pooled buffers.
type Queue struct {
	heap  []Delayed
	free  [][]byte
	limit int // of datagrams
	size  int // of a buffer
	order uint64
}

// New makes a queue for so many datagrams, each of at most size bytes; what is longer is cut.
func New(limit, size int) Queue { return Queue{limit: limit, size: size} }

// Len is how many wait.
func (q *Queue) Len() int { return len(q.heap) }

// Push copies data and reports whether there was room.
func (q *Queue) Push(due time.Time, addr netip.AddrPort, data []byte) bool {
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
	q.heap = append(q.heap, Delayed{due, q.order, addr, b})
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

// Next is the time of the earliest.
func (q *Queue) Next() (time.Time, bool) {
	if len(q.heap) == 0 {
		return time.Time{}, false
	}
	return q.heap[0].Due, true
}

// Due reports whether the time of one has come.
func (q *Queue) Due(now time.Time) bool {
	return len(q.heap) > 0 && !q.heap[0].Due.After(now)
}

// Pop removes the earliest. Its buffer belongs to the caller until [Queue.Recycle].
func (q *Queue) Pop() Delayed {
	first := q.heap[0]
	n := len(q.heap) - 1
	q.heap[0] = q.heap[n]
	q.heap[n] = Delayed{}
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

// Recycle takes back the buffer of one that was popped.
func (q *Queue) Recycle(p Delayed) { q.free = append(q.free, p.Data) }
