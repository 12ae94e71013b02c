package fieldtest

import (
	"math"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Roll is the velocity of a ball, in units per tick.
type Roll struct {
	X, Y float32 `net:"-4..4 step 0.001"`
}

// Stick shows a player's input to clients that do not receive inputs.
type Stick struct {
	DX, DY int8 `net:"-1..1"`
}

const (
	Reach = 1.0 // units from which a player kicks
	kick  = 0.5 // units a tick
	drag  = 31.0 / 32
)

// Ball is a ball on the pitch.
type Ball struct {
	Pos  *components.Position
	Roll *Roll
}

// roll moves the balls. The nearest player within reach kicks a ball. Of two at the same distance, the one who joined
// first kicks.
func roll(w *ecs.World) {
	for _, b := range ecs.Each[Ball](w) {
		least, by := math.Inf(1), uint32(0)
		var dx, dy float64
		for _, p := range ecs.All[struct {
			Pos components.Position
			Own components.Owner
		}](w) {
			x, y := float64(b.Pos.X-p.Pos.X), float64(b.Pos.Y-p.Pos.Y)
			if d := math.Hypot(x, y); p.Own.Client != 0 && (d < least || d == least && p.Own.Client < by) {
				least, by, dx, dy = d, p.Own.Client, x, y
			}
		}
		if least < Reach && least > 0 {
			b.Roll.X, b.Roll.Y = float32(kick*dx/least), float32(kick*dy/least)
		}
		b.Roll.X, b.Roll.Y = drag*b.Roll.X, drag*b.Roll.Y
		b.Pos.X, b.Pos.Y = b.Pos.X+b.Roll.X, b.Pos.Y+b.Roll.Y
	}
}

func hold(w *ecs.World) {
	for _, h := range ecs.Each[struct {
		Stick *Stick
		In    *Walk
	}](w) {
		h.Stick.DX, h.Stick.DY = h.In.DX, h.In.DY
	}
}

// Pitch returns the protocol of the pitch: the field with balls that players kick and that roll until they stop.
func Pitch(more ...Part) func() *ecs.Protocol {
	return ProtocolFrom(append([]Part{HiddenPart, Predicted[Roll], Predicted[Stick], (*ecs.Protocol).QuantizeSteps,
		Simulate("walk", MoveWalkers), Simulate("hold", hold), Simulate("roll", roll)}, append(more, OnJoin(joinPitch))...)...)
}

// Balls returns a function that places n balls in a row.
func Balls(n int) func(w *ecs.World) {
	return func(w *ecs.World) {
		for i := range n {
			w.Spawn(components.Position{X: 12 + 8*float32(i), Y: 0.25}, Roll{})
		}
	}
}

func joinPitch(w *ecs.World, client uint32) {
	w.Spawn(components.Owner{Client: client}, components.Position{X: 10 * float32(client-1)}, Jumps{}, Stick{}, Walk{})
}

// PitchConfig returns a match on the pitch. Clients use the scope others for entities that they do not own.
func PitchConfig(seed uint64, clients, n int, link time.Duration, others systems.Scope) systemstest.Config {
	config := Config(seed, clients, Lag(int(link/Ticks(1))))
	config.Protocol, config.Populate = Pitch(), Balls(n)
	config.Client = Scoped(others)
	return config
}

// Scoped returns the configuration of clients that use the scope others for entities that they do not own.
func Scoped(others systems.Scope) func(int) systems.ClientConfig {
	return func(int) systems.ClientConfig {
		return systems.ClientConfig{Prediction: systems.Prediction{Scope: func(*ecs.World, ecs.Entity) systems.Scope { return others }}}
	}
}

// FirstBall returns the first ball of a world and whether it moves.
func FirstBall(w *ecs.World) (at components.Position, e ecs.Entity, moves, found bool) {
	for e, b := range ecs.All[struct {
		Pos  components.Position
		Roll Roll
	}](w) {
		return b.Pos, e, b.Roll != Roll{}, true
	}
	return
}
