package interpolate

import (
	"cmp"
	"math"

	"github.com/tactusgo/tactus/systems/policy"
)

// damping is a policy.Damping without zeros.
type damping policy.Damping

func newDamping(d policy.Damping) damping {
	return damping{Rate: cmp.Or(d.Rate, policy.DefaultDampingRate), Snap: cmp.Or(d.Snap, policy.DefaultDampingSnap)}
}

// left returns how far apart two values are after some seconds, if they were apart before. It is the solution of the
// rule of policy.Damping, so the result does not depend on the number of frames.
func (d damping) left(apart, seconds float64) float64 {
	if apart > d.Snap {
		return 0
	}
	if apart > 1 { // exponential decay down to one unit
		until := rounded(math.Log(apart)) / d.Rate
		if seconds < until {
			return apart * rounded(math.Exp(-d.Rate*seconds))
		}
		apart, seconds = 1, seconds-until
	}
	return max(apart-d.Rate*seconds, 0)
}
