package outcome

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Outcome is something that happened in a tick, provisionally until it is
// committed.
type Outcome[T any] struct {
	// ID is the same in Begin, Commit and Cancel, and no other outcome of the log has
	// it, for handlers that keep what they have begun. It counts from 1.
	ID uint64
	// Tick is the tick that raised it, as the model counts them.
	Tick uint32
	// Subject is what it is about.
	Subject Subject
	// Value is what was raised.
	Value T
}

// Subject is the entity that an outcome is about; the zero Subject is the world. An
// entity that does not travel has a handle only, and counts as the world where
// outcomes are told apart.
type Subject struct {
	// Entity is its handle in this world. It may be dead: a kill is about one that
	// usually is.
	Entity ecs.Entity
	// NetID is its name on the wire; 0 for a predicted spawn that the server has not
	// confirmed.
	NetID components.NetID
	// Key names what Simulate spawned for a client; zero for everything else.
	Key ecs.SpawnKey
}

// subjectOf names an entity by what stays the same when ticks are simulated
// again.
func subjectOf(w *ecs.World, e ecs.Entity) Subject {
	s := Subject{Entity: e, NetID: w.NetID(e)}
	if key := ecs.Get[ecs.SpawnKey](w, e); key != nil {
		s.Key = *key
	}
	return s
}

// compare orders subjects by identity: the key, which is known before the NetID
// is, and the NetID where there is no key.
func (s *Subject) compare(o *Subject) int {
	if c := cmp.Or(
		cmp.Compare(s.Key.Owner, o.Key.Owner),
		cmp.Compare(s.Key.Input, o.Key.Input),
		cmp.Compare(s.Key.Nth, o.Key.Nth),
	); c != 0 || s.Key.Owner != 0 {
		return c
	}
	return cmp.Compare(s.NetID, o.NetID)
}

// resolve brings the handle and the NetID up to date.
func (s *Subject) resolve(w *ecs.World) {
	if s.NetID == 0 {
		s.NetID = w.NetID(s.Entity)
	}
	if e, ok := w.ByNetID(s.NetID); ok {
		s.Entity = e
	}
}

// Handlers are what a game does about outcomes of one type. Each may be nil. They
// run in [Log.Settle], outside Simulate, and change nothing that Simulate reads:
// a tick that is simulated again would not see it. Where ticks are, [ecs.Handle] refuses that. They must not call the log.
type Handlers[T any] struct {
	// Begin is called once for each outcome, when it was raised for the first time:
	// show it, in a way that can be taken back.
	Begin func(w *ecs.World, o Outcome[T])
	// Commit is called once, after Begin, when no rewrite can reach the tick any
	// more: count it, write it down, tell others for good. Value is the one that
	// was raised last, which differs from Begin's only as far as Same allows.
	Commit func(w *ecs.World, o Outcome[T])
	// Cancel is called once, after Begin and instead of Commit, when it has turned
	// out that it did not happen: take back what Begin did.
	Cancel func(w *ecs.World, o Outcome[T])
	// Same reports whether a value that a re-simulated tick raises is that of an
	// outcome which the tick raised before, so that it goes on, with the new value.
	// Where it is not, the old outcome is withdrawn and the new one begins. Default
	// (nil): equal by ==.
	Same func(was, is T) bool
}

// Handle registers a type of outcomes and what is done about them, before the
// first one is raised. Values are plain data; the fewer fields they have, the
// fewer ways to be withdrawn. It panics when T was registered before: one set of
// handlers can call any number of others.
func Handle[T comparable](l *Log, h Handlers[T]) {
	t := reflect.TypeFor[T]()
	if _, twice := l.byType[t]; twice {
		panic(fmt.Sprintf("outcome: Handle[%s] twice for one log; call both from one set of handlers", t))
	}
	if h.Same == nil {
		h.Same = func(was, is T) bool { return was == is }
	}
	k := &kind[T]{log: l, handlers: h, name: "the handler of outcome " + t.String()}
	l.byType[t] = k
	l.kinds = append(l.kinds, k)
}

// Raise says, within Simulate, that v happened in this tick to an entity, or to
// none in particular when about is the zero Entity. When the tick was simulated
// before and raised the same then, it is the same outcome: one of the same type
// and subject, whose values are the same. What is raised twice in one tick happens
// twice.
//
// It gives nothing back, so that Simulate cannot depend on it. In a world without a
// [Log], and in a partial tick, it does nothing. It panics in a handler, outside a tick, and for a type
// that was not registered with [Handle].
func Raise[T comparable](w *ecs.World, about ecs.Entity, v T) {
	l := ecs.Resource[Log](w)
	if l == nil || w.Partial() {
		return
	}
	if !l.running {
		panic(fmt.Sprintf("outcome: Raise[%s] outside a tick: only systems of Simulate raise, and no handlers", reflect.TypeFor[T]()))
	}
	k, ok := l.byType[reflect.TypeFor[T]()].(*kind[T])
	if !ok {
		panic(fmt.Sprintf("outcome: Raise[%s] without Handle[%[1]s]; register the type on every peer, without handlers where it does not matter", reflect.TypeFor[T]()))
	}
	if l.tick < l.horizon {
		l.stats.Late++
		return
	}
	k.raise(l.tick, subjectOf(w, about), v)
}
