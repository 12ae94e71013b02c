package game

import (
	"time"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/names"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// Lengths are in units, speeds in units per second, times in seconds.
const (
	Width, Height    = 960, 640
	Radius, Flake    = 16, 6    // of a player, and of a snowball
	speed, ballSpeed = 150, 420 // likewise

	reload = 0.5 // between two throws
	flight = 2.0 // from the throw of a snowball until it disappears, in the air or at a tree
	down   = 0.7 // that a player lies in the snow after a hit
	Safe   = 1.5 // after that, in which the player cannot be hit
)

// Trees stop snowballs but not players.
var Trees = [...]struct{ X, Y, Radius float32 }{{200, 160, 26}, {480, 320, 34}, {760, 150, 22}, {240, 500, 22}, {740, 490, 28}}

// Input is the input of a player for one tick.
type Input struct {
	X, Y  int8          `net:"-1..1"`
	Aim   uint16        `net:"0..65535 step 64 angle"` // 65536ths of a full turn
	Throw bool          // while held, the player throws every 0.5 seconds
	Seen  lagcomp.Claim // the view that the player saw: see [Claim]
}

// Kid is a player.
type Kid struct {
	Wait   uint8  `net:"0..255"`   // ticks until the next throw
	Hit    uint8  `net:"0..255"`   // ticks until the player can be hit again: see [Kid.Down]
	Thrown uint16 `net:"0..65535"` // number of snowballs thrown
}

// Score has the hits that the server counts, and those of them that would have missed without lag compensation.
type Score struct {
	Hits uint16 `net:"0..65535"`
	Past uint16 `net:"0..65535"`
}

// Ball is a snowball.
type Ball struct {
	Left uint8 `net:"0..255"` // ticks until it disappears
}

// Protocol returns the definition of the game. drift adds the rule that predicts wrongly: see the package comment.
func Protocol(drift bool) *ecs.Protocol {
	p := ecs.NewProtocol("snowball/2")
	ecs.ReplicateFields[components.Position](p, ecs.Predicted|ecs.Interpolated, schema.Fields{
		"X": "-64..1024 step 0.0625 tol 0.25 axis x", "Y": "-64..704 step 0.0625 tol 0.25 axis y",
	})
	ecs.Extrapolate[components.Position](p, 300*time.Millisecond) // players and snowballs move on while states are missing
	ecs.Replicate[components.Velocity](p, ecs.Predicted|ecs.OwnerOnly)
	ecs.Replicate[components.Heading](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Kid](p, ecs.Predicted)
	ecs.Replicate[Ball](p, ecs.Predicted)
	ecs.Replicate[Score](p, 0)
	names.Add(p)
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
