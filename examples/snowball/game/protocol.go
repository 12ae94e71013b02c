package game

import (
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// Lengths in units, speeds in units a second, times in seconds.
const (
	Width, Height    = 960, 640
	Radius, Flake    = 16, 6    // of a player, and of a snowball
	speed, ballSpeed = 150, 420 // likewise

	reload = 0.5 // between two throws
	flight = 2.0 // of a snowball, and how long one lies that struck a tree
	down   = 0.7 // for which a player who was hit lies in the snow
	safe   = 1.5 // for which nobody hits it after that
)

// Trees stop snowballs, and are in nobody's way.
var Trees = [...]struct{ X, Y, Radius float32 }{{200, 160, 26}, {480, 320, 34}, {760, 150, 22}, {240, 500, 22}, {740, 490, 28}}

// Input is what a player does in one tick.
type Input struct {
	X, Y  int8          `net:"-1..1"`
	Aim   uint16        `net:"0..65535 step 64 angle"` // 65536 to the full turn
	Throw bool          // held: throws as often as the arm allows
	Seen  lagcomp.Claim // what the player's view showed: see [Claim]
}

// Kid is a player.
type Kid struct {
	Wait   uint8  `net:"0..255"`   // ticks until the next throw
	Hit    uint8  `net:"0..255"`   // ticks until it can be hit again: see [Kid.Down]
	Thrown uint16 `net:"0..65535"` // snowballs
}

// Score is for the server to count: hits, and of these whose victim was elsewhere by then, without lag compensation misses.
type Score struct {
	Hits uint16 `net:"0..65535"`
	Past uint16 `net:"0..65535"`
}

// Ball is a snowball.
type Ball struct {
	Left uint8 `net:"0..255"` // ticks
}

// Protocol builds the game's protocol. drift adds the rule that breaks the law: see the package.
func Protocol(drift bool) *ecs.Protocol {
	p := ecs.NewProtocol("snowball/1")
	ecs.ReplicateFields[components.Position](p, ecs.Predicted|ecs.Interpolated, schema.Fields{
		"X": "-64..1024 step 0.0625 tol 0.25 axis x", "Y": "-64..704 step 0.0625 tol 0.25 axis y",
	})
	ecs.Replicate[components.Velocity](p, ecs.Predicted|ecs.OwnerOnly)
	ecs.Replicate[components.Heading](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Kid](p, ecs.Predicted)
	ecs.Replicate[Ball](p, ecs.Predicted)
	ecs.Replicate[Score](p, 0)
	ecs.Input[Input](p)
	ecs.Join(p, join)
	p.Simulate("throw", throw)
	p.Simulate("walk", walk)
	if drift {
		goesOn := ecs.NewRand(1, 1)
		p.Simulate("drift", func(w *ecs.World) {
			for _, p := range ecs.Each[player](w) {
				p.Pos.X += (goesOn.Float32() - 0.5) * 4 * float32(p.In.X)
			}
		})
	}
	p.Simulate("fly", fly)
	p.Authority("hit", hit)
	return p
}
