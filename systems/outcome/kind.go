package outcome

import (
	"slices"
	"sort"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/reuse"
)

// state is what is believed of an outcome.
type state uint8

const (
	stands    state = iota // raised when its tick was simulated last
	suspected              // its tick is to be simulated again
	withdrawn              // its tick was, and did not raise it; Cancel is due
	gone                   // committed or cancelled
)

// entry is an outcome that is not final.
type entry[T any] struct {
	Outcome[T] // ID is 0 until Begin
	state      state
}

// kind holds the outcomes of one type, in the order of tick, subject and call.
type kind[T comparable] struct {
	log      *Log
	handlers Handlers[T]
	name     string // of the handlers, in advice
	entries  []entry[T]
	at       int // of the walk
}

// find returns the entries of a tick and subject.
func (k *kind[T]) find(tick uint32, s *Subject) (from, to int) {
	from = sort.Search(len(k.entries), func(i int) bool {
		e := &k.entries[i]
		return e.Tick > tick || e.Tick == tick && e.Subject.compare(s) >= 0
	})
	for to = from; to < len(k.entries) && k.entries[to].Tick == tick && k.entries[to].Subject.compare(s) == 0; to++ {
	}
	return from, to
}

// raise takes in what the tick under way raised.
func (k *kind[T]) raise(tick uint32, about Subject, v T) {
	from, to := k.find(tick, &about)
	for i := from; i < to; i++ {
		e := &k.entries[i]
		if e.state != stands && k.handlers.Same(e.Value, v) {
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

// since is the first entry of a tick or later.
func (k *kind[T]) since(tick uint32) int {
	return sort.Search(len(k.entries), func(i int) bool { return k.entries[i].Tick >= tick })
}

// suspect doubts the outcomes of ticks from..to. What was withdrawn and not told
// yet may be raised again as well.
func (k *kind[T]) suspect(from, to uint32) {
	for i := k.since(from); i < len(k.entries) && k.entries[i].Tick <= to; i++ {
		k.entries[i].state = suspected
	}
}

// done withdraws what a tick did not raise again. What was never told need not be
// taken back.
func (k *kind[T]) done(tick uint32) {
	untold := false
	for i := k.since(tick); i < len(k.entries) && k.entries[i].Tick == tick; i++ {
		if e := &k.entries[i]; e.state == suspected {
			e.state = withdrawn
			if e.ID == 0 {
				e.state, untold = gone, true
			}
		}
	}
	if untold {
		k.compact()
	}
}

// toFirst begins a walk.
func (k *kind[T]) toFirst() { k.at = 0 }

// next is the tick that the walk has come to.
func (k *kind[T]) next() (tick uint32, any bool) {
	if k.at == len(k.entries) {
		return 0, false
	}
	return k.entries[k.at].Tick, true
}

// withdraw walks through a tick and cancels what did not happen.
func (k *kind[T]) withdraw(tick uint32) {
	for ; k.at < len(k.entries) && k.entries[k.at].Tick == tick; k.at++ {
		e := &k.entries[k.at]
		if e.state != withdrawn && (e.state != suspected || tick >= k.log.horizon) {
			continue
		}
		e.state = gone
		if e.ID == 0 {
			continue
		}
		k.log.stats.Cancelled++
		k.tell(k.handlers.Cancel, e.Outcome)
	}
}

// deliver walks through a tick and tells what happened.
func (k *kind[T]) deliver(tick uint32) {
	for ; k.at < len(k.entries) && k.entries[k.at].Tick == tick; k.at++ {
		e := &k.entries[k.at]
		if e.state != stands {
			continue
		}
		if e.ID == 0 {
			k.log.stats.Begun++
			e.ID = k.log.stats.Begun
			k.tell(k.handlers.Begin, e.Outcome)
		}
		if tick < k.log.horizon {
			e.state = gone
			k.log.stats.Committed++
			k.tell(k.handlers.Commit, e.Outcome)
		}
	}
}

// tell calls a handler, if there is one, with the subject as it is by now. The entry
// keeps the one that was raised, which the tick will raise again.
func (k *kind[T]) tell(handler func(*ecs.World, Outcome[T]), o Outcome[T]) {
	if handler != nil {
		o.Subject.resolve(k.log.world)
		ecs.Handle(k.log.world, k.name, func() { handler(k.log.world, o) })
	}
}

// compact removes what is gone.
func (k *kind[T]) compact() {
	k.entries = slices.DeleteFunc(k.entries, func(e entry[T]) bool { return e.state == gone })
}

func (k *kind[T]) open() int { return len(k.entries) }
