package platformer

import (
	"testing"

	"github.com/tactusgo/tactus/examples/platformer/game"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
)

// Who rides is drawn on the platform wherever that is drawn, on its top, and above the ground that
// its shadow falls on.
func TestRidersStandOnWhatIsDrawn(t *testing.T) {
	for i := range game.Platforms {
		s, b := &scene{}, game.Body{On: uint8(game.OnPlatform + i), At: game.Vec{X: 0.5, Z: -0.5}}
		f := &figure{at: vec(b.World(0))}
		for range 600 {
			s.time += 1.0 / 30
			f.move(vec(b.World(s.time)), &b, 1.0/30)
			want := vec(game.Platforms[i].At(s.time)).Add(paint.Vec{X: 0.5, Z: 0.5})
			if off := f.at.Sub(want).Long(); off > 0.2 || s.ground(want) != want.Y {
				t.Fatalf("platform %d at %.1f s: %v away, ground %v, want %v", i, s.time, off, s.ground(want), want.Y)
			}
		}
	}
}
