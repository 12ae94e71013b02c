package sessions

import "slices"

// Later is what workers leave to the goroutine that they work for, since it is about more than the client at hand:
// each writes its own list, and what is on them is done client by client. So it does not matter which worker had which
// client. Make one with [NewLater].
type Later[T any] struct {
	lists  []left[T] // by worker
	sorted []*turn[T]
}

// left is what one worker has left.
type left[T any] struct {
	turns []turn[T]
	bytes []byte
}

// turn is one thing that was left.
type turn[T any] struct {
	place, nth int // of the client, and of what was left of it
	is         T
	bytes      []byte // where
	from, to   int    // they are
}

// NewLater makes the lists of so many workers.
func NewLater[T any](workers int) *Later[T] { return &Later[T]{lists: make([]left[T], workers)} }

// Leave leaves something of a client, with a copy of bytes: of the client at a place, the nth that is left of it.
func (l *Later[T]) Leave(worker, place, nth int, is T, bytes []byte) {
	x := &l.lists[worker]
	from := len(x.bytes)
	x.bytes = append(x.bytes, bytes...)
	x.turns = append(x.turns, turn[T]{place: place, nth: nth, is: is, from: from, to: len(x.bytes)})
}

// Do does all that was left, in the order of clients, and what is of one as it was left. The bytes are good during the
// call.
func (l *Later[T]) Do(do func(is T, bytes []byte)) {
	for i := range l.lists {
		x := &l.lists[i]
		for k := range x.turns {
			x.turns[k].bytes = x.bytes[x.turns[k].from:x.turns[k].to]
			l.sorted = append(l.sorted, &x.turns[k])
		}
	}
	if len(l.sorted) == 0 {
		return
	}
	slices.SortFunc(l.sorted, func(a, b *turn[T]) int {
		if a.place != b.place {
			return a.place - b.place
		}
		return a.nth - b.nth
	})
	for _, t := range l.sorted {
		do(t.is, t.bytes)
	}
	clear(l.sorted)
	l.sorted = l.sorted[:0]
	for i := range l.lists {
		x := &l.lists[i]
		clear(x.turns)
		x.turns, x.bytes = x.turns[:0], x.bytes[:0]
	}
}
