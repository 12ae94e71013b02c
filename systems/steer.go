package systems

import "github.com/tactusgo/tactus/systems/internal/wire"

// steering carries out the clock shift that the server asks for, by running a
// little fast or slow.
type steering struct {
	asked int32   // ticks ahead in all, in 1/shiftUnit
	done  float64 // ticks
}

// maxSteer bounds the change of rate (rule C3).
const maxSteer = 0.02

// ask takes in the total that the server asks for, of which 16 bits travel.
func (s *steering) ask(units int16) { s.asked += int32(units - int16(s.asked)) }

// doneUnits is what has been carried out, as it travels.
func (s *steering) doneUnits() int16 { return int16(int32(s.done * wire.ShiftUnit)) }

// rate is how fast the coming step should pass, counting it as passed.
func (s *steering) rate() float64 {
	left := float64(s.asked)/wire.ShiftUnit - s.done
	switch {
	case left > maxSteer:
		s.done += 1 - 1/(1+maxSteer)
		return 1 + maxSteer
	case left < -maxSteer:
		s.done += 1 - 1/(1-maxSteer)
		return 1 - maxSteer
	}
	return 1
}
