package netcode

// windowSize is the number of sequence numbers below the newest that the window tracks.
const windowSize = 256

// window tracks which of the newest sequence numbers were received. The zero value has received none.
type window struct {
	most uint64
	seen [windowSize / 64]uint64 // a ring of bits for the numbers above most - windowSize
}

// newWindow returns the window after a session's first packet. Lower numbers belong to an earlier session with the same key
// and count as received.
func newWindow(first uint64) (w window) {
	w.most = first
	for i := range w.seen {
		w.seen[i] = 1<<64 - 1
	}
	return w
}

// check reports whether a packet with this number may be new.
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

// advance records an authentic packet that passed check.
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
