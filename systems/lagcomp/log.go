package lagcomp

import (
	"iter"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Sight is what shooter and server each saw of a target: for finding out why a shot
// hit, or did not. T is a component, such as the position.
type Sight[T any] struct {
	// Tick is the server's, in which the shot was judged, and Client who shot.
	Tick, Client uint32
	// Target is the entity and NetID its name.
	Target ecs.Entity
	NetID  components.NetID
	// Hit is what the game decided.
	Hit bool
	// Claim is what the client said, Clamp whether it was believed, and Drawn the tick
	// that was looked at.
	Claim Claim
	Clamp Clamp
	Drawn float64
	// Seen is T as the shooter saw it and Present as the server had it at that moment;
	// zero where it had none, which WasSeen and IsPresent tell.
	Seen, Present      T
	WasSeen, IsPresent bool
}

// Log keeps the newest sights. It belongs to one goroutine.
type Log[T any] struct {
	sights []Sight[T]
	noted  uint64
}

// NewLog makes a log that keeps the newest n sights. It panics unless n is positive.
func NewLog[T any](n int) *Log[T] {
	if n <= 0 {
		panic("lagcomp: NewLog needs room for at least one sight")
	}
	return &Log[T]{sights: make([]Sight[T], 0, n)}
}

// Note keeps what the shooter, whose view v is, and the server see of a target now.
// hit is what the game decided.
func (l *Log[T]) Note(v View, target ecs.Entity, hit bool) {
	s := Sight[T]{
		Tick: v.w.Tick(), Client: v.client, Target: target, NetID: v.NetID(target), Hit: hit,
		Claim: v.claim, Clamp: v.clamp, Drawn: v.Tick(),
	}
	s.Seen, s.WasSeen = Get[T](v, target)
	if p := ecs.Get[T](v.w, target); p != nil {
		s.Present, s.IsPresent = *p, true
	}
	if len(l.sights) < cap(l.sights) {
		l.sights = append(l.sights, s)
	} else {
		l.sights[l.noted%uint64(len(l.sights))] = s
	}
	l.noted++
}

// Noted is how many sights there were, those that have made room included.
func (l *Log[T]) Noted() uint64 { return l.noted }

// All yields the sights that are kept, oldest first.
func (l *Log[T]) All() iter.Seq[Sight[T]] {
	return func(yield func(Sight[T]) bool) {
		n := uint64(len(l.sights))
		for i := range n {
			if !yield(l.sights[(l.noted-n+i)%n]) {
				return
			}
		}
	}
}
