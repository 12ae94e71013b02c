//go:build !js

package stage

import "testing"

// The left thumb walks in eight directions, and not at all near the middle.
func TestThumbsWalkEightWays(t *testing.T) {
	for _, c := range []struct {
		dx, dy float64
		want   uint32
	}{
		{50, 0, 8}, {-50, 3, 4}, {0, 50, 2}, {2, -50, 1},
		{35, 35, 8 | 2}, {-35, -35, 4 | 1}, {5, 5, 0},
	} {
		k := Controls{unit: 1, left: stick{held: true, x: c.dx, y: c.dy}, bind: Bindings{Walk: [4]uint32{1, 2, 4, 8}}}
		k.thumbs()
		if k.now != c.want {
			t.Errorf("%v, %v: buttons %b", c.dx, c.dy, k.now)
		}
	}
}
