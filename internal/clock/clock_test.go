package clock

import (
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	var c Clock
	for i, step := range []struct{ now, want time.Duration }{
		{0, 0},
		{time.Second, time.Second},
		{time.Second / 2, time.Second}, // late
		{time.Second, time.Second},
		{2 * time.Second, 2 * time.Second},
		{time.Second, 2 * time.Second}, // late, as far as that goes
		{3 * time.Second, 3 * time.Second},
		{-time.Hour, 3 * time.Second}, // set back
		{-time.Hour + time.Second, 4 * time.Second},
		{time.Hour, 2*time.Hour + 3*time.Second}, // set forward, or held: nobody can tell
	} {
		if got := c.At(time.Time{}.Add(step.now)); got != step.want {
			t.Fatalf("step %d: at %v the clock says %v, want %v", i, step.now, got, step.want)
		}
	}
}
