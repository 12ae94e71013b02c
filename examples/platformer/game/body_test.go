package game

import (
	"math"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// stage is a world with one character on it, without any network.
type stage struct {
	*ecs.World
	who ecs.Entity
}

func newStage(at Vec) *stage {
	s := &stage{World: ecs.NewWorld(Protocol(), ecs.Config{})}
	s.who = s.Spawn(components.Owner{Client: 1}, Body{At: at}, components.Teleports{}, Input{})
	return s
}

// step runs ticks with an input; a press is in the first alone.
func (s *stage) step(ticks int, in Input) {
	*ecs.Get[Input](s.World, s.who) = in
	systemstest.Step(s.World, ticks)
}

func (s *stage) on() uint8   { return s.body().On }
func (s *stage) at() Vec     { return s.body().World(float64(s.Tick()) / 60) }
func (s *stage) body() *Body { return ecs.Get[Body](s.World, s.who) }

func near(t *testing.T, what string, got, want, most float32) {
	t.Helper()
	if math.Abs(float64(got-want)) > float64(most) {
		t.Errorf("%s is %.3f, want %.3f ± %v", what, got, want, most)
	}
}

// A jump is 2 m high and 0.8 s long, and one press is one jump, however long the key is down.
func TestJump(t *testing.T) {
	s := newStage(Vec{0, 0, 0})
	s.step(2, Input{})
	s.step(1, Input{Jump: true})
	top, ticks := float32(0), 1
	for ; s.on() == InAir && ticks < 200; ticks++ {
		s.step(1, Input{})
		top = max(top, s.at().Y)
	}
	near(t, "the top of the jump", top, 2, 0.1)
	near(t, "its length in ticks", float32(ticks), 48, 1)
	s.step(30, Input{})
	if s.body().Jumps != 1 || s.at().Y != 0 {
		t.Errorf("%d jumps, feet at %v", s.body().Jumps, s.at().Y)
	}
}

// A press a moment before the ground is there counts; in the middle of the air there is nothing to
// jump from.
func TestJumpIsForgiving(t *testing.T) {
	s := newStage(Vec{0, 0.15, 0})
	s.step(1, Input{Jump: true})
	s.step(8, Input{})
	if s.body().Jumps != 1 {
		t.Error("a press right before landing was forgotten")
	}
	s = newStage(Vec{0, 1, 0})
	s.step(1, Input{Jump: true})
	s.step(60, Input{})
	if s.body().Jumps != 0 {
		t.Error("it jumped in the air, or long after the press")
	}
}

// Movement is relative to the camera: forward is its direction, right is to its right.
func TestYaw(t *testing.T) {
	for _, c := range []struct {
		in   Input
		x, z float32
	}{
		{Input{Forward: 1}, 1, 0}, {Input{Forward: 1, Yaw: 90}, 0, 1}, {Input{Right: 1}, 0, 1},
		{Input{Right: 1, Yaw: 90}, -1, 0}, {Input{Forward: -1, Right: -1}, -math.Sqrt2 / 2, -math.Sqrt2 / 2},
	} {
		s := newStage(Vec{0, 0, 0})
		s.step(61, c.in)
		far := float32(math.Hypot(float64(s.at().X), float64(s.at().Z)))
		near(t, "a second's way", far, speed, 0.3)
		near(t, "its share along x", s.at().X/far, c.x, 0.01)
		near(t, "its share along z", s.at().Z/far, c.z, 0.01)
	}
}

// A slope is walked up and down with the feet on it.
func TestSlope(t *testing.T) {
	s := newStage(Vec{1, 0, -6})
	s.step(1, Input{})
	for _, yaw := range []float32{0, 180} {
		for range 100 {
			s.step(1, Input{Forward: 1, Yaw: yaw})
			at := s.at()
			if s.on() != OnGround {
				t.Fatalf("on the slope at %v it flies", at)
			}
			if at.X > 2+Radius && at.X < 8-Radius {
				near(t, "the slope", at.Y, Solids[1].Top(at.X), 0.01)
			}
		}
		if yaw == 0 {
			near(t, "the top", s.at().Y, 3, 0)
		}
	}
	near(t, "back at the foot", s.at().Y, 0, 0)
}

// Low steps are walked up, high ones are in the way, from below too.
func TestSteps(t *testing.T) {
	s := newStage(Vec{-5, 0, 7})
	s.step(80, Input{Forward: 1})
	if s.at().Y < 0.3 {
		t.Errorf("it stands at %v, before the step", s.at())
	}
	s = newStage(Vec{-5, 0, -6})
	s.step(80, Input{Forward: 1, Yaw: 180})
	near(t, "the crate stops it at", s.at().X, -7+Radius, 0.1)
	s = newStage(Vec{7, 0, 5})
	s.step(2, Input{})
	s.step(20, Input{Jump: true})
	if s.at().Y+Height > 1.5 {
		t.Errorf("its head is in the roof: feet at %v", s.at())
	}
}

// A player who stands still on a platform keeps its place on it for two whole rounds, to the bit, also if it takes no step for
// a while because the server skips it.
func TestRiding(t *testing.T) {
	for i := range Platforms {
		p, place := &Platforms[i], Body{On: uint8(OnPlatform + i), At: Vec{0.5, 0, -0.5}}
		s := newStage(Vec{})
		*s.body() = place
		for tick := range int(4 * 60 * (p.Travel + wait)) {
			if s.step(1, Input{}); tick%100 == 0 {
				s.Netcode().SetTick(s.Tick() + 7)
			}
			if got := *s.body(); got != place {
				t.Fatalf("platform %d, tick %d: %+v, want %+v", i, s.Tick(), got, place)
			}
		}
		want := p.At(float64(s.Tick()) / 60).add(place.At)
		near(t, "its place in the world", float32(s.at().sub(want).long()), 0, 0.001)
	}
}

// A player who jumps from a moving platform keeps the platform's speed, and lands on it again.
func TestJumpOnPlatform(t *testing.T) {
	p := &Platforms[0]
	s := newStage(p.From)
	s.step(100, Input{})
	before := s.at()
	s.step(1, Input{Jump: true})
	ticks := 1
	for ; s.on() == InAir && ticks < 100; ticks++ {
		s.step(1, Input{})
	}
	if s.on() != OnPlatform || s.at().X-before.X < 0.8 {
		t.Errorf("after %d ticks it stands on %d, %.2f m on", ticks, s.on(), s.at().X-before.X)
	}
	if n := ecs.Get[components.Teleports](s.World, s.who).Count; n != 3 { // onto it, off, and on again
		t.Errorf("its place changed what it is counted from %d times, want 3: pictures would slide from one to the other", n)
	}
}

// A player who falls off the world starts again, and is not drawn on the way.
func TestFalling(t *testing.T) {
	s := newStage(Vec{40, 0, 0})
	s.step(100, Input{})
	if at := s.at(); at != start || ecs.Get[components.Teleports](s.World, s.who).Count != 1 {
		t.Errorf("it is at %v after %d teleports", at, ecs.Get[components.Teleports](s.World, s.who).Count)
	}
}

// A coin is taken once, by the first of two players in the same tick, and comes back.
func TestCoins(t *testing.T) {
	s := newStage(Vec{0, 0, 0})
	second := s.Spawn(components.Owner{Client: 2}, Body{}, components.Teleports{}, Input{})
	World().Populate(s.World, &runner.Options{NPCs: len(Coins)})
	for seed := range uint64(4) {
		s.Shuffle(seed)
		s.step(1, Input{})
	}
	if other := ecs.Get[Body](s.World, second).Coins; s.body().Coins != 1 || other != 0 {
		t.Errorf("%d and %d coins", s.body().Coins, other)
	}
	if s.step(4*60-4, Input{}); s.body().Coins != 1 {
		t.Error("the coin is back too early")
	}
	if s.step(2, Input{}); s.body().Coins != 2 {
		t.Error("the coin is not back")
	}
}
