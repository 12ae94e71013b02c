package campaign

import (
	"fmt"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/outcome"
)

// ledger records the calls of the outcome handlers of one peer.
type ledger struct {
	name      string
	open      map[uint64]outcome.Outcome[deed]
	last      uint64
	committed map[deed]int
	ticks     map[deed]uint32 // of commits
	cancelled int
	late      bool // the server may restart the count of inputs, so that final ticks begin again
	err       error
	then      func(outcome.Outcome[deed]) // after a commit; may be nil
}

func newLedger(name string) *ledger {
	return &ledger{name: name, open: map[uint64]outcome.Outcome[deed]{}, committed: map[deed]int{}, ticks: map[deed]uint32{}}
}

func (l *ledger) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf("%s: %s", l.name, fmt.Sprintf(format, args...))
	}
}

// register is the Outcomes of the peer's configuration.
func (l *ledger) register(log *outcome.Log) {
	outcome.Handle(log, outcome.Handlers[deed]{
		Begin: func(_ *ecs.World, o outcome.Outcome[deed]) {
			if o.ID != l.last+1 {
				l.fail("outcome %d begins after %d", o.ID, l.last)
			}
			l.last, l.open[o.ID] = o.ID, o
		},
		Commit: func(_ *ecs.World, o outcome.Outcome[deed]) {
			l.end("commit", o)
			l.ticks[o.Value] = o.Tick
			if l.committed[o.Value]++; l.committed[o.Value] > 1 {
				l.fail("%+v is committed twice", o.Value)
			}
			if l.then != nil {
				l.then(o)
			}
		},
		Cancel: func(_ *ecs.World, o outcome.Outcome[deed]) {
			l.end("cancel", o)
			l.cancelled++
		},
	})
}

// end records that an outcome is final.
func (l *ledger) end(how string, o outcome.Outcome[deed]) {
	was, began := l.open[o.ID]
	if !began || was.Value != o.Value || was.Tick != o.Tick {
		l.fail("%s of outcome %+v, which is open: %v, as %+v", how, o, began, was)
	}
	delete(l.open, o.ID)
}

// paired returns an error if an outcome that began has not ended after the match.
func (l *ledger) paired(log *outcome.Log) error {
	if l.err != nil || log == nil {
		return l.err
	}
	st := log.Stats()
	switch {
	case st.Open > 0 || len(l.open) > 0:
		return fmt.Errorf("%s: %d outcomes of the log never ended, %d of those that began: %+v; the horizon is %d", l.name, st.Open, len(l.open), l.open, log.Horizon())
	case st.Begun != l.last || int(st.Committed) != len(l.committed) || int(st.Cancelled) != l.cancelled || st.Begun != st.Committed+st.Cancelled:
		return fmt.Errorf("%s: heard of %d, %d and %d; the log counts %+v", l.name, l.last, len(l.committed), l.cancelled, st)
	case st.Refused > 0 || st.Late > 0 && !l.late:
		return fmt.Errorf("%s: %+v", l.name, st)
	}
	return nil
}

// ghosts returns an error if a shell or a pending prediction is left after the match.
func ghosts(name string, w *ecs.World) error {
	for e, s := range ecs.All[struct{ Shell shell }](w) {
		return fmt.Errorf("%s: the ghost %v, NetID %d: %+v", name, e, w.NetID(e), s.Shell)
	}
	if spawns, despawns := w.PendingPredictions(); spawns+despawns > 0 {
		return fmt.Errorf("%s: waits for %d spawns and %d despawns", name, spawns, despawns)
	}
	return nil
}
