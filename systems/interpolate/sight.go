package interpolate

import (
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// sight is what the newest frame showed of entities of others: which tick, and between
// which two states most of them. Where a datagram was lost some are drawn between
// others; then these differ by how far the way bends from one send to the next.
type sight struct {
	head     float64 // 0: nothing yet
	from, to uint32  // to is 0 where there was nothing later
	votes    int
}

// begin begins a frame and returns the tick to draw: one that a claim can say exactly.
func (s *sight) begin(head float64) float64 {
	*s = sight{head: float64(int64(head*lagcomp.Parts)) / lagcomp.Parts}
	return s.head
}

// between notes what an entity is drawn between. What is left when each pair has
// cancelled out one other is that of the most, where they are more than half.
func (s *sight) between(from, to *mirror.State) {
	later := uint32(0)
	if to != nil {
		later = to.Tick
	}
	switch {
	case s.votes == 0:
		s.from, s.to, s.votes = from.Tick, later, 1
	case s.from == from.Tick && s.to == later:
		s.votes++
	default:
		s.votes--
	}
}

// Claim returns what to tell lag compensation of the newest frame where the player acts. Else it says nothing, and
// repeats the fields of the last claim that do not say so, which takes no bytes.
func (s *System) Claim(acts bool) lagcomp.Claim {
	if !acts {
		c := s.claim
		c.Back = 0
		return c
	}
	s.claim = lagcomp.NewClaim(s.sight.head, s.sight.from, s.sight.to, s.every)
	return s.claim
}
