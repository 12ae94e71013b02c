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
	since       uint32 // ticks in the state with which the event was due for the first time; 0: it was not due yet
	tick, about uint32
	words       []byte
}

// patience returns for how many ticks an event that is due waits for states that the client lacks: 5 seconds.
func patience(tickRate int) uint32 { return 5 * uint32(tickRate) }

// waiting is the queue of the server's events at a client, in the order of handling.
type waiting struct {
	events  []waitingEvent
	bytes   int
	ordered []uint32 // by channel: tick at which the last event of an ordered channel is due
}

// add inserts an event after all events that are due at the same time or earlier. On an ordered channel it is due no
// earlier than the previous event of this channel.
func (w *waiting) add(h *head, words []byte) {
	e := waitingEvent{kind: h.kind, due: h.tick + h.late, tick: h.tick, about: h.about, words: words}
	switch {
	case h.kind.options.Early:
		e.early = true
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
	if e.early || o.early {
		return e.early && !o.early
	}
	return e.due < o.due
}

// isDue reports whether there is an i-th event that is due in a state that includes this number of ticks.
func (w *waiting) isDue(i int, ticks uint32) bool {
	return i < len(w.events) && (w.events[i].early || w.events[i].due < ticks)
}

// remove removes and returns the i-th event.
func (w *waiting) remove(i int) waitingEvent {
	e := w.events[i]
	w.events = slices.Delete(w.events, i, i+1)
	w.bytes -= len(e.words)
	return e
}

// clear removes all events.
func (w *waiting) clear() {
	w.events, w.bytes = w.events[:0], 0
	clear(w.ordered)
}
