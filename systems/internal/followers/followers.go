package followers

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/outcome"
)

// NewOutcomes makes the log of a world in which a game does something about outcomes; nil where it does nothing.
func NewOutcomes(w *ecs.World, register func(*outcome.Log)) *outcome.Log {
	if register == nil {
		return nil
	}
	l := outcome.New(w, outcome.Config{})
	register(l)
	return l
}

// List lists what follows the ticks that are simulated, or, where own entities are predicted
// alone, the inputs: of a *event.Server or a *event.Client and a log; either may be nil.
func List[E interface {
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

// Unsettled follows ticks as a timeline simulates them. Who owns it settles, by the horizon of
// the policies.
type Unsettled struct{ timeline.Listeners }

// Settle does nothing.
func (Unsettled) Settle(uint32) {}

// Followers is who hears of ticks that are simulated again, and of those that are final.
type Followers struct {
	All      timeline.Listeners
	Outcomes *outcome.Log // nil: no outcome is foreseen
}

// Start stands before the simulation of an input on a client.
func (f *Followers) Start(input uint32) { f.All.Start(input) }

// Done stands behind it.
func (f *Followers) Done() { f.All.Done() }

// Rewind stands before inputs from first on are simulated again. What earlier ones raised of
// outcomes that are open is not, and followed from a state that was wrong somewhere on the way.
func (f *Followers) Rewind(first uint32) {
	for _, x := range f.All {
		if x == timeline.Listener(f.Outcomes) {
			x.Rewind(min(first, f.Outcomes.Horizon()))
		} else {
			x.Rewind(first)
		}
	}
}

// Waiting reports whether outcomes wait to be final.
func (f *Followers) Waiting() bool { return f.Outcomes != nil && f.Outcomes.Stats().Open > 0 }
