package event

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"sort"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/reuse"
)

// DefaultLimit is the default of Limit and Waiting in the configurations.
const DefaultLimit = 1024

// outgoing is an event that waits to be sent.
type outgoing struct {
	kind    *kind
	to      address
	message []byte
	words   int // offset of the fields in message
}

// entry is an event of a tick that may be simulated again.
type entry struct {
	outgoing
	tick   uint32
	sent   bool // cannot be withdrawn any more
	absent bool // the last simulation of the tick did not raise it
	// changed is set if the last simulation raised the event with a value other than the sent one.
	changed bool
	paired  bool // matches an entry that was sent before
}

// log stores the events that one peer raises. It matches events of re-simulated ticks with earlier ones, so that each
// event enters the outbox once.
type log struct {
	world    *ecs.World
	registry *Registry
	server   bool
	limit    int
	bound    []binding
	entries  []entry // by tick, then in the order of the calls of Raise
	fresh    []entry // raised in the current tick
	outbox   []outgoing
	free     [][]byte
	next     uint32 // tick after the newest simulated one
	tick     uint32 // current tick, valid while running
	horizon  uint32 // earlier ticks are final
	running  bool
	undated  bool // receivers need not know which simulation of a tick raised an event, see [Hooks].Simulated
	stats    Stats
}

// init prepares a log without a world.
func (l *log) init(r *Registry, limit int, server bool) {
	l.registry, l.limit, l.server = r, limit, server
	if limit == 0 {
		l.limit = DefaultLimit
	}
	for _, k := range r.kinds {
		l.bound = append(l.bound, k.bind())
	}
}

// attach connects the log to a world and discards all events of an earlier world.
func (l *log) attach(w *ecs.World) {
	if other := ecs.Resource[log](w); other != nil && other != l {
		panic("event: the world already has a Server or Client: use one per world")
	}
	ecs.SetResource(w, l)
	l.world, l.next, l.horizon, l.running = w, 0, 0, false
	for i := range l.entries {
		l.putBuffer(l.entries[i].message)
	}
	for i := range l.fresh {
		l.putBuffer(l.fresh[i].message)
	}
	l.entries, l.fresh = l.entries[:0], l.fresh[:0]
	l.drop()
}

// Registry returns the registry of the event types.
func (l *log) Registry() *Registry { return l.registry }

// drop discards the outbox.
func (l *log) drop() {
	for i := range l.outbox {
		l.stats.Unsent++
		l.putBuffer(l.outbox[i].message)
	}
	l.outbox = l.outbox[:0]
}

// Raise announces the event v to the receivers that to selects.
//
// In a system of Simulate, which both peers run, Raise ignores targets that only the other peer sends to. It sends
// the event once, even if the tick is simulated again; the package documentation explains which events count as the
// same. Outside of Simulate, in a handler or in a system of Authority, each call is a new event.
//
// Raise returns nothing, so Simulate cannot depend on it. It does nothing in a world without a [Server] or [Client],
// and in a partial tick. It panics if the type is not registered, or if its Options.From excludes the target.
func Raise[T any](w *ecs.World, to Target, v T) {
	l := ecs.Resource[log](w)
	if l == nil || l.world != w || w.Partial() {
		return
	}
	k := l.registry.kindOf("Raise", reflect.TypeFor[T]())
	if to.route == routeNone || k.options.From&to.side() == 0 {
		panic(fmt.Sprintf("event: Raise[%s]: the type is %v: choose another target, or change Options.From", k.name, k.options.From))
	}
	if l.server != (to.side() == FromServer) {
		return
	}
	switch {
	case l.running && l.tick < l.horizon:
		l.stats.Late++
		return
	case l.running && len(l.entries)+len(l.fresh) >= l.limit, len(l.outbox) >= l.limit:
		l.stats.Overflowed++
		return
	}
	b := l.bound[k.index].(*bound[T])
	o := outgoing{kind: k, to: addressOf(l.world, to)}
	h := head{kind: k, tick: l.stamp(), about: uint32(o.to.about.NetID)}
	if l.running && l.next > l.tick && !l.undated {
		h.late = l.next - l.tick
	}
	o.message = h.append(l.getBuffer(), l.server)
	o.words = len(o.message)
	o.message = b.append(o.message, v)
	if l.running {
		l.fresh = append(l.fresh, entry{outgoing: o, tick: l.tick})
		return
	}
	l.stats.Raised++
	l.outbox = append(l.outbox, o)
}

// stamp returns the tick or input sequence that an event carries. For a server it is the current tick, or outside of
// ticks the next one. For a client it is the current input, or outside of ticks the newest one.
func (l *log) stamp() uint32 {
	switch {
	case l.running:
		return l.tick
	case l.server || l.next == 0:
		return l.next
	}
	return l.next - 1
}

// Rewind prepares to simulate all ticks from this one again. It panics within a tick.
func (l *log) Rewind(from uint32) {
	l.checkCall("Rewind", !l.running)
	l.withdraw(l.firstSince(from), len(l.entries))
}

