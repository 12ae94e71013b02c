package interpolate

import (
	"cmp"
	"math"
	"time"

	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/policy"
)

// damping is a policy.Damping without zeros.
type damping policy.Damping

func newDamping(d policy.Damping) damping {
	return damping{Rate: cmp.Or(d.Rate, policy.DefaultDampingRate), Snap: cmp.Or(d.Snap, policy.DefaultDampingSnap)}
}

// left returns the share of a difference that is left after seconds. It is the solution of the rule of policy.Damping.
func (d damping) left(size, seconds float64) float64 {
	if size > d.Snap {
		return 0
	}
	apart := size
	if apart > 1 { // exponential decay down to one unit
		until := rounded(math.Log(apart)) / d.Rate
		if seconds < until {
			return rounded(math.Exp(-d.Rate * seconds))
		}
		apart, seconds = 1, seconds-until
	}
	return max(apart-d.Rate*seconds, 0) / size
}

// changes is called before a damped entity has another state.
func (s *states) changes(r *mirror.Replica) {
	f := s.figures.Of(r)
	if !f.error.waiting() && s.keepDrawn(f, s.world, r.Entity, s.world.Netcode().Mask(r.Entity), s.frame) {
		f.error.wait(s.damping)
	}
}

// awaitNext reports a stall if two consecutive snapshots after the newest are missing.
func (s *states) awaitNext(newest uint32) progress {
	now := s.now()
	if newest != s.newest || s.heard.IsZero() {
		s.newest, s.heard = newest, now
	}
	if now.Sub(s.heard) > 3*s.world.StepDuration()*time.Duration(s.Every()) {
		return stalls
	}
	return moves
}
