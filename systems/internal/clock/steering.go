package clock

import (
	"time"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

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

// Steering carries out the clock shift that the server asks for, by running a
// little fast or slow.
type Steering struct {
	Asked int32   // ticks ahead in all, in 1/wire.ShiftUnit
	done  float64 // ticks
}

// MaxSteer bounds the change of rate (rule C3).
const MaxSteer = 0.02

// Ask takes in the total that the server asks for, of which 16 bits travel.
func (s *Steering) Ask(units int16) { s.Asked += int32(units - int16(s.Asked)) }

// Lead is how many whole ticks ahead the server asks for in all, 0 where it asks for none.
func (s *Steering) Lead() uint32 { return uint32(max(s.Asked/wire.ShiftUnit, 0)) }

// Set says how many ticks ahead the client is, where something else brings it there.
func (s *Steering) Set(ticks float64) { s.done = ticks }

// Done is what has been carried out, as it travels.
func (s *Steering) Done() int16 { return int16(int32(s.done * wire.ShiftUnit)) }

// Rate is how fast the coming step should pass, counting it as passed.
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
