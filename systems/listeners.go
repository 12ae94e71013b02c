package systems

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/outcome"
)

// newOutcomes returns the log of outcomes of a world, with the handlers that register adds. It returns nil if register is nil.
func newOutcomes(w *ecs.World, register func(*outcome.Log)) *outcome.Log {
	if register == nil {
		return nil
	}
	l := outcome.New(w, outcome.Config{})
	register(l)
	return l
}

// newListeners returns the listeners of simulated ticks: events, which is an *event.Server or *event.Client, and log. Both may be
// nil. On a client that predicts only its own entities they listen to simulated inputs instead.
func newListeners[E interface {
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

// unsettledListeners wraps the listeners of a timeline and ignores its Settle: the peer calls theirs with the model's firstOpen.
type unsettledListeners struct{ timeline.Listeners }

// Settle does nothing.
func (unsettledListeners) Settle(uint32) {}

// followers are the listeners of simulated and finally settled ticks: the game's events and its outcomes.
type followers struct {
	all      timeline.Listeners
	outcomes *outcome.Log // nil: the peer predicts no outcomes
}

// Start implements [predict.Follower]: it precedes the simulation of an input.
func (f *followers) Start(input uint32) { f.all.Start(input) }

// Done implements [predict.Follower]: it follows the simulation of an input.
func (f *followers) Done() { f.all.Done() }

// Rewind implements [predict.Follower]: inputs from first on are simulated again. Open outcomes are rewound from the outcomes'
// horizon on, because earlier inputs raised them in a wrong state.
func (f *followers) Rewind(first uint32) {
	for _, x := range f.all {
		if x == timeline.Listener(f.outcomes) {
			x.Rewind(min(first, f.outcomes.Horizon()))
		} else {
			x.Rewind(first)
		}
	}
}

// discard withdraws what the inputs from one on raised, because they were removed.
func (c *Client) discard(from uint32) {
	if c.config.Events != nil {
		c.config.Events.Discard(from)
	}
	if c.followed.outcomes != nil {
		c.followed.outcomes.Discard(from)
	}
}

// waiting reports whether outcomes are not final yet.
func (f *followers) waiting() bool { return f.outcomes != nil && f.outcomes.Stats().Open > 0 }
