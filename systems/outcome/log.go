package outcome

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
)

// DefaultLimit is the default of Config.Limit.
const DefaultLimit = 1024

// Config configures a [Log]. The zero value selects all defaults.
type Config struct {
	// Limit bounds the outcomes of each type that wait for the horizon. Outcomes beyond it are not stored;
	// Stats.Refused counts them. Default (0): 1024.
	Limit int
}

// Validate returns an error if Limit is negative.
func (c Config) Validate() error {
	if c.Limit < 0 {
		return fmt.Errorf("outcome: Limit is %d: set it to 0 for %d, or to a positive number", c.Limit, DefaultLimit)
	}
	return nil
}

// Log stores the outcomes of one world that are not final. Only the goroutine of the world may use it. Games call
// [Handle] and [Raise]. The netcode model that steps the world calls the methods.
type Log struct {
	world    *ecs.World
	limit    int
	kinds    []anyKind
	byType   map[reflect.Type]anyKind
	tick     uint32 // current tick, valid while running
	horizon  uint32 // earlier ticks are final
	running  bool
	settling bool
	muted    bool
	stats    Stats
}

// Mute sets whether outcomes that begin reach no handlers, as while a replay seeks.
func (l *Log) Mute(muted bool) { l.muted = muted }

// Stats counts the outcomes of a log.
type Stats struct {
	Begun     uint64 // calls of Begin
	Committed uint64 // calls of Commit
	Cancelled uint64 // calls of Cancel
	Refused   uint64 // outcomes raised beyond Config.Limit
	Late      uint64 // outcomes raised in a tick that was already final
	Open      int    // outcomes stored now, with or without a Begin
}

// anyKind is a kind of any value type.
type anyKind interface {
	suspect(from, to uint32)
	endTick(tick uint32)
	discard(from uint32)
	toFirst()
	next() (tick uint32, any bool)
	withdraw(tick uint32)
	deliver(tick uint32)
	compact()
	open() int
	appendOpen(dst []byte) ([]byte, error)
	readOpen(r *codec.ByteReader, fields string, begun uint64) (add func(), err error)
}

// New creates the log of a world and stores it there as a resource. It panics if c is not valid or the world already
// has a log.
func New(w *ecs.World, c Config) *Log {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	if ecs.Resource[Log](w) != nil {
		panic("outcome: New: the world already has a log: get it with ecs.Resource[outcome.Log]")
	}
	c.Limit = cmp.Or(c.Limit, DefaultLimit)
	l := &Log{world: w, limit: c.Limit, byType: make(map[reflect.Type]anyKind)}
	ecs.SetResource(w, l)
	return l
}

// Rewind prepares to simulate all ticks from this one again. Their outcomes are suspected until their tick raises
// them again. It panics within a tick.
func (l *Log) Rewind(from uint32) {
	l.checkCall("Rewind", !l.running)
	for _, k := range l.kinds {
		k.suspect(from, ^uint32(0))
	}
}

// Discard withdraws the outcomes of this tick and all later ones, which will not be simulated soon: the clock that
// counts the ticks went back. It panics within a tick.
func (l *Log) Discard(from uint32) {
	l.checkCall("Discard", !l.running)
	for _, k := range l.kinds {
		k.discard(from)
	}
}

// Start begins the simulation of a tick. The model may count server ticks, or input sequences on a client. Outcomes
// from an earlier simulation of the tick are suspected until it raises them again. A second Start of the current tick
// restarts it. So the first system of Simulate may call Start, which is necessary under ecs.World.ForceRollback,
// because that runs Simulate twice. Start panics if another tick is running.
func (l *Log) Start(tick uint32) {
	l.checkCall("Start", !l.running || l.tick == tick)
	l.tick, l.running = tick, true
	for _, k := range l.kinds {
		k.suspect(tick, tick)
	}
}

// Done ends the current tick and withdraws the outcomes that it did not raise again. It panics outside of a tick.
func (l *Log) Done() {
	l.checkCall("Done", l.running)
	l.running = false
	for _, k := range l.kinds {
		k.endTick(l.tick)
	}
}

// Settle marks ticks before horizon as final and calls the handlers. Call it once a step, after all re-simulation,
// even if the horizon has not moved. It first calls Cancel for withdrawn outcomes and for suspected ones in final
// ticks. Then it calls Begin for new outcomes, and Commit for those in final ticks. Both passes go by tick; within a
// tick by type, in the order of [Handle], then by subject, then in the order of the calls of [Raise].
//
// An earlier horizon than before has no effect. At the end of a match, Settle with the largest tick commits the
// remaining outcomes; after Rewind(0) it withdraws them. Settle panics within a tick.
func (l *Log) Settle(horizon uint32) {
	l.checkCall("Settle", !l.running)
	l.horizon = max(l.horizon, horizon)
	l.settling = true
	defer l.endSettle()
	l.walk(anyKind.withdraw)
	l.walk(anyKind.deliver)
}

// endSettle cleans up after Settle, also if a handler panics.
func (l *Log) endSettle() {
	for _, k := range l.kinds {
		k.compact()
	}
	l.settling = false
}

// walk calls visit for each tick and kind with outcomes, by tick, then by kind.
func (l *Log) walk(visit func(k anyKind, tick uint32)) {
	for _, k := range l.kinds {
		k.toFirst()
	}
	for {
		tick, found := ^uint32(0), false
		for _, k := range l.kinds {
			if t, any := k.next(); any {
				tick, found = min(tick, t), true
			}
		}
		if !found {
			return
		}
		for _, k := range l.kinds {
			if t, any := k.next(); any && t == tick {
				visit(k, tick)
			}
		}
	}
}

// Horizon returns the first tick that is not final.
func (l *Log) Horizon() uint32 { return l.horizon }

// Stats returns the counters since New.
func (l *Log) Stats() Stats {
	s := l.stats
	for _, k := range l.kinds {
		s.Open += k.open()
	}
	return s
}

// checkCall panics with advice if now is false or a handler is running.
func (l *Log) checkCall(call string, now bool) {
	switch {
	case l.settling:
		panic(fmt.Sprintf("outcome: %s in a handler: handlers must not call the log", call))
	case !now && l.running:
		panic(fmt.Sprintf("outcome: %s within tick %d: call Done first", call, l.tick))
	case !now:
		panic(fmt.Sprintf("outcome: %s outside a tick: call Start first", call))
	}
}
