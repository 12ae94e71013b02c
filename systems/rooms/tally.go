package rooms

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// Tally holds the counters of the rooms of a kind since the server was created, including rooms that have ended.
type Tally struct {
	// Kind is the name of the kind.
	Kind string
	// Ticks counts completed ticks.
	Ticks uint64
	// Turns counts the turns with ticks by duration.
	Turns Turns
	// Late counts turns that started after the next turn was due.
	Late uint64
	// Events counts notices to the operator by event.
	Events map[string]uint64
	// Given counts seats that players got, Returned seats that they got again by Reconnect.
	Given, Returned uint64
	// Refused counts players who got no seat by [Refusal], such as "full".
	Refused map[string]uint64
}

// Turns counts turns by duration.
type Turns struct {
	// Counts has one class for each of [TurnBounds], and a last class for longer turns.
	Counts [len(turnBounds) + 1]uint64
	// Sum is the total duration of all turns.
	Sum time.Duration
}

// turnBounds holds the upper bounds of the classes of turns.
var turnBounds = [...]time.Duration{
	20 * time.Microsecond, 50 * time.Microsecond, 100 * time.Microsecond, 200 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second,
}

// TurnBounds returns the upper bounds of the classes of [Turns]. Turns.Counts has one more class.
func TurnBounds() []time.Duration { return append([]time.Duration(nil), turnBounds[:]...) }

// counter holds the counters of one kind. All rooms of the kind use it concurrently.
type counter struct {
	ticks, late     atomic.Uint64
	turns           [len(turnBounds) + 1]atomic.Uint64
	took            atomic.Int64
	given, returned atomic.Uint64

	mu      sync.Mutex
	events  map[string]uint64
	refused map[string]uint64
}

// newCounter returns a counter at zero.
func newCounter() *counter {
	return &counter{events: make(map[string]uint64), refused: make(map[string]uint64)}
}

// addTicks counts completed ticks.
func (c *counter) addTicks(n uint32) { c.ticks.Add(uint64(n)) }

// addTurn counts a turn with ticks. late reports whether it started after the next turn was due.
func (c *counter) addTurn(took time.Duration, late bool) {
	i := 0
	for i < len(turnBounds) && took > turnBounds[i] {
		i++
	}
	c.turns[i].Add(1)
	c.took.Add(int64(took))
	if late {
		c.late.Add(1)
	}
}

// addEvent counts a notice to the operator.
func (c *counter) addEvent(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events[name]++
}

// addGiven counts players who got a seat.
func (c *counter) addGiven(players int) { c.given.Add(uint64(players)) }

// addReturned counts a player who got its seat again by Reconnect.
func (c *counter) addReturned() { c.returned.Add(1) }

// addRefused counts players who got no seat, by reason.
func (c *counter) addRefused(players int, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused[why] += uint64(players)
}

// tally returns a copy of the counts.
func (c *counter) tally(kind string) Tally {
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
