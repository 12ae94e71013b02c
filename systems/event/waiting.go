package event

import (
	"slices"
	"sort"

	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/netsys/channel"
)

// waitingEvent is an event that waits for the state of its tick.
type waitingEvent struct {
	kind        *kind
	due         uint32 // handled when the state includes this tick, see add
	early       bool   // handled without waiting
	tick, about uint32
	words       []byte
}

// waiting is the queue of the server's events at a client, in the order of handling.
type waiting struct {
	events  []waitingEvent
	bytes   int
	ordered []uint32 // by channel: tick at which the last event of an ordered channel is due
}

// add inserts an event after all events that are due at the same time or earlier. On an ordered channel it is due no
// earlier than the previous event of this channel.
func (w *waiting) add(h *head, words []byte) {
	e := waitingEvent{kind: h.kind, due: h.tick, tick: h.tick, about: h.about, words: words}
	switch {
	case h.kind.options.Early:
		e.due, e.early = 0, true
	case h.kind.promise == channel.ReliableOrdered:
		e.due = max(e.due, w.ordered[h.kind.channel])
		w.ordered[h.kind.channel] = e.due
	}
	at := sort.Search(len(w.events), func(i int) bool { return e.before(&w.events[i]) })
	w.events = reuse.Insert(w.events, at, e)
	w.bytes += len(words)
}

// before reports whether e is handled before o, where o arrived first.
func (e *waitingEvent) before(o *waitingEvent) bool {
	if e.early != o.early {
		return e.early
	}
	return e.due < o.due
}

// isDue reports whether the first event is due in a state that includes this number of ticks.
func (w *waiting) isDue(ticks uint32) bool {
	return len(w.events) > 0 && (w.events[0].early || w.events[0].due < ticks)
}

// pop removes and returns the first event.
func (w *waiting) pop() waitingEvent {
	e := w.events[0]
	w.events = slices.Delete(w.events, 0, 1)
	w.bytes -= len(e.words)
	return e
}

// clear removes all events.
func (w *waiting) clear() {
	w.events, w.bytes = w.events[:0], 0
	clear(w.ordered)
}
