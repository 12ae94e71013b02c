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

// DefaultLimit is how many events can wait where a configuration says 0.
const DefaultLimit = 1024

// outgoing is an event on its way to the channels.
type outgoing struct {
	kind    *kind
	to      address
	message []byte
}

// entry is an event of a tick that may be simulated again.
type entry struct {
	outgoing
	tick   uint32
	sent   bool // it cannot be withdrawn
	absent bool // the last simulation of its tick did not raise it
	// The last simulation raised it with another value than the one that was sent.
	changed bool
	paired  bool // of those that a simulation raised: known already
}

// log is what both peers do with events that they raise: those of ticks that may be
// simulated again are matched, and each goes to the outbox once.
type log struct {
	world    *ecs.World
	registry *Registry
	server   bool
	limit    int
	bound    []binding
	entries  []entry // by tick, then in the order of the calls
	fresh    []entry // of the tick under way
	outbox   []outgoing
	free     [][]byte
	next     uint32 // the tick after the newest that was simulated
	tick     uint32 // under way, when running
	horizon  uint32 // ticks before it are final
	running  bool
	stats    Stats
}

// init prepares a log that has no world yet.
func (l *log) init(r *Registry, limit int, server bool) {
	l.registry, l.limit, l.server = r, limit, server
	if limit == 0 {
		l.limit = DefaultLimit
	}
	for _, k := range r.kinds {
		l.bound = append(l.bound, k.bind())
	}
}

// attach makes the log that of a world, and forgets what it had of another one.
func (l *log) attach(w *ecs.World) {
	if other := ecs.Resource[log](w); other != nil && other != l {
		panic("event: a world has one Server or Client, and this one has it already")
	}
	ecs.SetResource(w, l)
	l.world, l.next, l.horizon, l.running = w, 0, 0, false
	for i := range l.entries {
		l.put(l.entries[i].message)
	}
	for i := range l.fresh {
		l.put(l.fresh[i].message)
	}
	l.entries, l.fresh = l.entries[:0], l.fresh[:0]
	l.drop()
}

// Registry is what the events are registered in.
func (l *log) Registry() *Registry { return l.registry }

// drop forgets what did not go out.
func (l *log) drop() {
	for i := range l.outbox {
		l.stats.Unsent++
		l.put(l.outbox[i].message)
	}
	l.outbox = l.outbox[:0]
}

