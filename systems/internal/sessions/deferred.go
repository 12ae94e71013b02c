package sessions

import "slices"

// Deferred holds work that workers leave to the main goroutine because it affects more than the current client.
// Each worker has its own list. The work runs client by client, so that the result does not depend on which worker
// had which client. Create it with [NewDeferred].
type Deferred[T any] struct {
	lists  []deferredList[T] // by worker
	sorted []*deferredItem[T]
}

// deferredList is the list of one worker.
type deferredList[T any] struct {
	items []deferredItem[T]
	bytes []byte
}

// deferredItem is one piece of deferred work.
type deferredItem[T any] struct {
	place, nth int // index of the client, and number within its work
	value      T
	bytes      []byte // bytes[from:to] of the list
	from, to   int
}

// NewDeferred returns lists for the given number of workers.
func NewDeferred[T any](workers int) *Deferred[T] {
	return &Deferred[T]{lists: make([]deferredList[T], workers)}
}

// Add adds work of a client with a copy of bytes. place is the client's index, and nth the number within its work.
func (l *Deferred[T]) Add(worker, place, nth int, is T, bytes []byte) {
	x := &l.lists[worker]
	from := len(x.bytes)
	x.bytes = append(x.bytes, bytes...)
	x.items = append(x.items, deferredItem[T]{place: place, nth: nth, value: is, from: from, to: len(x.bytes)})
}

// Run calls do for all deferred work, ordered by client, and clears the lists. The bytes are valid during the call.
func (l *Deferred[T]) Run(do func(is T, bytes []byte)) {
	for i := range l.lists {
		x := &l.lists[i]
		for k := range x.items {
			x.items[k].bytes = x.bytes[x.items[k].from:x.items[k].to]
			l.sorted = append(l.sorted, &x.items[k])
		}
	}
	if len(l.sorted) == 0 {
		return
	}
	slices.SortFunc(l.sorted, func(a, b *deferredItem[T]) int {
		if a.place != b.place {
			return a.place - b.place
		}
		return a.nth - b.nth
	})
	for _, t := range l.sorted {
		do(t.value, t.bytes)
	}
	clear(l.sorted)
	l.sorted = l.sorted[:0]
	for i := range l.lists {
		x := &l.lists[i]
		clear(x.items)
		x.items, x.bytes = x.items[:0], x.bytes[:0]
	}
}
