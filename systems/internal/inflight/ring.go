package inflight

// Ring keeps what each of the last packets of a session carried, by sequence. A packet takes
// the place of the one that went out as many packets before as the ring has places; nobody
// waits for that any more.
type Ring[T any] []packet[T]

// packet is what went out under a sequence.
type packet[T any] struct {
	carried T
	seq     uint16
	open    bool // neither acknowledged nor replaced
}

// New makes a ring of so many places, a power of two.
func New[T any](places int) Ring[T] {
	return make(Ring[T], places)
}

// Put begins to remember packet seq. The caller fills in what it carried: until then that is
// what an earlier packet did, so that its memory is used again.
func (r Ring[T]) Put(seq uint16) *T {
	p := &r[int(seq)%len(r)]
	p.seq, p.open = seq, true
	return &p.carried
}

// Take returns what packet seq carried, the first time that it is asked for; nil where the
// packet is not remembered.
func (r Ring[T]) Take(seq uint16) *T {
	p := &r[int(seq)%len(r)]
	if !p.open || p.seq != seq {
		return nil
	}
	p.open = false
	return &p.carried
}

// Clear makes all packets count as acknowledged.
func (r Ring[T]) Clear() {
	for i := range r {
		r[i].open = false
	}
}

// All yields what the packets carried that have not been replaced, in no order, and whether
// they are still in flight; where fewer have been sent than there are places, zero values too.
func (r Ring[T]) All(yield func(carried *T, open bool) bool) {
	for i := range r {
		if p := &r[i]; !yield(&p.carried, p.open) {
			return
		}
	}
}
