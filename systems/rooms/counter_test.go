package rooms

import (
	"testing"
	"time"
)

// Turns are counted by duration, with their total duration and the number of late turns.
func TestTurnsAreCounted(t *testing.T) {
	c := newCounter()
	c.addTurn(20*time.Microsecond, false)
	c.addTurn(21*time.Microsecond, true)
	c.addTurn(time.Hour, true)
	got := c.tally("k")
	if last := len(got.Turns.Counts) - 1; last != len(TurnBounds()) || got.Turns.Counts[0] != 1 || got.Turns.Counts[1] != 1 || got.Turns.Counts[last] != 1 ||
		got.Turns.Sum != time.Hour+41*time.Microsecond || got.Late != 2 || got.Kind != "k" {
		t.Errorf("%+v", got)
	}
}

// A returned Tally does not change later.
func TestTallyDoesNotChange(t *testing.T) {
	c := newCounter()
	c.addEvent("a")
	c.addRefused(2, "full")
	x := c.tally("k")
	c.addEvent("a")
	c.addRefused(1, "full")
	if x.Events["a"] != 1 || x.Refused["full"] != 2 {
		t.Errorf("%+v", x)
	}
}
