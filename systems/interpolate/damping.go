package interpolate

import (
	"cmp"
	"fmt"
	"math"
)

// Damping says how the view follows entities of others under policy.RemotesDamped: each
// interpolated component moves toward its newest confirmed value, at Rate times its
// distance a second, but no slower than Rate units a second. The zero value has the
// documented defaults.
type Damping struct {
	// Rate is d, 1/s: the larger, the closer to what is confirmed, and the more of
	// each snapshot is seen as a step. Default (0): 10.
	Rate float64
	// Snap is the distance beyond which the view jumps, in units of the component, of
	// angles, directions and rotations in radians: somewhat more than what moves fastest
	// covers between snapshots. Default (0): 3, which for what only turns is hardly ever.
	Snap float64
}

const (
	defaultDampingRate = 10
	defaultDampingSnap = 3
)

// filled is d with its defaults.
func (d Damping) filled() Damping {
	return Damping{Rate: cmp.Or(d.Rate, defaultDampingRate), Snap: cmp.Or(d.Snap, defaultDampingSnap)}
}

// Validate reports what is wrong with d; it never changes it.
func (d Damping) Validate() error {
	if !(d.Rate >= 0 && d.Rate <= 1000) || !(d.Snap >= 0) {
		return fmt.Errorf("Damping %+v: Rate is 0 to 1000 (0: %d), Snap 0 or more (0: %d)", d, defaultDampingRate, defaultDampingSnap)
	}
	return nil
}

// left is how far apart two values are after seconds that were so far apart before. It
// is the solution of the rule, so that it is the same in however many frames.
func (d Damping) left(apart, seconds float64) float64 {
	if apart > d.Snap {
		return 0
	}
	if apart > 1 { // it decays down to one unit
		until := math.Log(apart) / d.Rate
		if seconds < until {
			return apart * math.Exp(-d.Rate*seconds)
		}
		apart, seconds = 1, seconds-until
	}
	return max(apart-d.Rate*seconds, 0)
}
