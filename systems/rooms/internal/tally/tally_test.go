package tally

import (
	"testing"
	"time"
)

// Turns are counted by class, with what they took in all, and those that began late.
func TestTurns(t *testing.T) {
	c := New()
	c.Turn(20*time.Microsecond, false)
	c.Turn(21*time.Microsecond, true)
	c.Turn(time.Hour, true)
	got := c.Read("k")
	if last := len(got.Turns.Counts) - 1; last != len(Bounds()) || got.Turns.Counts[0] != 1 || got.Turns.Counts[1] != 1 || got.Turns.Counts[last] != 1 ||
		got.Turns.Sum != time.Hour+41*time.Microsecond || got.Late != 2 || got.Kind != "k" {
		t.Errorf("%+v", got)
	}
}

// What was read stays as it was.
func TestRead(t *testing.T) {
	c := New()
	c.Event("a")
	c.Refuse(2, "full")
	x := c.Read("k")
	c.Event("a")
	c.Refuse(1, "full")
	if x.Events["a"] != 1 || x.Refused["full"] != 2 {
		t.Errorf("%+v", x)
	}
}

// Rooms count in their turns: nothing is allocated.
func TestAllocations(t *testing.T) {
	c := New()
	if n := testing.AllocsPerRun(100, func() { c.Ticks(1); c.Turn(time.Millisecond, true) }); n != 0 {
		t.Errorf("%v allocations a turn", n)
	}
}
