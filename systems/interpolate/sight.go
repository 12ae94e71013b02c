package interpolate

import (
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// sight describes how the newest frame drew other clients' entities: the tick, and the pair of states that most
// were drawn between. After a lost datagram some are drawn between other states; for them the claim is wrong by the
// bend of their path between two sends.
type sight struct {
	head     float64 // 0: nothing yet
	from, to uint32  // to is 0 if there was no later state
	votes    int
}

// startFrame starts a frame and returns the tick to draw, rounded to a value that a claim can hold.
func (s *sight) startFrame(head float64) float64 {
	*s = sight{head: float64(int64(head*lagcomp.Parts)) / lagcomp.Parts}
	return s.head
}

// between counts the states that an entity is drawn between. It finds the pair of the majority: each pair cancels
// out one vote of another pair.
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

// Claim returns the claim for lag compensation about the newest frame if the player acts. Otherwise it returns an
// empty claim that repeats the unused fields of the last one, which adds no bytes to a message. A frame beyond the newest state claims
// that state, because the server compensates with confirmed states only.
func (s *System) Claim(acts bool) lagcomp.Claim {
	if !acts {
		c := s.claim
		c.Back = 0
		return c
	}
	s.claim = lagcomp.NewClaim(s.claimable(), s.sight.from, s.sight.to, s.Every())
	return s.claim
}

// claimable returns the tick of the newest frame, at most that of the newest state.
func (s *System) claimable() float64 {
	if s.clock.progress() == moves {
		return s.sight.head
	}
	return min(s.sight.head, float64(s.clock.newest))
}
