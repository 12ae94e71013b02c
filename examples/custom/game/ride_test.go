package game

import (
	"testing"

	"github.com/tactusgo/tactus/ecs"
)

// A rider who stands still keeps its place on the platform for a whole round, including the turns. A player beside the
// platform does not move.
func TestPlatformCarries(t *testing.T) {
	y := newYard()
	p := &level(y.World).Platforms[0]
	rider, beside := y.player(1, p.From.X+30, p.From.Y-50), y.player(2, p.From.X+p.W, p.From.Y)
	for range 2 * (p.Travel + p.Wait) {
		y.step(1)
		m := p.At(y.Tick())
		samePlace(t, y.at(rider), Point{m.X + 30, m.Y - 50}, 0.01, "the rider")
		r := ecs.Get[Ride](y.World, rider)
		if r.On != 1 || !near(r.X, 30, 0.01) || !near(r.Y, -50, 0.01) {
			t.Fatalf("after tick %d the rider's place on the platform is %+v", y.Tick(), *r)
		}
	}
	samePlace(t, y.at(beside), Point{p.From.X + p.W, p.From.Y}, 0, "who stands beside")
	if far := ecs.Get[Ride](y.World, beside); far.On != 0 {
		t.Errorf("who stands beside rides: %+v", *far)
	}
}

// The movement of a platform depends only on the tick: a world that starts in the middle carries riders like one that ran from
// the start.
func TestPlatformFollowsTheTick(t *testing.T) {
	y := newYard()
	p := &level(y.World).Platforms[1]
	const middle = 200 // a tick on the way
	m := p.At(middle)
	if m == p.From || m == p.To {
		t.Fatalf("the platform stands at %v at tick %d", m, middle)
	}
	y.skip(middle - 1)
	rider := y.player(1, m.X, m.Y)
	y.step(1) // onto the platform
	y.step(10)
	samePlace(t, y.at(rider), p.At(middle+10), 0.01, "the rider")
}

// Two riders of a platform are compared by their places on the platform, not by those in the yard: on a client, the position
// of the other rider is older, and the platform has moved since.
func TestRidersAreComparedOnThePlatform(t *testing.T) {
	c := Crowd{players: []seenPlayer{
		{ID: 1, Pos: at(200, 300), Ride: Ride{On: 1, X: -25}},
		{ID: 2, Pos: at(200, 290), Ride: Ride{On: 1, X: 25}},
	}}
	if x, y := c.pressure(1); x != 0 || y != 0 {
		t.Errorf("riders 50 units apart on the platform push each other by %v %v", x, y)
	}
	c.players[1].Ride.On = 2
	if x, y := c.pressure(1); x == 0 && y == 0 {
		t.Error("players who overlap and do not ride together do not push each other")
	}
}
