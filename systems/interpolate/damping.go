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
