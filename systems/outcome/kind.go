package outcome

import (
	"slices"
	"sort"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/reuse"
)

// state is the status of an outcome that is not final.
type state uint8

const (
	stands    state = iota // raised by the last simulation of its tick
	suspected              // its tick will be simulated again
	withdrawn              // its tick was simulated again without it; Cancel is due
	discarded              // its tick was discarded; Cancel is due
	gone                   // committed or cancelled
)

// entry is an outcome that is not final.
type entry[T any] struct {
	Outcome[T] // ID is 0 until Begin is called
	state      state
	muted      bool // Begin was due while the log was muted
}

// kind stores the outcomes of one type, ordered by tick, subject and call of Raise.
type kind[T comparable] struct {
	log      *Log
	handlers Handlers[T]
	name     string // of the handlers, for panics with advice
	entries  []entry[T]
	at       int // index of the iteration in Settle
}

// find returns the range of entries of a tick and subject.
func (k *kind[T]) find(tick uint32, s *Subject) (from, to int) {
	from = sort.Search(len(k.entries), func(i int) bool {
		e := &k.entries[i]
		return e.Tick > tick || e.Tick == tick && e.Subject.compare(s) >= 0
	})
	for to = from; to < len(k.entries) && k.entries[to].Tick == tick && k.entries[to].Subject.compare(s) == 0; to++ {
	}
	return from, to
}

// raise stores an outcome of the current tick. If it equals a suspected or withdrawn one, that one continues.
func (k *kind[T]) raise(tick uint32, about Subject, v T) {
	from, to := k.find(tick, &about)
	for i := from; i < to; i++ {
		e := &k.entries[i]
		if (e.state == suspected || e.state == withdrawn) && k.handlers.Same(e.Value, v) {
			e.Subject, e.Value, e.state = about, v, stands
			return
		}
	}
	if len(k.entries) >= k.log.limit {
		k.log.stats.Refused++
		return
	}
	k.entries = reuse.Insert(k.entries, to, entry[T]{Outcome: Outcome[T]{Tick: tick, Subject: about, Value: v}})
}

// firstSince returns the index of the first entry at or after a tick.
func (k *kind[T]) firstSince(tick uint32) int {
	return sort.Search(len(k.entries), func(i int) bool { return k.entries[i].Tick >= tick })
}

// suspect marks the outcomes of the ticks from..to as suspected, including withdrawn ones whose Cancel is still due,
// because the tick may raise them again.
func (k *kind[T]) suspect(from, to uint32) {
	for i := k.firstSince(from); i < len(k.entries) && k.entries[i].Tick <= to; i++ {
		if e := &k.entries[i]; e.state != discarded {
			e.state = suspected
		}
	}
}

// endTick withdraws the outcomes that the tick did not raise again. Those without a Begin are removed at once,
// because they need no Cancel.
func (k *kind[T]) endTick(tick uint32) {
	unbegun := false
	for i := k.firstSince(tick); i < len(k.entries) && k.entries[i].Tick == tick; i++ {
		if e := &k.entries[i]; e.state == suspected {
			e.state = withdrawn
			if e.ID == 0 {
				e.state, unbegun = gone, true
			}
		}
	}
	if unbegun {
		k.compact()
	}
}

// discard withdraws the outcomes of a tick and all later ones for good.
func (k *kind[T]) discard(from uint32) {
	for i := k.firstSince(from); i < len(k.entries); i++ {
		k.entries[i].state = discarded
	}
}

// toFirst starts an iteration.
func (k *kind[T]) toFirst() { k.at = 0 }

// next returns the tick of the next entry of the iteration.
func (k *kind[T]) next() (tick uint32, any bool) {
	if k.at == len(k.entries) {
		return 0, false
	}
	return k.entries[k.at].Tick, true
}

// withdraw visits the entries of a tick and calls Cancel for those that did not happen.
func (k *kind[T]) withdraw(tick uint32) {
	for ; k.at < len(k.entries) && k.entries[k.at].Tick == tick; k.at++ {
		e := &k.entries[k.at]
		if e.state == stands || e.state == gone || e.state == suspected && tick >= k.log.horizon {
			continue
		}
		e.state = gone
		if e.ID == 0 {
			continue
		}
		k.log.stats.Cancelled++
		k.call(k.handlers.Cancel, e)
	}
}

// deliver visits the entries of a tick and calls Begin and Commit for those that happened.
func (k *kind[T]) deliver(tick uint32) {
	for ; k.at < len(k.entries) && k.entries[k.at].Tick == tick; k.at++ {
		e := &k.entries[k.at]
		if e.state != stands {
			continue
		}
		if e.ID == 0 {
			k.log.stats.Begun++
			e.ID, e.muted = k.log.stats.Begun, k.log.muted
			k.call(k.handlers.Begin, e)
		}
		if tick < k.log.horizon {
			e.state = gone
			k.log.stats.Committed++
			k.call(k.handlers.Commit, e)
		}
	}
}

// call calls a handler, if it is not nil, with the current handle and NetID of the subject. The entry keeps the
// subject as raised, because a re-simulation raises it in the same form.
func (k *kind[T]) call(handler func(*ecs.World, Outcome[T]), e *entry[T]) {
	if handler != nil && !e.muted {
		o := e.Outcome
		o.Subject.resolve(k.log.world)
		ecs.Handle(k.log.world, k.name, func() { handler(k.log.world, o) })
	}
}

// compact removes entries that are committed or cancelled.
func (k *kind[T]) compact() {
	k.entries = slices.DeleteFunc(k.entries, func(e entry[T]) bool { return e.state == gone })
}

func (k *kind[T]) open() int { return len(k.entries) }
