package outcome

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/tactusgo/tactus/ecs"
)

// DefaultLimit is how many outcomes of one type can wait for the horizon where a
// configuration says 0.
const DefaultLimit = 1024

// Config configures a [Log]. The zero value is fine.
type Config struct {
	// Limit is how many outcomes of one type can wait for the horizon at a time. What
	// is raised beyond that is not taken, and counted in Stats.Refused. Default (0):
	// 1024.
	Limit int
}

// Validate reports what is wrong with c; it never changes it.
func (c Config) Validate() error {
	if c.Limit < 0 {
		return fmt.Errorf("outcome: Limit %d is negative (0: %d)", c.Limit, DefaultLimit)
	}
	return nil
}

// Log holds the outcomes of one world that are not final yet. It belongs to the
// goroutine of its world. Games call [Handle] and [Raise]; everything below is for
// the netcode model that steps the world.
type Log struct {
	world    *ecs.World
	limit    int
	kinds    []anyKind
	byType   map[reflect.Type]anyKind
	tick     uint32 // under way, when running
	horizon  uint32 // ticks before it are final
	running  bool
	settling bool
	stats    Stats
}

// Stats counts what became of the outcomes of a log.
type Stats struct {
	Begun     uint64 // calls of Begin
	Committed uint64 // calls of Commit
	Cancelled uint64 // calls of Cancel
	Refused   uint64 // raised beyond Config.Limit
	Late      uint64 // raised in a tick that was final already
	Open      int    // outcomes held at the moment, begun or about to be
}

// anyKind is a kind of any type of values.
type anyKind interface {
	suspect(from, to uint32)
	done(tick uint32)
	toFirst()
	next() (tick uint32, any bool)
	withdraw(tick uint32)
	deliver(tick uint32)
	compact()
	open() int
}

// New makes the log of a world and stores it there, as a resource. It panics when
// c is not valid or the world has one.
func New(w *ecs.World, c Config) *Log {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	if ecs.Resource[Log](w) != nil {
		panic("outcome: New for a world that has a log; get it with ecs.Resource[outcome.Log]")
	}
	c.Limit = cmp.Or(c.Limit, DefaultLimit)
	l := &Log{world: w, limit: c.Limit, byType: make(map[reflect.Type]anyKind)}
	ecs.SetResource(w, l)
	return l
}

// Rewind says that everything from a tick on is about to be simulated again, or
// is void: outcomes raised since are suspect until their tick raises them again.
// It panics within a tick.
func (l *Log) Rewind(from uint32) {
	l.mayCall("Rewind", !l.running)
	for _, k := range l.kinds {
		k.suspect(from, ^uint32(0))
	}
}

// Start says that the next run of Simulate is a tick's, by whatever count the
// model goes back: server ticks, or input sequences on a client. What the tick
// raised before, if it did, is suspect until it is raised again. Within the tick
// it begins the same one anew; so it may also stand in the first system of
// Simulate, as it must where ecs.World.ForceRollback runs that twice. It panics
// when another tick is under way.
func (l *Log) Start(tick uint32) {
	l.mayCall("Start", !l.running || l.tick == tick)
	l.tick, l.running = tick, true
	for _, k := range l.kinds {
		k.suspect(tick, tick)
	}
}

// Done says that the tick under way is simulated: what it raised before and did
// not raise again is withdrawn. It panics outside a tick.
func (l *Log) Done() {
	l.mayCall("Done", l.running)
	l.running = false
	for _, k := range l.kinds {
		k.done(l.tick)
	}
}

// Settle says that ticks before the horizon are final, and calls the handlers: once
// a step, when whatever had to be simulated has been, even if the horizon did not
// move. First Cancel for what was withdrawn, and for what is suspect in final
// ticks; then, for what stands, Begin where it is new, and Commit where its tick is
// final. Each in the order of ticks; within a tick by type, in the order of
// [Handle], then by subject, then in the order of the calls of [Raise].
//
// A horizon that lies before an earlier one changes nothing. At the end of a match
// Settle of the largest tick commits what stands; after a Rewind of 0 it withdraws
// it. It panics within a tick.
func (l *Log) Settle(horizon uint32) {
	l.mayCall("Settle", !l.running)
	l.horizon = max(l.horizon, horizon)
	l.settling = true
	defer l.settled()
	l.walk(anyKind.withdraw)
	l.walk(anyKind.deliver)
}

// settled ends Settle, by a panic of a handler too.
func (l *Log) settled() {
	for _, k := range l.kinds {
		k.compact()
	}
	l.settling = false
}

// walk visits the outcomes by tick, then kind.
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

// Horizon is the first tick that is not final.
func (l *Log) Horizon() uint32 { return l.horizon }

// Stats are the counts since the log was made.
func (l *Log) Stats() Stats {
	s := l.stats
	for _, k := range l.kinds {
		s.Open += k.open()
	}
	return s
}

// mayCall panics where a call would confuse what a tick raised.
func (l *Log) mayCall(call string, now bool) {
	switch {
	case l.settling:
		panic(fmt.Sprintf("outcome: %s in a handler: handlers must not call the log", call))
	case !now && l.running:
		panic(fmt.Sprintf("outcome: %s within tick %d: call Done first", call, l.tick))
	case !now:
		panic(fmt.Sprintf("outcome: %s outside a tick: call Start first", call))
	}
}
