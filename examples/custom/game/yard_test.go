package game

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/names"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// yard is a world of its own, as a server has it, stepped by hand.
type yard struct {
	*ecs.World
}

func newYard() *yard {
	return &yard{ecs.NewWorld(Protocol(), ecs.Config{})}
}

// player spawns a player of the next client.
func (y *yard) player(client uint32, x, py float32) ecs.Entity {
	return y.Spawn(components.Owner{Client: client}, components.Position{X: x, Y: py}, components.Velocity{},
		Ride{}, Boost{}, Score{}, names.Named{}, Input{})
}

func (y *yard) powerUp(x, py float32) ecs.Entity {
	return y.Spawn(components.Position{X: x, Y: py}, PowerUp{})
}

// step runs n ticks.
func (y *yard) step(n int) { systemstest.Step(y.World, n) }

// skip goes to a tick without simulating those before.
func (y *yard) skip(to uint32) { y.Netcode().SetTick(to) }

func (y *yard) at(e ecs.Entity) Point { return Point(*ecs.Get[components.Position](y.World, e)) }

func (y *yard) press(e ecs.Entity, dx, dy int8) { *ecs.Get[Input](y.World, e) = Input{dx, dy} }

func near(a, b, tolerance float32) bool { return abs(a-b) <= tolerance }

func samePlace(t *testing.T, got, want Point, tolerance float32, what string) {
	t.Helper()
	if !near(got.X, want.X, tolerance) || !near(got.Y, want.Y, tolerance) {
		t.Errorf("%s is at %v, want %v ± %v", what, got, want, tolerance)
	}
}
