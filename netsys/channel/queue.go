package channel

import "time"

// waiting is a queued message.
type waiting struct {
	pos  uint64 // position of its bytes, counted from the first byte ever queued
	size int
	at   time.Duration // when the game sent it

	copies int // in how many packets to send it before an acknowledgement is overdue
}

// queue holds messages in the order of sending, numbered from 0: the queue contains [base, next). Bytes and entries are
// rings that grow with use up to their limits. A queue that has grown to its traffic allocates nothing.
type queue struct {
	entries    []waiting
	base, next uint64
	most       int

	ring       []byte // the length is a power of two
	head, tail uint64 // positions of the first used byte and after the last one
	mostBytes  int

	lately      int // largest number of messages since the last tidy
	latelyBytes int // and of bytes
}

func newQueue(messages, bytes int) queue { return queue{most: messages, mostBytes: bytes} }

func (q *queue) len() int   { return int(q.next - q.base) }
func (q *queue) bytes() int { return int(q.tail - q.head) }

// fits reports whether the queue has room for a message of n bytes.
func (q *queue) fits(n int) bool { return q.len() < q.most && q.bytes()+n <= q.mostBytes }

// at returns a queued message.
func (q *queue) at(id uint64) *waiting { return &q.entries[id%uint64(len(q.entries))] }

// push adds a message. The caller has checked fits.
func (q *queue) push(b []byte, at time.Duration) {
	if q.len() == len(q.entries) {
		grown := make([]waiting, min(max(leastEntries, 2*len(q.entries)), q.most))
		for id := q.base; id != q.next; id++ {
			grown[id%uint64(len(grown))] = *q.at(id)
		}
		q.entries = grown
	}
	if need := q.bytes() + len(b); need > len(q.ring) {
		size := max(leastRing, len(q.ring))
		for size < need {
			size *= 2
		}
		grown := make([]byte, size)
		x, y := q.span(q.head, q.bytes())
		scatter(grown, q.head, x)
		scatter(grown, q.head+uint64(len(x)), y)
		q.ring = grown
	}
	*q.at(q.next) = waiting{pos: q.tail, size: len(b), at: at}
	scatter(q.ring, q.tail, b)
	q.tail += uint64(len(b))
	q.next++
	q.lately, q.latelyBytes = max(q.lately, q.len()), max(q.latelyBytes, q.bytes())
}

// tidy releases memory if at most a quarter was used since the last call.
func (q *queue) tidy() {
	if q.len() == 0 {
		if len(q.ring) > leastRing && 4*q.latelyBytes <= len(q.ring) {
			q.ring = nil
		}
		if len(q.entries) > leastEntries && 4*q.lately <= len(q.entries) {
			q.entries = nil
		}
	}
	q.lately, q.latelyBytes = q.len(), q.bytes()
}

// Initial sizes of a queue, in messages and bytes.
const (
	leastEntries = 8
	leastRing    = 1 << 10
)

// scatter copies b into a ring at a position.
func scatter(ring []byte, pos uint64, b []byte) {
	if len(b) > 0 {
		n := copy(ring[pos%uint64(len(ring)):], b)
		copy(ring, b[n:])
	}
}

// span returns the n bytes at a position, as x followed by y.
func (q *queue) span(pos uint64, n int) (x, y []byte) {
	if n == 0 {
		return nil, nil
	}
	i := int(pos % uint64(len(q.ring)))
	if i+n <= len(q.ring) {
		return q.ring[i : i+n], nil
	}
	return q.ring[i:], q.ring[:i+n-len(q.ring)]
}

// pop removes the oldest message.
func (q *queue) pop() {
	m := q.at(q.base)
	q.head = m.pos + uint64(m.size)
	q.base++
}

// cut removes the newest message.
func (q *queue) cut() {
	q.next--
	q.tail = q.at(q.next).pos
}

// bits is a set of small numbers.
type bits []uint64

func newBits(n int) bits { return make(bits, (n+63)/64) }

func (b bits) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b bits) add(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bits) remove(i int)   { b[i/64] &^= 1 << (i % 64) }
