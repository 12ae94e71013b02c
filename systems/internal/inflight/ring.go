package inflight

// Ring stores the contents of the last packets of a session by sequence number. A packet replaces the one that was
// sent len(ring) packets earlier.
type Ring[T any] []packet[T]

// packet is the contents of a sent packet.
type packet[T any] struct {
	carried T
	seq     uint16
	open    bool // neither acknowledged nor replaced
}

// New returns a ring for the given number of packets, a power of two.
func New[T any](places int) Ring[T] {
	return make(Ring[T], places)
}

// Put starts storing packet seq and returns its contents for the caller to fill in. They still hold the contents of
// an earlier packet, so that memory is reused.
func (r Ring[T]) Put(seq uint16) *T {
	p := &r[int(seq)%len(r)]
	p.seq, p.open = seq, true
	return &p.carried
}

// Reserve doubles the ring, up to a number of packets, if Put would replace a packet that is in flight and still needed.
func (r *Ring[T]) Reserve(seq uint16, most int, needed func(*T) bool) {
	old := *r
	if p := &old[int(seq)%len(old)]; !p.open || len(old) >= most || !needed(&p.carried) {
		return
	}
	*r = make(Ring[T], 2*len(old))
	for i := range old {
		(*r)[int(old[i].seq)%len(*r)] = old[i]
	}
}

// Take returns the contents of packet seq once, or nil if the packet is not stored.
func (r Ring[T]) Take(seq uint16) *T {
	p := &r[int(seq)%len(r)]
	if !p.open || p.seq != seq {
		return nil
	}
	p.open = false
	return &p.carried
}

// Clear marks all packets as acknowledged.
func (r Ring[T]) Clear() {
	for i := range r {
		r[i].open = false
	}
}

// All yields the contents of the stored packets, in no particular order, and whether they are still in flight. It
// includes zero values if the ring is not full.
func (r Ring[T]) All(yield func(carried *T, open bool) bool) {
	for i := range r {
		if p := &r[i]; !yield(&p.carried, p.open) {
			return
		}
	}
}
