package systems

import (
	"fmt"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/outcome"
)

// ledger is what the handlers of one peer's log were told.
type ledger struct {
	name      string
	open      map[uint64]outcome.Outcome[deed]
	last      uint64
	committed map[deed]int
	ticks     map[deed]uint32 // of commits
	cancelled int
	late      bool // its server may count inputs anew, so ticks can begin again that were final
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

// end notes that an outcome is final.
func (l *ledger) end(how string, o outcome.Outcome[deed]) {
	was, began := l.open[o.ID]
	if !began || was.Value != o.Value || was.Tick != o.Tick {
		l.fail("%s of outcome %+v, which is open: %v, as %+v", how, o, began, was)
	}
	delete(l.open, o.ID)
}

// paired reports what began and did not end, when all is over.
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

// soldier is a player: one client's session.
type soldier struct {
	*Client
	n       int
	ledger  *ledger
	events  *event.Client
	session netsys.Session // at the server, once it was there
	gone    bool           // it runs no more

	heard    map[deed]int
	due      map[deed]uint32 // what the server committed while it was there, by tick
	said     uint32          // lines to the server
	listened uint32          // those that the server has handled
	told     uint32          // lines to it
	lines    uint32
	pings    int // that the server has handled

	sparks *ecs.Attachments[shell, spark] // one on each shell that is shown
	lit    int
	ended  int
}

type spark struct{}

// draw attaches a spark to each shell of the view, and demands that no others are left.
func (k *soldier) draw() {
	if !k.Connected() {
		return
	}
	k.sparks.Sweep(k.View())
	shown := 0
	for e := range ecs.All[struct{ Shell shell }](k.View()) {
		if shown++; k.sparks.Of(e) == nil {
			k.sparks.Attach(k.View(), e, spark{})
			k.lit++
		}
	}
	if n := k.sparks.Len(); n != shown || k.lit != n+k.ended {
		k.ledger.fail("%d shells are shown, and %d sparks; %d were lit, %d ended", shown, n, k.lit, k.ended)
	}
}

// live reports whether the player's session goes on.
func (k *soldier) live() bool { return !k.gone && k.Client.Err() == nil && k.Connected() }

// news makes the handlers of a client's events.
func (k *soldier) news(events *event.Client) {
	event.OnClient(events, func(_ *ecs.World, _ event.Origin, v *deed) {
		if k.heard[*v]++; k.heard[*v] > 1 {
			k.ledger.fail("heard %d times of %+v", k.heard[*v], *v)
		}
	})
	event.OnClient(events, func(_ *ecs.World, _ event.Origin, v *remark) {
		if k.lines++; v.N != k.lines {
			k.ledger.fail("heard line %d as number %d", v.N, k.lines)
		}
	})
}

// audited reports what a player was told, or told, that is not so, when all is over.
func (k *soldier) audited(server *ledger, together bool) error {
	switch {
	case k.ledger.err != nil:
		return k.ledger.err
	case k.live() && k.sparks.Len() > 0:
		return fmt.Errorf("%s: %d sparks are left", k.ledger.name, k.sparks.Len())
	}
	for d := range k.ledger.committed {
		tick, ok := server.ticks[d]
		if !ok {
			return fmt.Errorf("%s: committed %+v of its tick %d, and the server did not", k.ledger.name, d, k.ledger.ticks[d])
		}
		if together && tick != k.ledger.ticks[d] {
			return fmt.Errorf("%s: committed %+v of tick %d, the server that of tick %d", k.ledger.name, d, k.ledger.ticks[d], tick)
		}
	}
	for d := range k.heard {
		if server.committed[d] == 0 {
			return fmt.Errorf("%s: heard of %+v, which the server did not commit", k.ledger.name, d)
		}
	}
	if !k.live() || k.session == nil {
		return nil
	}
	for d, tick := range k.due {
		if k.heard[d] == 0 {
			return fmt.Errorf("%s: never heard of %+v of tick %d", k.ledger.name, d, tick)
		}
	}
	for d := range k.heard {
		if _, due := k.due[d]; !due {
			return fmt.Errorf("%s: heard of %+v, which was before its time", k.ledger.name, d)
		}
	}
	st := k.events.Stats()
	switch {
	case k.lines != k.told:
		return fmt.Errorf("%s: heard %d of %d lines", k.ledger.name, k.lines, k.told)
	case k.listened != k.said:
		return fmt.Errorf("%s: the server heard %d of %d lines", k.ledger.name, k.listened, k.said)
	case uint64(k.pings)+uint64(k.said) != st.Raised || st.Unsent+st.Overflowed+st.Unhandled > 0:
		return fmt.Errorf("%s: the server handled %d pings and %d lines: %+v", k.ledger.name, k.pings, k.said, st)
	}
	return nil
}

// ghosts reports a shell that is left when all of them are over, and what waits for one.
func ghosts(name string, w *ecs.World) error {
	for e, s := range ecs.All[struct{ Shell shell }](w) {
		return fmt.Errorf("%s: the ghost %v, NetID %d: %+v", name, e, w.NetID(e), s.Shell)
	}
	if spawns, despawns := w.PendingPredictions(); spawns+despawns > 0 {
		return fmt.Errorf("%s: waits for %d spawns and %d despawns", name, spawns, despawns)
	}
	return nil
}
