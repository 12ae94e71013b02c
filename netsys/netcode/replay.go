package netcode

// windowSize is how many sequence numbers behind the newest can be told apart.
const windowSize = 256

// window remembers which of the newest sequence numbers were received. Its zero value has received none.
type window struct {
	most uint64
	seen [windowSize / 64]uint64 // a ring of bits: sequence numbers above most - windowSize
}

// newWindow begins with a session's first packet: what has a lower number belongs to an earlier session of the same
// key, and counts as received.
func newWindow(first uint64) (w window) {
	w.most = first
	for i := range w.seen {
		w.seen[i] = 1<<64 - 1
	}
	return w
}

// check says whether a packet with this number may be new.
func (w *window) check(sequence uint64) DropReason {
	switch {
	// Adding to the sequence number instead could overflow.
	case w.most >= windowSize && sequence <= w.most-windowSize:
		return DropStale
	case sequence <= w.most && w.seen[sequence/64%4]>>(sequence%64)&1 != 0:
		return DropReplay
	}
	return DropNone
}

// advance notes an authentic packet that passed check.
func (w *window) advance(sequence uint64) {
	if sequence > w.most {
		if sequence-w.most >= windowSize {
			w.seen = [windowSize / 64]uint64{}
		} else {
			for s := w.most + 1; s != sequence; s++ {
				w.seen[s/64%4] &^= 1 << (s % 64)
			}
		}
		w.most = sequence
	}
	w.seen[sequence/64%4] |= 1 << (sequence % 64)
}
