package clock

import (
	"math"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

// The client carries out what is asked, at 2 % of its rate and no faster, and
// reports it.
func TestSteering(t *testing.T) {
	for _, ticks := range []int16{0, 1, 7, -1, -12} {
		var c Steering
		c.Ask(ticks * wire.ShiftUnit)
		passed := 0.0 // of real time, in ticks
		for range 60 * 60 {
			rate := c.Rate()
			if rate < 1-MaxSteer || rate > 1+MaxSteer {
				t.Fatalf("a rate of %v", rate)
			}
			passed += 1 / rate
		}
		if ahead := 60*60 - passed; math.Abs(ahead-float64(ticks)) > MaxSteer {
			t.Errorf("asked %d ticks ahead, came %v", ticks, ahead)
		}
		if got := c.Done(); got < ticks*wire.ShiftUnit-1 || got > ticks*wire.ShiftUnit+1 {
			t.Errorf("asked %d units, reported %d", ticks*wire.ShiftUnit, got)
		}
	}
}