// Raise says that v happened, to those who are to hear of it. It may stand in a system
// of Simulate, which both peers run: a target that is not this peer's to tell is
// passed over. Then the event goes out once, however often its tick is simulated; the
// package comment says what is the same event. Or it stands outside, in a handler or in
// a system of Authority, and each call is an event.
//
// It gives nothing back, so that Simulate cannot depend on it. In a world without a
// [Server] or [Client], and in a partial tick, it does nothing. It panics for a type that is not registered, and
// for a target that the type is not for.
func Raise[T any](w *ecs.World, to Target, v T) {
	l := ecs.Resource[log](w)
	if l == nil || l.world != w || w.Partial() {
		return
	}
	k := l.registry.kindOf("Raise", reflect.TypeFor[T]())
	if to.route == routeNone || k.options.From&to.side() == 0 {
		panic(fmt.Sprintf("event: Raise[%s]: the type is %v: raise it for others, or register it with another Options.From", k.name, k.options.From))
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
	o.message = b.append(l.take(), l.stamp(), uint32(o.to.about.NetID), l.server, v)
	if l.running {
		l.fresh = append(l.fresh, entry{outgoing: o, tick: l.tick})
		return
	}
	l.stats.Raised++
	l.outbox = append(l.outbox, o)
}

// stamp is what an event says about when it was raised. A server's is seen in the state
// that follows the tick, or the coming tick; a client's stands behind an input.
func (l *log) stamp() uint32 {
	switch {
	case l.running:
		return l.tick
	case l.server || l.next == 0:
		return l.next
	}
	return l.next - 1
}

// Rewind says that everything from a tick on is about to be simulated again, or is
// void. It panics within a tick.
func (l *log) Rewind(from uint32) {
	l.mayCall("Rewind", !l.running)
	l.withdraw(l.since(from), len(l.entries))
}

// Start says that the next run of Simulate is a tick's: on a server by its number, on a
// client by its input sequence. What the tick raised before stands only if it raises it
// again. Within the tick it begins the same one anew; so it may also stand in the first
// system of Simulate, as it must where ecs.World.ForceRollback runs that twice. It
// panics when another tick is under way.
func (l *log) Start(tick uint32) {
	l.mayCall("Start", !l.running || l.tick == tick)
	for i := range l.fresh {
		l.put(l.fresh[i].message)
	}
	l.fresh = l.fresh[:0]
	l.tick, l.running = tick, true
}

// Done says that the tick under way is simulated: what it raised for the first time is
// put with what goes out in Settle. It panics outside a tick.
func (l *log) Done() {
	l.mayCall("Done", l.running)
	l.running = false
	l.next = max(l.next, l.tick+1)
	from := l.since(l.tick)
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
			l.put(f.message)
			continue
		}
		if !f.kind.options.Final {
			f.sent = true
			l.stats.Raised++
			l.outbox = append(l.outbox, outgoing{f.kind, f.to, append(l.take(), f.message...)})
		}
		l.entries = reuse.Insert(l.entries, to, *f)
		to++
	}
	l.fresh = l.fresh[:0]
}

// withdraw takes back what was not sent of the entries from..to−1, and returns how many
// these are; of the others it is to be seen whether their ticks raise them again.
func (l *log) withdraw(from, to int) int {
	kept := from
	for i := from; i < to; i++ {
		if e := &l.entries[i]; e.sent {
			e.absent = true
			l.entries[kept] = *e
			kept++
		} else {
			l.put(e.message)
		}
	}
	l.entries = slices.Delete(l.entries, kept, to)
	return to - kept
}

// pair finds, among the entries from..to−1, those that the tick has raised again, with
// equal values or with any. They keep the value that was sent, so that this one does not
// go out again either when a later run raises it.
func (l *log) pair(from, to int, equal bool) {
	for i := range l.fresh {
		f := &l.fresh[i]
		for j := from; j < to && !f.paired && !f.kind.options.Final; j++ {
			e := &l.entries[j]
			if e.absent && e.kind == f.kind && e.to.same(&f.to) && (!equal || bytes.Equal(e.message, f.message)) {
				e.absent, e.changed, f.paired = false, !equal, true
				l.stats.Repeated++
			}
		}
	}
}

// settle moves the horizon and takes out what is final.
func (l *log) settle(horizon uint32) {
	l.mayCall("Settle", !l.running)
	l.horizon = max(l.horizon, horizon)
	n := l.since(l.horizon)
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
		l.put(e.message)
	}
	l.entries = slices.Delete(l.entries, 0, n)
}

// since is the first entry of a tick or later.
func (l *log) since(tick uint32) int {
	return sort.Search(len(l.entries), func(i int) bool { return l.entries[i].tick >= tick })
}

// mayCall panics where a call would confuse what a tick raised.
func (l *log) mayCall(call string, now bool) {
	switch {
	case now:
	case l.running:
		panic(fmt.Sprintf("event: %s within tick %d: call Done first", call, l.tick))
	default:
		panic(fmt.Sprintf("event: %s outside a tick: call Start first", call))
	}
}

// take returns an empty buffer that was used before.
func (l *log) take() []byte {
	n := len(l.free)
	if n == 0 {
		return nil
	}
	b := l.free[n-1]
	l.free = l.free[:n-1]
	return b[:0]
}

// put keeps a buffer.
func (l *log) put(b []byte) { l.free = append(l.free, b) }
