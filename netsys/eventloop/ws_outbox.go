package eventloop

import "sync"

// outbox is the bounded queue of frames that wait for one socket. When it is full the oldest frame goes, but
// never one of which the socket has taken a part. It has memory for those that wait, and none while none does.
type outbox struct {
	most  int
	ring  [][]byte
	head  int
	count int
	sent  int // bytes of the oldest frame that the socket took
	spare *spareFrames
}

// leastRing is for how many frames there is a ring once one waits.
const leastRing = 4

func newOutbox(capacity int, spare *spareFrames) outbox { return outbox{most: capacity, spare: spare} }

// buffer returns an empty buffer to build a frame in, for push.
func (o *outbox) buffer() []byte { return o.spare.take() }

// push queues a frame and reports whether an older one had to go. The frame belongs to the outbox from then on.
func (o *outbox) push(frame []byte) (dropped bool) {
	switch {
	case o.count == o.most:
		o.dropOldest()
		dropped = true
	case o.count == len(o.ring):
		ring := make([][]byte, min(max(2*o.count, leastRing), o.most))
		for i := range ring[:o.count] {
			ring[i] = o.ring[(o.head+i)%o.count]
		}
		o.ring, o.head = ring, 0
	}
	o.ring[(o.head+o.count)%len(o.ring)] = frame
	o.count++
	return dropped
}

// pushRest queues those of whole frames, which lie one behind the other in all and end at ends, that the socket has not
// taken, when it took so many bytes of them and nothing waited. It returns how many had to go.
func (o *outbox) pushRest(all []byte, ends []int, taken int) (dropped int) {
	begin := 0
	for _, end := range ends {
		if taken < end {
			if o.push(append(o.buffer(), all[begin:end]...)) {
				dropped++
			}
			if taken > begin {
				o.took(taken - begin)
			}
		}
		begin = end
	}
	return dropped
}

func (o *outbox) dropOldest() {
	if o.sent == 0 {
		o.pop()
		return
	}
	// The frame that is partly sent takes the place of the one behind it.
	second := (o.head + 1) % len(o.ring)
	o.spare.put(o.ring[second])
	o.ring[second], o.ring[o.head] = o.ring[o.head], nil
	o.head = second
	o.count--
}

// next returns the bytes to write next, nil when there are none.
func (o *outbox) next() []byte {
	if o.count == 0 {
		return nil
	}
	return o.ring[o.head][o.sent:]
}

// took notes that the socket took n bytes of what next returned.
func (o *outbox) took(n int) {
	if o.sent += n; o.sent == len(o.ring[o.head]) {
		o.pop()
	}
}

func (o *outbox) pop() {
	o.spare.put(o.ring[o.head])
	o.ring[o.head] = nil
	o.head = (o.head + 1) % len(o.ring)
	o.count--
	o.sent = 0
}

// clear drops everything.
func (o *outbox) clear() {
	for o.count > 0 {
		o.pop()
	}
	o.ring = nil
}

// mostSpare is how many buffers are kept for frames to come, of all connections: 1.5 MB.
const mostSpare = 1024

// spareFrames are buffers that no frame is in. Everybody takes from them.
type spareFrames struct {
	mu   sync.Mutex
	free [][]byte
}

// take returns an empty buffer.
func (s *spareFrames) take() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.free)
	if n == 0 {
		return make([]byte, 0, maxFrame)
	}
	b := s.free[n-1]
	s.free[n-1], s.free = nil, s.free[:n-1]
	return b[:0]
}

// put gives a buffer back, which is let go where there are enough.
func (s *spareFrames) put(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) < mostSpare {
		s.free = append(s.free, b)
	}
}
