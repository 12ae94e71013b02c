package clock

import (
	"time"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Ticks converts times to ticks.
type Ticks struct {
	Start time.Time // tick 0
	Step  time.Duration
}

// At returns a time in ticks.
func (t Ticks) At(at time.Time) float64 { return float64(at.Sub(t.Start)) / float64(t.Step) }

// RoundTrip returns the shortest recent round trip in ticks, or the newest one if there is none. Longer round trips
// include waiting in queues.
func (t Ticks) RoundTrip(least, newest time.Duration) float64 {
	if least == 0 {
		least = newest
	}
	return float64(least) / float64(t.Step)
}

// Steering carries out the clock shift that the server requests, by running slightly fast or slow.
type Steering struct {
	Asked int32   // total number of ticks to run ahead, in 1/wire.ShiftUnit
	done  float64 // ticks carried out
}

// MaxSteer is the maximum change of the rate (rule C3).
const MaxSteer = 0.02

// Ask processes the total shift that the server requests, of which 16 bits are sent.
func (s *Steering) Ask(units int16) { s.Asked += int32(units - int16(s.Asked)) }

// Lead returns the requested whole ticks ahead, at least 0.
func (s *Steering) Lead() uint32 { return uint32(max(s.Asked/wire.ShiftUnit, 0)) }

// Set sets the shift that has been carried out, in ticks, if the client moved in another way.
func (s *Steering) Set(ticks float64) { s.done = ticks }

// Done returns the shift that has been carried out, in 1/wire.ShiftUnit.
func (s *Steering) Done() int16 { return int16(int32(s.done * wire.ShiftUnit)) }

// Rate returns the rate of the coming step, and counts the step as done.
func (s *Steering) Rate() float64 {
	left := float64(s.Asked)/wire.ShiftUnit - s.done
	switch {
	case left > MaxSteer:
		s.done += 1 - 1/(1+MaxSteer)
		return 1 + MaxSteer
	case left < -MaxSteer:
		s.done += 1 - 1/(1-MaxSteer)
		return 1 - MaxSteer
	}
	return 1
}
