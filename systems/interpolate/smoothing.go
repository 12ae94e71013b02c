package interpolate

import (
	"cmp"
	"fmt"
	"math"
)

// Smoothing configures how the view hides corrections of simulated entities. The simulation jumps to the corrected
// state. The drawn entity keeps its place, and the difference, the visual error, fades: small errors at Rate, large
// ones faster. Each component with ecs.Interpolated is smoothed separately. Smoothing never changes the simulation.
// The zero value has the documented defaults.
type Smoothing struct {
	// Rate is the rate at which a small error fades, in 1/s: after t seconds exp(-Rate·t) of it is left. Default
	// (0): 20, which leaves less than 1 % after a quarter of a second.
	Rate float64
	// Double is the error that fades at twice the rate, in units of the component, for angles, directions and
	// rotations in radians. Default (0): 3.
	Double float64
	// Off draws the simulated state without smoothing.
	Off bool
}

const (
	defaultSmoothingRate   = 20
	defaultSmoothingDouble = 3
)

// withDefaults returns s with its defaults.
func (s Smoothing) withDefaults() Smoothing {
	s.Rate, s.Double = cmp.Or(s.Rate, defaultSmoothingRate), cmp.Or(s.Double, defaultSmoothingDouble)
	return s
}

// Validate returns an error if a field of s is out of range. It never changes s.
func (s Smoothing) Validate() error {
	if !(s.Rate >= 0 && s.Rate <= 1000) || !(s.Double >= 0 && s.Double <= math.MaxFloat64) {
		return fmt.Errorf("Smoothing %+v: Rate is 0 to 1000 (0: %d), Double 0 or more (0: %d)", s, defaultSmoothingRate, defaultSmoothingDouble)
	}
	return nil
}

// left returns the share of an error that is left after seconds. It is the solution of e' = -Rate·e·(1 + e/Double),
// so that it does not depend on the number of frames.
func (s Smoothing) left(size, seconds float64) float64 {
	e := rounded(math.Exp(-s.Rate * seconds))
	return e / (1 + size/s.Double*(1-e))
}

// rounded rounds to 24 bits. Processors compute the last bits of math.Exp and math.Log differently, and views of the same data should be
// equal on all of them.
func rounded(x float64) float64 { return float64(float32(x)) }
