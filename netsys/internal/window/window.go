package window

import "math/bits"

const (
	// least is the smallest length of a ring.
	least = 16
	// usual is the length to which Fit shrinks a ring.
	usual = 128
)

// Window holds an entry for each of the newest packets, by sequence number, which wraps. The newest entries are in a ring,
// as long as the last call of Room requested. An entry that leaves the ring is dropped, unless keep returns true: then the
// entry moves to a list and stays until it is as old as the window is long. The memory therefore covers the packets of one
// round trip, plus one entry for each lost packet.
//
// The Window itself occupies one cache line.
type Window[T any] struct {
	ring []T
	end  uint16 // sequence number after the newest
	most uint16
	head int32        // index of the oldest live entry in kept
	kept []strayed[T] // entries older than the ring, oldest first
	keep func(*T) bool
}

// strayed is an entry older than the ring.
type strayed[T any] struct {
	seq uint16
	is  T
}

// New returns an empty window of most packets, 1 to 32,768. keep reports whether an entry outlives the ring; it must return
// false for a zero entry.
func New[T any](most int, keep func(*T) bool) Window[T] {
	return Window[T]{most: uint16(most), keep: keep}
}

// Most returns the length of the window in packets.
func (w *Window[T]) Most() int { return int(w.most) }

// age returns the number of packets newer than seq.
func (w *Window[T]) age(seq uint16) int { return int(w.end - 1 - seq) }

// Room grows the ring to hold the given number of packets, at most the whole window.
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

// Fit releases the memory that an outage left: it shrinks the ring if the given number of packets needs at most a quarter.
// A small ring stays, because lost packets make the need vary.
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

// Open makes seq the newest packet and returns its entry. The entry is zero, and so are the entries of skipped packets. If
// seq is already the newest packet, its entry is reset.
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

// stray moves an entry that leaves the ring to kept.
func (w *Window[T]) stray(seq uint16, x *T) {
	if int(w.head) == len(w.kept) || len(w.kept) == cap(w.kept) && int(w.head) > len(w.kept)/2 {
		w.kept, w.head = w.kept[:copy(w.kept, w.kept[w.head:])], 0
	}
	w.kept = append(w.kept, strayed[T]{seq, *x})
}

// Find returns the entry of a packet. It returns nil or a zero entry if the packet was not opened or its entry was dropped.
// The pointer is valid until the next call of Room or Open.
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

// Oldest returns the oldest entry for which of returns true, or nil.
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
