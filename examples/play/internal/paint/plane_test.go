//go:build !js

package paint

import "testing"

// A field fits a screen that is as wide as it. On a phone that is held upright it takes most of the height, the place that
// the camera follows is to be seen wherever that is, and nothing is shown far outside the field.
func TestLookAround(t *testing.T) {
	const w, h, margin = 1200, 800, 60
	for _, on := range []struct{ w, h, high float64 }{{1280, 800, 0.85}, {390, 844, 0.7}, {844, 390, 0.85}} {
		for _, at := range []Point{{0, 0}, {w / 2, h / 2}, {w, h}, {w, 0}, {300, 700}} {
			var p Plane
			p.LookAround(&Canvas{W: on.w, H: on.h}, w, h, margin, at, 0)
			if high := h * p.Scale / on.h; high < on.high || high > 1 {
				t.Errorf("on %v × %v the field takes %.2f of the height", on.w, on.h, high)
			}
			if x, y := p.OnScreen(at.X, at.Y); x < 0 || y < 0 || x > on.w || y > on.h {
				t.Errorf("on %v × %v the place %v is at %v, %v", on.w, on.h, at, x, y)
			}
			left, right := p.InWorld(0, 0), p.InWorld(on.w, on.h)
			if whole := right.X-left.X > w; !whole && (left.X < -margin || right.X > w+margin) {
				t.Errorf("on %v × %v around %v it shows %v to %v", on.w, on.h, at, left.X, right.X)
			}
		}
	}
}
