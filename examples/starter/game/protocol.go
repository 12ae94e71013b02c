package game

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/policy"
)

// Model is the netcode model. Another word here is all that it takes to play by another one: clients learn it from the
// server when they join.
const Model = policy.LocalSync

// Width and Height are the size of the arena, in units.
const Width, Height = 640, 400

// Move is the input: what a player asks for in a tick. It is sent in every tick, so keep it small.
type Move struct {
	DX, DY int8 `net:"-1..1"`
}

// Login is what a client asks to be when it joins.
type Login struct {
	Name components.Text[[16]byte]
}

// Paint is a command: what a player asks for now and then, here another colour.
type Paint struct {
	Colour uint8 `net:"enum 6"`
}

// Place is where something is. A player's own is predicted on the player's client; all others are drawn on their way
// between two states of the server.
type Place struct {
	X float32 `net:"0..640 step 0.1 axis x"`
	Y float32 `net:"0..400 step 0.1 axis y"`
}

// Player is what the server alone decides of a player.
type Player struct {
	Name   components.Text[[16]byte]
	Colour uint8  `net:"enum 6"`
	Score  uint16 `net:"0..9999"`
	Away   bool   // the page is closed or loaded again: see Protocol.Away
}

// Star is a thing to collect.
type Star struct {
	Worth uint8 `net:"0..3"` // points; 0: it has been taken
}

// Protocol is the whole game, built alike by server and clients.
func Protocol() *ecs.Protocol {
	p := ecs.NewProtocol("starter/1")
	ecs.Input[Move](p)
	ecs.Replicate[Place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Player](p, 0)
	ecs.Replicate[Star](p, 0)
	ecs.Join(p, join)
	p.Away(away)
	ecs.Command(p, paint)
	p.Simulate("walk", walk)
	p.Authority("collect", collect)
	p.Authority("scatter", scatter)
	return p
}
