package interpolate

import (
	"cmp"
	"fmt"
	"math"
)

// Smoothing says how the view makes up for a correction of what the client simulates.
// The simulation jumps to where it should have been; what is drawn keeps its place, and
// the difference, the visual error, goes away by itself: small ones at Rate, larger ones
// faster. It is by component, for those that are ecs.Interpolated, and never touches what
// is simulated. The zero value has the documented defaults.
type Smoothing struct {
	// Rate is the share of a small error that goes away, 1/s: of it exp(-Rate·t) is left
	// after t seconds. Default (0): 20, which leaves less than 1 % after a quarter of a
	// second.
	Rate float64
	// Double is the error that goes away at twice the rate, in units of the component, of
	// angles, directions and rotations in radians. Default (0): 3.
	Double float64
	// Off draws what is simulated, at once.
	Off bool
}

const (
	defaultSmoothingRate   = 20
	defaultSmoothingDouble = 3
)

// filled is s with its defaults.
func (s Smoothing) filled() Smoothing {
	s.Rate, s.Double = cmp.Or(s.Rate, defaultSmoothingRate), cmp.Or(s.Double, defaultSmoothingDouble)
	return s
}

// Validate reports what is wrong with s; it never changes it.
func (s Smoothing) Validate() error {
	if !(s.Rate >= 0 && s.Rate <= 1000) || !(s.Double >= 0 && s.Double <= math.MaxFloat64) {
		return fmt.Errorf("Smoothing %+v: Rate is 0 to 1000 (0: %d), Double 0 or more (0: %d)", s, defaultSmoothingRate, defaultSmoothingDouble)
	}
	return nil
}

// left is the share of an error that is left after seconds. It is the solution of
// e' = -Rate·e·(1 + e/Double), so that it is the same in however many frames.
func (s Smoothing) left(size, seconds float64) float64 {
	e := math.Exp(-s.Rate * seconds)
	return e / (1 + size/s.Double*(1-e))
}
