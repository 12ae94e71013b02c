package eventloop

import "sync"

// outbox is the bounded queue of frames that wait for one socket. When it is full, the oldest frame is dropped, but never one
// that is partly written. It uses memory only while frames wait.
type outbox struct {
	capacity int
	ring     [][]byte
	head     int
	count    int
	written  int // bytes of the oldest frame that the socket has accepted
	pool     *framePool
}

// minRing is the size of the ring when the first frame waits.
const minRing = 4

func newOutbox(capacity int, pool *framePool) outbox { return outbox{capacity: capacity, pool: pool} }

// buffer returns an empty buffer in which to build a frame for push.
func (o *outbox) buffer() []byte { return o.pool.get() }

// push queues a frame and reports whether an older one was dropped. The frame belongs to the outbox from now on.
func (o *outbox) push(frame []byte) (dropped bool) {
	switch {
	case o.count == o.capacity:
		o.dropOldest()
		dropped = true
	case o.count == len(o.ring):
		ring := make([][]byte, min(max(2*o.count, minRing), o.capacity))
		for i := range ring[:o.count] {
			ring[i] = o.ring[(o.head+i)%o.count]
		}
		o.ring, o.head = ring, 0
	}
	o.ring[(o.head+o.count)%len(o.ring)] = frame
	o.count++
	return dropped
}

// pushUnwritten queues the frames that the socket has not accepted completely. The frames are concatenated in all and end at
// the offsets in ends. written is the number of bytes that the socket has accepted. It may be above 0 only if the outbox is
// empty. pushUnwritten returns the number of dropped frames.
func (o *outbox) pushUnwritten(all []byte, ends []int, written int) (dropped int) {
	start := 0
	for _, end := range ends {
		if written < end {
			if o.push(append(o.buffer(), all[start:end]...)) {
				dropped++
			}
			if written > start {
				o.advance(written - start)
			}
		}
		start = end
	}
	return dropped
}

// dropOldest drops the oldest frame of which nothing is written.
func (o *outbox) dropOldest() {
	if o.written == 0 {
		o.pop()
		return
	}
	// The partly written frame moves to the place of the one behind it.
	second := (o.head + 1) % len(o.ring)
	o.pool.put(o.ring[second])
	o.ring[second], o.ring[o.head] = o.ring[o.head], nil
	o.head = second
	o.count--
}

// next returns the bytes to write next, or nil if the outbox is empty.
func (o *outbox) next() []byte {
	if o.count == 0 {
		return nil
	}
	return o.ring[o.head][o.written:]
}

// advance records that the socket accepted n bytes of those that next returned.
func (o *outbox) advance(n int) {
	if o.written += n; o.written == len(o.ring[o.head]) {
		o.pop()
	}
}

// pop removes the oldest frame.
func (o *outbox) pop() {
	o.pool.put(o.ring[o.head])
	o.ring[o.head] = nil
	o.head = (o.head + 1) % len(o.ring)
	o.count--
	o.written = 0
}

// clear removes all frames.
func (o *outbox) clear() {
	for o.count > 0 {
		o.pop()
	}
	o.ring = nil
}

// maxPooled is the number of buffers that a framePool keeps for all connections: 1.5 MB.
const maxPooled = 1024

// framePool keeps unused frame buffers. It is safe for concurrent use.
type framePool struct {
	mu   sync.Mutex
	free [][]byte
}

// get returns an empty buffer.
func (p *framePool) get() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.free)
	if n == 0 {
		return make([]byte, 0, maxFrame)
	}
	b := p.free[n-1]
	p.free[n-1], p.free = nil, p.free[:n-1]
	return b[:0]
}

// put returns a buffer to the pool. If the pool is full, the garbage collector frees the buffer.
func (p *framePool) put(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < maxPooled {
		p.free = append(p.free, b)
	}
}
