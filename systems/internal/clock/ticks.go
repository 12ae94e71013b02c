package clock

import "time"

// Ticks counts time in ticks.
type Ticks struct {
	Start time.Time // tick 0
	Step  time.Duration
}

// At is a time in ticks.
func (t Ticks) At(at time.Time) float64 { return float64(at.Sub(t.Start)) / float64(t.Step) }

// RoundTrip is the least round trip of late, in ticks, or the newest one before there is that: what
// is more is waiting on the way.
func (t Ticks) RoundTrip(least, newest time.Duration) float64 {
	if least == 0 {
		least = newest
	}
	return float64(least) / float64(t.Step)
}
