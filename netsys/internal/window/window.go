package window

import "math/bits"

const (
	// least is how many packets the ring of a window begins with.
	least = 16
	// usual is how many it keeps room for.
	usual = 128
)

// Window has an entry for each of the newest packets, by the number of the packet, which wraps. The newest are in a
// ring, which is as long as it was asked to be. What leaves that is forgotten, but for what is to be kept, which goes
// into a list until as many packets came after it as the window is long. So there is memory for the packets of a round
// trip, and one by one for those that got lost.
//
// The window itself is one cache line.
type Window[T any] struct {
	ring []T
	end  uint16 // the number behind the newest
	most uint16
	head int32        // of those kept
	kept []strayed[T] // older than the ring, oldest first
	keep func(*T) bool
}

// strayed is an entry that has left the ring.
type strayed[T any] struct {
	seq uint16
	is  T
}

// New returns an empty window of so many packets, 1 to 32,768. keep tells which entries outlive the ring; zero entries
// must not.
func New[T any](most int, keep func(*T) bool) Window[T] {
	return Window[T]{most: uint16(most), keep: keep}
}

// Most is how many packets an entry is remembered for.
func (w *Window[T]) Most() int { return int(w.most) }

// age is how many packets are newer than one.
func (w *Window[T]) age(seq uint16) int { return int(w.end - 1 - seq) }

// Room makes the ring hold so many packets, or those of the whole window.
func (w *Window[T]) Room(packets int) {
	n := len(w.ring)
	if packets = min(packets, int(w.most)); packets <= n {
		return
	}
	grown := make([]T, max(1<<bits.Len(uint(packets-1)), least))
	put := func(seq uint16, x *T) { grown[int(seq)%len(grown)] = *x }
	for back := range n {
		seq := w.end - 1 - uint16(back)
		put(seq, &w.ring[int(seq)%n])
	}
	for last := len(w.kept) - 1; last >= int(w.head) && w.age(w.kept[last].seq) < len(grown); last-- {
		put(w.kept[last].seq, &w.kept[last].is)
		w.kept = w.kept[:last]
	}
	w.ring = grown
}

// Fit gives memory back, where a ring for so many packets takes a quarter of what there is: what an outage left. A small
// ring stays, since packets that get lost make the need for it come and go.
func (w *Window[T]) Fit(packets int) {
	n := len(w.ring)
	if n <= usual || 4*packets > n {
		return
	}
	old, end := w.ring, w.end
	w.ring = make([]T, max(1<<bits.Len(uint(packets-1)), usual))
	for back := n; back > 0; back-- {
		seq := end - uint16(back)
		x := &old[int(seq)%n]
		switch {
		case back <= len(w.ring):
			w.ring[int(seq)%len(w.ring)] = *x
		case w.keep(x) && back <= int(w.most):
			w.stray(seq, x)
		}
	}
}

// Open makes seq the newest packet and returns its entry, which is zero, as those of skipped ones are. It may be the
// newest already, which begins anew then.
func (w *Window[T]) Open(seq uint16) *T {
	w.Room(1)
	var zero T
	switch ahead := int(seq + 1 - w.end); {
	case ahead == 0:
	case ahead >= int(w.most):
		clear(w.ring)
		w.kept, w.head = w.kept[:0], 0
		w.end = seq + 1
	default:
		for range ahead {
			x := &w.ring[int(w.end)%len(w.ring)]
			if w.keep(x) {
				w.stray(w.end-uint16(len(w.ring)), x)
			}
			*x = zero
			w.end++
		}
		for int(w.head) < len(w.kept) && w.age(w.kept[w.head].seq) >= int(w.most) {
			w.head++
		}
		if int(w.head) == len(w.kept) && cap(w.kept) > usual {
			w.kept, w.head = nil, 0
		}
	}
	x := &w.ring[int(seq)%len(w.ring)]
	*x = zero
	return x
}

// stray keeps an entry that leaves the ring.
func (w *Window[T]) stray(seq uint16, x *T) {
	if int(w.head) == len(w.kept) || len(w.kept) == cap(w.kept) && int(w.head) > len(w.kept)/2 {
		w.kept, w.head = w.kept[:copy(w.kept, w.kept[w.head:])], 0
	}
	w.kept = append(w.kept, strayed[T]{seq, *x})
}

// Find is the entry of a packet: nil, or the zero entry, where it was not opened or is forgotten. It is valid until the
// next call of Room or Open.
func (w *Window[T]) Find(seq uint16) *T {
	age := w.age(seq)
	switch {
	case age >= int(w.most):
		return nil
	case age < len(w.ring):
		return &w.ring[int(seq)%len(w.ring)]
	}
	low, high := int(w.head), len(w.kept)
	for low < high {
		middle := (low + high) / 2
		switch x := &w.kept[middle]; {
		case x.seq == seq:
			return &x.is
		case w.age(x.seq) > age:
			low = middle + 1
		default:
			high = middle
		}
	}
	return nil
}

// Oldest is the oldest entry of which of is true; nil where there is none.
func (w *Window[T]) Oldest(of func(*T) bool) *T {
	for i := int(w.head); i < len(w.kept); i++ {
		if x := &w.kept[i].is; of(x) {
			return x
		}
	}
	for back := min(len(w.ring), int(w.most)); back > 0; back-- {
		if x := &w.ring[int(w.end-uint16(back))%len(w.ring)]; of(x) {
			return x
		}
	}
	return nil
}
