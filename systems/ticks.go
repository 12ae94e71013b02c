package systems

import (
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/ecs"
)

// ErrTicks is wrapped by the error with which a server ends after ecs.MaxTick. The match
// is over: its clients are told goodbye. Another server, in this process or another, begins
// the next one.
var ErrTicks = errors.New("systems: the world has no more ticks")

// lastTicks ends a server that has simulated ecs.MaxTick; a day before the log says so.
func (s *Server) lastTicks() {
	left := ecs.MaxTick + 1 - s.tick
	if !s.ending && float64(left) < 24*60*60*float64(s.config.TickRate) {
		s.ending = true
		s.config.Logger.Warn("the world comes to its last tick; begin another match before",
			"ticks", left, "time", time.Duration(left)*s.world.StepDuration())
	}
	if left > 0 {
		return
	}
	s.err = fmt.Errorf("%w: %d was the last; begin another match with a new server", ErrTicks, uint32(ecs.MaxTick))
	s.config.Logger.Error("the server ends", "reason", s.err)
	if err := s.Close(s.now); err != nil {
		s.err = errors.Join(s.err, err)
	}
}
