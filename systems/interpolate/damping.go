package interpolate

import (
	"cmp"
	"fmt"
	"math"
)

// Damping configures how the view follows entities of other clients under policy.RemotesDamped. Each interpolated
// component moves toward its newest confirmed value by Rate times its distance per second, and by at least Rate
// units per second. The zero value has the documented defaults.
type Damping struct {
	// Rate is the damping rate in 1/s. A higher rate stays closer to the confirmed state and makes each snapshot
	// more visible as a step. Default (0): 10.
	Rate float64
	// Snap is the distance beyond which the view jumps, in units of the component, for angles, directions and
	// rotations in radians. Set it slightly higher than the distance that the fastest entity covers between
	// snapshots. Default (0): 3, which rotations almost never reach.
	Snap float64
}

const (
	defaultDampingRate = 10
	defaultDampingSnap = 3
)

// withDefaults returns d with its defaults.
func (d Damping) withDefaults() Damping {
	return Damping{Rate: cmp.Or(d.Rate, defaultDampingRate), Snap: cmp.Or(d.Snap, defaultDampingSnap)}
}

// Validate returns an error if a field of d is out of range. It never changes d.
func (d Damping) Validate() error {
	if !(d.Rate >= 0 && d.Rate <= 1000) || !(d.Snap >= 0) {
		return fmt.Errorf("Damping %+v: Rate is 0 to 1000 (0: %d), Snap 0 or more (0: %d)", d, defaultDampingRate, defaultDampingSnap)
	}
	return nil
}

// left returns the remaining distance of two values after seconds, if they were apart before. It is the exact
// solution, so that it does not depend on the number of frames.
func (d Damping) left(apart, seconds float64) float64 {
	if apart > d.Snap {
		return 0
	}
	if apart > 1 { // exponential decay down to one unit
		until := math.Log(apart) / d.Rate
		if seconds < until {
			return apart * math.Exp(-d.Rate*seconds)
		}
		apart, seconds = 1, seconds-until
	}
	return max(apart-d.Rate*seconds, 0)
}
