//go:build !js

package arena

import (
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
)

// A shot goes through what is under the cursor, although its player walks and is drawn
// where the coming tick will have it.
func TestShotsGoThroughTheCursor(t *testing.T) {
	s := newShown(t, 100*time.Millisecond, 0.02)
	s.frame()
	target := paint.Point{X: s.scene.own.x + 150, Y: s.scene.own.y - 220}
	s.scene.aim = 12345 // where it was drawn to point
	var v verdicts
	shots := 0
	for n := range 300 {
		s.controls.Press([]uint32{game.Right, game.Down, game.Left, game.Up}[n/30%4] | game.Fire)
		s.point(target)
		s.frame()
		v.take(s.client, func(h overlay.Hit) {
			if h.Target != 0 {
				return // a ray that ends early says less of its direction
			}
			shots++
			x, y := h.Seen.X-h.From.X, h.Seen.Y-h.From.Y
			dx, dy := target.X-h.From.X, target.Y-h.From.Y
			// Verdicts are in eighths of a unit.
			if off := math.Abs(x*dy-y*dx) / math.Hypot(x, y); off > 0.2 {
				t.Errorf("a shot from %.2f, %.2f passes the cursor by %.2f", h.From.X, h.From.Y, off)
			}
		})
	}
	if shots < 10 {
		t.Errorf("%d shots", shots)
	}
}

// point puts the mouse over a place in the world.
func (s *shown) point(at paint.Point) {
	s.scene.camera.LookWide(&paint.Canvas{W: 1280, H: 720}, 760)
	s.scene.camera.X, s.scene.camera.Y = at.X, at.Y
	s.controls.Point(640, 360)
}
