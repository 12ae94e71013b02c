package lagcomp_test

import (
	"fmt"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// A runner goes from left to right, and was destroyed a moment before a shot arrived
// that was fired when it was still on the shooter's screen.
func Example() {
	type Position struct {
		X, Y float32 `net:"-512..512 step 0.01"`
	}
	p := ecs.NewProtocol("range/1")
	ecs.Replicate[Position](p, ecs.Predicted|ecs.Interpolated)
	server := ecs.NewWorld(p, ecs.Config{})
	runner := server.Spawn(Position{})
	server.Spawn(components.Owner{Client: 7}, Position{Y: -10})

	comp, err := lagcomp.New(server, lagcomp.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for tick := range uint32(60) {
		server.Netcode().SetTick(tick)
		if ecs.Get[Position](server, runner) != nil {
			ecs.Get[Position](server, runner).X += 0.1
		}
		if tick == 54 {
			server.Despawn(runner)
		}
		comp.Record(tick + 1) // a server of package systems does it
	}
	server.Netcode().SetTick(60)

	// The client's view showed tick 41.5, between the states of 39 and 42.
	claim := lagcomp.NewClaim(41.5, 39, 42, 3)
	view := comp.As(7, claim)
	type target struct{ At Position }
	for e, t := range lagcomp.All[target](view) {
		fmt.Printf("%v at %.2f %.0f\n", view.NetID(e), t.At.X, t.At.Y)
	}
	fmt.Println(view.Clamp(), ecs.Has[Position](server, runner))
	// Output:
	// 1 at 4.15 0
	// 2 at 0.00 -10
	// believed false
}
