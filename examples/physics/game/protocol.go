package game

import (
	"github.com/tactusgo/tactus/ecs"
)

// The yard, in units; y goes down.
const (
	Width  = 960
	Height = 540

	Radius = 22 // of a ball, which is a player
	Side   = 40 // of a crate

	gravity   = 900
	ballMass  = 4
	crateMass = 0.5
	torque    = 180_000 // of a ball that rolls
	topSpin   = 18      // radians a second
	jump      = 420     // units a second
	slow      = 4       // units a second: who is no faster rests
	slowSpin  = 0.1     // radians a second, likewise
)

// Input is the input of a player for one tick.
type Input struct {
	Roll int8 `net:"-1..1"`
	Jump bool `net:"edge"`
}

// Body is all that there is to know of a ball or a crate. What the library computes with are float64s; so
// are these, and nothing is rounded between two ticks.
type Body struct {
	X      float64 `net:"-64..1024 step 0.01 axis x"`
	Y      float64 `net:"-1024..1024 step 0.01 axis y"`
	Angle  float64 `net:"-1000000..1000000 step 0.01"`
	VX     float64 `net:"-8192..8192 step 0.01 rate x"`
	VY     float64 `net:"-8192..8192 step 0.01 rate y"`
	Spin   float64 `net:"-1024..1024 step 0.01"`
	Stands bool    // on something, so it can jump
}

// Yard counts what happened; there is one.
type Yard struct {
	Contacts uint32 `net:"raw"` // of two bodies, one for each tick in which they touch
}

// Protocol returns the definition of the game. Server and clients call it.
func Protocol(kept bool) *ecs.Protocol {
	p := ecs.NewProtocol("physics/1")
	ecs.Replicate[Body](p, ecs.Predicted|ecs.Interpolated)
	ecs.Singleton[Yard](p, 0)
	ecs.Input[Input](p)
	ecs.Join(p, join)
	p.Simulate("physics", func(w *ecs.World) { simulate(w, kept) })
	return p
}
