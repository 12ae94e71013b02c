//go:build !js

package arena

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/play/internal/stage"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// shown is a scene of a client in a match in virtual time.
type shown struct {
	*systemstest.Crowd
	scene    *scene
	controls *stage.Controls
	client   *systems.Client
	rate     int // frames a second
}

func newShown(t *testing.T, rtt time.Duration, loss float64) *shown {
	t.Helper()
	on := stage.New(World(), &stage.Options{})
	scene := on.Scene().(*scene)
	config := systemstest.Config{Protocol: game.CombatProtocol, Clients: 4, Seed: 9, FrameRate: 1, Link: systemstest.RoundTrip(rtt, rtt/10, loss),
		Client: func(n int) systems.ClientConfig {
			if n > 0 {
				c := systems.ClientConfig{Gather: game.NewGunner(9, n, 4).Gather()}
				scene.messages.Play(&c, nil)
				return c
			}
			var c systems.ClientConfig
			scene.Configure(&c)
			return c
		}}
	game.Arm(&config.Server)
	scene.messages.Serve(&config.Server)
	s := &shown{scene: scene, controls: &on.Controls, rate: 60}
	s.Crowd = systemstest.New(t, config)
	game.PopulateCombat(s.Server.World(), 4, 100)
	s.client = s.Clients[0].Client
	s.Connect()
	s.Run(5 * time.Second)
	return s
}

// frame draws one frame.
func (s *shown) frame() {
	dt := time.Second / time.Duration(s.rate)
	s.Run(dt)
	s.client.Frame(s.Now())
	s.scene.update(s.client, dt.Seconds())
}

// The own player answers in the frame after the key, and is drawn without jumps on a bad
// link: no frame moves it further than its speed explains, but where a key changes, by two
// ticks at most, and walking one way it never steps back.
func TestOwnPlayerMovesSmoothly(t *testing.T) {
	for _, rate := range []int{60, 144} {
		t.Run(fmt.Sprint(rate, " frames"), func(t *testing.T) {
			s := newShown(t, 200*time.Millisecond, 0.05)
			s.rate = rate
			s.frame()
			const tick = game.PlayerSpeed / 60.0
			keys := [...]uint32{game.Right, 0, game.Left, game.Down, game.Right | game.Up, game.Left}
			worst, sharpest, seen := 0.0, 0.0, 0
			for n := range rate * 20 {
				own := s.scene.own
				wasX, wasY, down, turn := own.x, own.y, own.down || own.grown < 1, n%50 == 0
				before := s.controls.Held()
				s.scene.aim += 300
				if turn {
					s.controls.Press(keys[n/50%len(keys)])
				}
				s.frame()
				if own = s.scene.own; down || own.down {
					continue
				}
				seen++
				dx, dy := own.x-wasX, own.y-wasY
				if turn {
					sharpest = max(sharpest, math.Hypot(dx, dy))
				} else {
					worst = max(worst, math.Hypot(dx, dy))
				}
				held := s.controls.Held()
				if (before|held) == game.Right && dx < -0.01 || (before|held) == game.Left && dx > 0.01 {
					t.Fatalf("frame %d: a step of %v, %v with keys %b after %b", n, dx, dy, held, before)
				}
				if d := own.turn - angle(s.scene.aim); d != 0 {
					t.Fatalf("frame %d: drawn %v radians from where it aims", n, d)
				}
				if turn && held != 0 && math.Hypot(dx, dy) < 0.1 && inside(own) {
					t.Fatalf("frame %d: the key does not show", n)
				}
			}
			t.Logf("at most %.2f units a frame, %.2f where a key changes, in %d frames", worst, sharpest, seen)
			if seen < rate*10 {
				t.Errorf("%d frames seen", seen)
			}
			if explained := game.PlayerSpeed / float64(rate) * 1.05; worst > explained {
				t.Errorf("a frame moves the player by %.2f units, at most %.2f are explained", worst, explained)
			}
			if sharpest > 2*tick {
				t.Errorf("a key moves the player by %.2f units in a frame, at most %.2f are explained", sharpest, 2*tick)
			}
		})
	}
}

// A key that is down for one frame counts, even between two ticks: for a tick, or two
// where the frame shows part of a second one; and what was shown is not taken back.
func TestATapBetweenTicksCounts(t *testing.T) {
	s := newShown(t, 100*time.Millisecond, 0)
	s.rate = 240
	taps := 0
	for n := range 40 {
		key := uint32(game.Right)
		if s.scene.frame > 0 && s.scene.own.x > game.Size/2 {
			key = game.Left
		}
		for range 40 + n%4 {
			s.frame()
		}
		if s.scene.own.down || s.scene.own.grown < 1 {
			continue
		}
		x := s.scene.own.x
		s.controls.Press(key)
		s.frame()
		shown := math.Abs(s.scene.own.x - x)
		s.controls.Press(0)
		for range 8 {
			s.frame()
		}
		const tick = game.PlayerSpeed / 60.0
		d := math.Abs(s.scene.own.x - x)
		off := math.Abs(d/tick - math.Round(d/tick))
		if !s.scene.own.down && (shown < 0.1 || d < shown || d > 2.01*tick || off > 0.01) {
			t.Errorf("tap %d: %.2f units in its frame, %.2f in the end; a tick is %.2f", n, shown, d, tick)
		}
		taps++
	}
	if taps < 30 {
		t.Errorf("%d taps", taps)
	}
}

// inside reports whether a player does not stand at a wall.
func inside(a *actor) bool {
	return a.x > 5 && a.x < game.Size-5 && a.y > 5 && a.y < game.Size-5
}

// A frame of the scene allocates nothing.
func TestSceneAllocatesNothing(t *testing.T) {
	s := newShown(t, 100*time.Millisecond, 0)
	for range 120 {
		s.frame()
	}
	if n := testing.AllocsPerRun(200, func() {
		s.scene.update(s.client, 0.001)
	}); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}
