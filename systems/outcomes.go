package systems

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/outcome"
)

// newOutcomes makes the log of a world in which a game does something about outcomes.
func newOutcomes(w *ecs.World, register func(*outcome.Log)) *outcome.Log {
	if register == nil {
		return nil
	}
	l := outcome.New(w, outcome.Config{})
	register(l)
	return l
}

// follow lists what follows the ticks that are simulated, or, where own entities are predicted
// alone, the inputs: of a *event.Server or a *event.Client and a log; either may be nil.
func follow[E interface {
	comparable
	timeline.Listener
}](events E, log *outcome.Log) (l timeline.Listeners) {
	if none := *new(E); events != none {
		l = append(l, events)
	}
	if log != nil {
		l = append(l, log)
	}
	return l
}

// unsettled follows ticks as a timeline simulates them. Advance settles, by the horizon of
// the policies.
type unsettled struct{ timeline.Listeners }

// Settle does nothing.
func (unsettled) Settle(uint32) {}

// Start stands before the simulation of an input on a client.
func (f *followed) Start(input uint32) { f.followers.Start(input) }

// Done stands behind it.
func (f *followed) Done() { f.followers.Done() }

// Rewind stands before inputs from first on are simulated again. What earlier ones raised of
// outcomes that are open is not, and followed from a state that was wrong somewhere on the way.
func (f *followed) Rewind(first uint32) {
	for _, x := range f.followers {
		if x == timeline.Listener(f.outcomes) {
			x.Rewind(min(first, f.outcomes.Horizon()))
		} else {
			x.Rewind(first)
		}
	}
}

// waiting reports whether outcomes wait to be final.
func (f *followed) waiting() bool { return f.outcomes != nil && f.outcomes.Stats().Open > 0 }
