package eventloop

// outbox is the bounded queue of frames that wait for one socket. When it is full the oldest frame goes, but
// never one of which the socket has taken a part.
type outbox struct {
	ring  [][]byte
	head  int
	count int
	sent  int // bytes of the oldest frame that the socket took
	free  [][]byte
}

func newOutbox(capacity int) outbox { return outbox{ring: make([][]byte, capacity)} }

// buffer returns an empty buffer to build a frame in, for push.
func (o *outbox) buffer() []byte {
	if n := len(o.free); n > 0 {
		b := o.free[n-1]
		o.free = o.free[:n-1]
		return b[:0]
	}
	return nil
}

// push queues a frame and reports whether an older one had to go. The frame belongs to the outbox from then on.
func (o *outbox) push(frame []byte) (dropped bool) {
	if o.count == len(o.ring) {
		o.dropOldest()
		dropped = true
	}
	o.ring[(o.head+o.count)%len(o.ring)] = frame
	o.count++
	return dropped
}

func (o *outbox) dropOldest() {
	if o.sent == 0 {
		o.pop()
		return
	}
	// The frame that is partly sent takes the place of the one behind it.
	second := (o.head + 1) % len(o.ring)
	o.free = append(o.free, o.ring[second])
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
	o.free = append(o.free, o.ring[o.head])
	o.ring[o.head] = nil
	o.head = (o.head + 1) % len(o.ring)
	o.count--
	o.sent = 0
}