// Discard withdraws the events of this tick and all later ones, which will not be simulated soon: the clock that counts
// the ticks went back. It panics within a tick.
func (l *log) Discard(from uint32) {
	l.Rewind(from)
	first := l.firstSince(from)
	for i := range l.entries[first:] {
		l.stats.Unfounded++
		l.putBuffer(l.entries[first+i].message)
	}
	l.entries = slices.Delete(l.entries, first, len(l.entries))
	l.next = min(l.next, from)
}

// Start begins the simulation of a tick. Servers count ticks, clients count input sequences. Events that the tick
// raised in an earlier simulation remain only if it raises them again. A second Start of the current tick restarts
// it. So the first system of Simulate may call Start, which is necessary under ecs.World.ForceRollback, because that
// runs Simulate twice. Start panics if another tick is running.
func (l *log) Start(tick uint32) {
	l.checkCall("Start", !l.running || l.tick == tick)
	for i := range l.fresh {
		l.putBuffer(l.fresh[i].message)
	}
	l.fresh = l.fresh[:0]
	l.tick, l.running = tick, true
}

// Done ends the current tick and queues its new events for Settle. It panics outside of a tick.
func (l *log) Done() {
	l.checkCall("Done", l.running)
	l.running = false
	l.next = max(l.next, l.tick+1)
	from := l.firstSince(l.tick)
	to := from
	for to < len(l.entries) && l.entries[to].tick == l.tick {
		to++
	}
	to -= l.withdraw(from, to)
	l.pair(from, to, true)
	l.pair(from, to, false)
	for i := range l.fresh {
		f := &l.fresh[i]
		if f.paired {
			l.putBuffer(f.message)
			continue
		}
		if !f.kind.options.Final {
			f.sent = true
			l.stats.Raised++
			l.outbox = append(l.outbox, outgoing{f.kind, f.to, append(l.getBuffer(), f.message...), f.words})
		}
		l.entries = reuse.Insert(l.entries, to, *f)
		to++
	}
	l.fresh = l.fresh[:0]
}

// withdraw removes the unsent events of the entries from..to−1 and returns how many it removed. It marks the sent
// ones as absent, until their ticks raise them again.
func (l *log) withdraw(from, to int) int {
	kept := from
	for i := from; i < to; i++ {
		if e := &l.entries[i]; e.sent {
			e.absent = true
			l.entries[kept] = *e
			kept++
		} else {
			l.putBuffer(e.message)
		}
	}
	l.entries = slices.Delete(l.entries, kept, to)
	return to - kept
}

// pair matches the events of the current tick with the absent entries from..to−1: entries with equal values if equal
// is set, else any. A matched entry keeps the value that was sent, so that a later simulation that raises this value
// does not send it again.
func (l *log) pair(from, to int, equal bool) {
	for i := range l.fresh {
		f := &l.fresh[i]
		for j := from; j < to && !f.paired && !f.kind.options.Final; j++ {
			e := &l.entries[j]
			if e.absent && e.kind == f.kind && e.to.same(&f.to) && (!equal || bytes.Equal(e.message[e.words:], f.message[f.words:])) {
				e.absent, e.changed, f.paired = false, !equal, true
				l.stats.Repeated++
			}
		}
	}
}

// finalize advances the horizon and removes the entries before it. It queues Final events for sending.
func (l *log) finalize(horizon uint32) {
	l.checkCall("Settle", !l.running)
	l.horizon = max(l.horizon, horizon)
	n := l.firstSince(l.horizon)
	for i := range n {
		e := &l.entries[i]
		switch {
		case !e.sent:
			l.stats.Raised++
			l.outbox = append(l.outbox, e.outgoing)
			continue
		case e.absent:
			l.stats.Unfounded++
		case e.changed:
			l.stats.Changed++
		}
		l.putBuffer(e.message)
	}
	l.entries = slices.Delete(l.entries, 0, n)
}

// firstSince returns the index of the first entry at or after a tick.
func (l *log) firstSince(tick uint32) int {
	return sort.Search(len(l.entries), func(i int) bool { return l.entries[i].tick >= tick })
}

// checkCall panics if now is false, with advice about Start and Done.
func (l *log) checkCall(call string, now bool) {
	switch {
	case now:
	case l.running:
		panic(fmt.Sprintf("event: %s within tick %d: call Done first", call, l.tick))
	default:
		panic(fmt.Sprintf("event: %s outside a tick: call Start first", call))
	}
}

// getBuffer returns an empty buffer, a recycled one if possible.
func (l *log) getBuffer() []byte {
	n := len(l.free)
	if n == 0 {
		return nil
	}
	b := l.free[n-1]
	l.free = l.free[:n-1]
	return b[:0]
}

// putBuffer recycles a buffer.
func (l *log) putBuffer(b []byte) { l.free = append(l.free, b) }
