package outcome

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Outcome is something that happened in a tick. It is provisional until Commit.
type Outcome[T any] struct {
	// ID is unique in the log and the same in Begin, Commit and Cancel, so that handlers can find what Begin created.
	// It counts from 1.
	ID uint64
	// Tick is the tick that raised the outcome, in the count of the model.
	Tick uint32
	// Subject is the entity of the outcome.
	Subject Subject
	// Value is the raised value.
	Value T
}

// Subject is the entity of an outcome. The zero Subject is the world. An entity that is not replicated has a handle
// only, and compares equal to the world.
type Subject struct {
	// Entity is the handle in this world. The entity may be dead, as the victim of a kill usually is.
	Entity ecs.Entity
	// NetID is the network id, 0 for a predicted spawn that the server has not confirmed.
	NetID components.NetID
	// Key identifies an entity that Simulate spawned for a client. It is zero for all others.
	Key ecs.SpawnKey
}

// subjectOf returns the subject of an entity.
func subjectOf(w *ecs.World, e ecs.Entity) Subject {
	s := Subject{Entity: e, NetID: w.NetID(e)}
	if key := ecs.Get[ecs.SpawnKey](w, e); key != nil {
		s.Key = *key
	}
	return s
}

// compare orders subjects by SpawnKey, which is known before the NetID, or by NetID if there is no key.
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

// resolve updates the handle and the NetID.
func (s *Subject) resolve(w *ecs.World) {
	if s.NetID == 0 {
		s.NetID = w.NetID(s.Entity)
	}
	if e, ok := w.ByNetID(s.NetID); ok {
		s.Entity = e
	}
}

// Handlers react to outcomes of one type. Each may be nil. They run in [Log.Settle], outside of Simulate. They must
// not change anything that Simulate reads, because a re-simulated tick would not see the change; under models that
// re-simulate, [ecs.Handle] prevents it. They must not call the log.
type Handlers[T any] struct {
	// Begin is called once when an outcome is new. Show it in a way that can be withdrawn.
	Begin func(w *ecs.World, o Outcome[T])
	// Commit is called once, after Begin, when no rewrite can reach the tick any more. Count the outcome or record it
	// here. Value is the last raised value, which differs from that of Begin only as far as Same allows.
	Commit func(w *ecs.World, o Outcome[T])
	// Cancel is called once, after Begin and instead of Commit, if the outcome did not happen. Undo the effects of
	// Begin.
	Cancel func(w *ecs.World, o Outcome[T])
	// Same reports whether two values count as the same outcome, where was is from an earlier simulation of the tick.
	// If so, the outcome continues with the new value. Otherwise the old outcome is withdrawn and a new one begins.
	// Default (nil): was == is.
	Same func(was, is T) bool
}

// Handle registers an outcome type and its handlers. Call it before the first Raise. Values are plain data; fewer
// fields mean fewer withdrawals. It panics if T is already registered.
func Handle[T comparable](l *Log, h Handlers[T]) {
	t := reflect.TypeFor[T]()
	if _, twice := l.byType[t]; twice {
		panic(fmt.Sprintf("outcome: Handle[%s]: the type already has handlers: call both from one set of handlers", t))
	}
	if h.Same == nil {
		h.Same = func(was, is T) bool { return was == is }
	}
	k := &kind[T]{log: l, handlers: h, name: "the handler of outcome " + t.String()}
	l.byType[t] = k
	l.kinds = append(l.kinds, k)
}

// Raise announces, within Simulate, that v happened in this tick to the entity about, or to no entity if about is
// zero. If an earlier simulation of the tick raised an outcome with the same type, subject and value, it is the same
// outcome. Two calls in one simulation of a tick are two outcomes.
//
// Raise returns nothing, so Simulate cannot depend on it. It does nothing in a world without a [Log], and in a
// partial tick. It panics in a handler, outside of a tick, and if T is not registered with [Handle].
func Raise[T comparable](w *ecs.World, about ecs.Entity, v T) {
	l := ecs.Resource[Log](w)
	if l == nil || w.Partial() {
		return
	}
	if !l.running {
		panic(fmt.Sprintf("outcome: Raise[%s] outside a tick: call it only in systems of Simulate, and not in handlers", reflect.TypeFor[T]()))
	}
	k, ok := l.byType[reflect.TypeFor[T]()].(*kind[T])
	if !ok {
		panic(fmt.Sprintf("outcome: Raise[%s]: the type is not registered: call Handle on every peer, with nil handlers if they are not needed", reflect.TypeFor[T]()))
	}
	if l.tick < l.horizon {
		l.stats.Late++
		return
	}
	k.raise(l.tick, subjectOf(w, about), v)
}
