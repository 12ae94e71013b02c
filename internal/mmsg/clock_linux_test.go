package mmsg

import (
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	start := time.Now()
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	nanos := func(ms int) int64 { return at(ms).UnixNano() }
	c := clock{}
	check := func(what string, nanos int64, ok bool, want int) {
		t.Helper()
		if got := c.arrival(nanos, ok); !got.Equal(at(want)) {
			t.Errorf("%s: %v, want %d ms", what, got.Sub(start), want)
		}
	}
	c.startPoll(at(100))
	check("while the server slept", nanos(40), true, 40)
	check("after its neighbour, whatever the stamp", nanos(39), true, 40)
	check("a step back of the wall clock in between", nanos(5000), true, 100)
	c.drained()

	c.startPoll(at(200))
	check("a step forward of the wall clock in between", nanos(-5000), true, 100)
	check("an ordinary one again", nanos(150), true, 150)
	check("between now and the reading of the socket", nanos(201), true, 200)
	check("without a stamp", 0, false, 200)

	c.startPoll(at(199))
	check("never after now, should that go backwards", nanos(150), true, 199)
	c.startPoll(at(300))
	check("nor before what came earlier", nanos(150), true, 200)
}
