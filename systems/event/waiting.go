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
	due         uint32 // it is handled when the state has more ticks than this; see add
	early       bool   // it is not to wait
	tick, about uint32
	words       []byte
}

// waiting is the events of a server that wait, in the order in which they are handled.
type waiting struct {
	events  []waitingEvent
	bytes   int
	ordered []uint32 // by channel: when the last event of an ordered one is due
}

// add puts an event behind those that are due no later. On an ordered channel it is due
// no earlier than the one before it there.
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

// before reports whether e is handled before o, which came first.
func (e *waitingEvent) before(o *waitingEvent) bool {
	if e.early != o.early {
		return e.early
	}
	return e.due < o.due
}

// due reports whether the first event is to be handled in a state with so many ticks.
func (w *waiting) due(ticks uint32) bool {
	return len(w.events) > 0 && (w.events[0].early || w.events[0].due < ticks)
}

// first takes out the first event.
func (w *waiting) first() waitingEvent {
	e := w.events[0]
	w.events = slices.Delete(w.events, 0, 1)
	w.bytes -= len(e.words)
	return e
}

// clear forgets all of them.
func (w *waiting) clear() {
	w.events, w.bytes = w.events[:0], 0
	clear(w.ordered)
}
