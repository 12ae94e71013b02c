package lagcomp

import (
	"iter"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Sight records a target as the shooter and the server saw it, to find out why a shot hit or missed. T is a
// component, such as the position.
type Sight[T any] struct {
	// Tick is the server tick that simulated the shot. Client is the shooter.
	Tick, Client uint32
	// Target is the target, and NetID its network id.
	Target ecs.Entity
	NetID  components.NetID
	// Hit is the decision of the game.
	Hit bool
	// Claim is the client's claim, Clamp says whether it was accepted, and Drawn is the tick that the view showed.
	Claim Claim
	Clamp Clamp
	Drawn float64
	// Seen is the component as the shooter saw it, and Present as the server had it at that moment. They are zero if
	// the target had no such component; WasSeen and IsPresent report this.
	Seen, Present      T
	WasSeen, IsPresent bool
}

// Log stores the newest sights. It is not safe for concurrent use.
type Log[T any] struct {
	sights []Sight[T]
	noted  uint64
}

// NewLog returns a log that stores the newest n sights. It panics if n is not positive.
func NewLog[T any](n int) *Log[T] {
	if n <= 0 {
		panic("lagcomp: NewLog: n must be positive")
	}
	return &Log[T]{sights: make([]Sight[T], 0, n)}
}

// Note records the target twice: as view v shows it to the shooter, and as it is on the server now. hit is the decision of the game.
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

// Noted returns the number of calls of Note, including sights that were overwritten.
func (l *Log[T]) Noted() uint64 { return l.noted }

// All yields the stored sights, the oldest first.
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
