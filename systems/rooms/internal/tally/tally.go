package tally

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// Tally is what all rooms of a kind have done since the server was made, those included that have ended.
type Tally struct {
	// Kind is the name of the kind.
	Kind string
	// Ticks are those completed.
	Ticks uint64
	// Turns are turns with ticks by how long they took.
	Turns Turns
	// Late are turns that began later than the next was due.
	Late uint64
	// Events are what an operator was told, by event.
	Events map[string]uint64
	// Given are seats that players were given, Returned those that they were given again, by Reconnect.
	Given, Returned uint64
	// Refused are seats that players were not given, by why: full, locked, banned, seated, no_seat, ended, draining,
	// stuck, rooms (no room for another room) or other.
	Refused map[string]uint64
}

// Turns are turns by how long they took.
type Turns struct {
	// Counts are by class: so many as [Bounds], and one for what took longer.
	Counts [len(bounds) + 1]uint64
	// Sum is what all of them took.
	Sum time.Duration
}

// bounds are the upper ends of classes of turns.
var bounds = [...]time.Duration{
	20 * time.Microsecond, 50 * time.Microsecond, 100 * time.Microsecond, 200 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second,
}

// Bounds are the upper ends of the classes of [Turns].
func Bounds() []time.Duration { return append([]time.Duration(nil), bounds[:]...) }

// Counter counts for a kind. All its rooms use it at once.
type Counter struct {
	ticks, late     atomic.Uint64
	turns           [len(bounds) + 1]atomic.Uint64
	took            atomic.Int64
	given, returned atomic.Uint64

	mu      sync.Mutex
	events  map[string]uint64
	refused map[string]uint64
}

// New makes a counter.
func New() *Counter {
	return &Counter{events: make(map[string]uint64), refused: make(map[string]uint64)}
}

// Ticks counts ticks.
func (c *Counter) Ticks(n uint32) { c.ticks.Add(uint64(n)) }

// Turn counts a turn with ticks.
func (c *Counter) Turn(took time.Duration, late bool) {
	i := 0
	for i < len(bounds) && took > bounds[i] {
		i++
	}
	c.turns[i].Add(1)
	c.took.Add(int64(took))
	if late {
		c.late.Add(1)
	}
}

// Event counts what is told.
func (c *Counter) Event(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events[name]++
}

// Give counts seats of players.
func (c *Counter) Give(players int) { c.given.Add(uint64(players)) }

// Return counts a player who got its seat again.
func (c *Counter) Return() { c.returned.Add(1) }

// Refuse counts players who got no seat.
func (c *Counter) Refuse(players int, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused[why] += uint64(players)
}

// Read is what has been counted.
func (c *Counter) Read(kind string) Tally {
	x := Tally{
		Kind: kind, Ticks: c.ticks.Load(), Late: c.late.Load(), Given: c.given.Load(), Returned: c.returned.Load(),
		Turns: Turns{Sum: time.Duration(c.took.Load())},
	}
	for i := range c.turns {
		x.Turns.Counts[i] = c.turns[i].Load()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	x.Events, x.Refused = maps.Clone(c.events), maps.Clone(c.refused)
	return x
}
