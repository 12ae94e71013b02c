package clock

import (
	"math"
	"testing"
)

// The reserve is the formula of rule C3, with the loss clamped to 1–50 %.
func TestReserve(t *testing.T) {
	for _, c := range []struct {
		loss float64
		want int32
	}{{0, 2}, {0.001, 2}, {0.01, 2}, {0.02, 3}, {0.05, 4}, {0.1, 5}, {0.25, 10}, {0.5, 22}, {0.9, 22}, {1, 22}} {
		if got := Reserve(c.loss); got != c.want {
			t.Errorf("Reserve(%v) is %d, not %d", c.loss, got, c.want)
		}
	}
	for p := 0.01; p <= 0.5; p += 0.001 {
		// R+2 losses in a row are rarer than one in 10⁷, one fewer than R+1 is not,
		// above the floor of 2.
		r := float64(Reserve(p))
		if math.Pow(p, r+2) > 1e-7*(1+1e-9) || r > 2 && math.Pow(p, r+1) <= 1e-7 {
			t.Errorf("Reserve(%v) is %v", p, r)
		}
	}
}
