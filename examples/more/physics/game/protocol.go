package game

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/names"
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
	torque    = 180_000 // of a rolling ball
	topSpin   = 18      // radians a second
	jump      = 420     // units a second
	slow      = 4       // units per second; slower bodies rest
	slowSpin  = 0.1     // radians per second; slower bodies rest
)

// Input is the input of a player for one tick.
type Input struct {
	Roll int8 `net:"-1..1"`
	Jump bool `net:"edge"`
}

// Body is the whole state of a ball or a crate. The library computes with float64, and the fields are float64 too, so
// nothing is rounded between ticks.
type Body struct {
	X      float64 `net:"-64..1024 step 0.01 axis x"`
	Y      float64 `net:"-1024..1024 step 0.01 axis y"`
	Angle  float64 `net:"-1000000..1000000 step 0.01"`
	VX     float64 `net:"-8192..8192 step 0.01 rate x"`
	VY     float64 `net:"-8192..8192 step 0.01 rate y"`
	Spin   float64 `net:"-1024..1024 step 0.01"`
	Stands bool    // on something, so the ball can jump
}

// Score counts the seconds in which a ball was above all others, on top of something.
type Score struct {
	Points uint16 `net:"0..65535"`
}

// Yard counts events; it is a singleton.
type Yard struct {
	Contacts uint32 `net:"raw"` // contacts of two bodies per tick
}

// Protocol returns the definition of the game. Server and clients call it.
func Protocol(kept bool) *ecs.Protocol {
	p := ecs.NewProtocol("physics/3")
	ecs.Replicate[Body](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Score](p, ecs.Predicted)
	ecs.Singleton[Yard](p, 0)
	names.Add(p)
	ecs.Input[Input](p)
	ecs.Join(p, join)
	p.Simulate("physics", func(w *ecs.World) { simulate(w, kept) })
	p.Simulate("score", score)
	return p
}
