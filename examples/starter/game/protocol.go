package game

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/policy"
)

// Model is the netcode model. Change this word to use another model. Clients receive the model from the server when they
// join.
var Model = policy.LocalSync{}

// Width and Height are the size of the arena, in units.
const Width, Height = 640, 400

// Kind is the kind of the rooms of this game, Capacity the number of players in a room.
const Kind, Capacity = "game", 8

// Move is the input of a player for one tick. A client sends it in every tick, so keep it small.
type Move struct {
	DX, DY int8 `net:"-1..1"`
}

// Login is the name that a client requests when it joins.
type Login struct {
	Name components.Text[[16]byte]
}

// Paint is the command that changes a player's colour.
type Paint struct {
	Colour uint8 `net:"enum 6"`
}

// Place is the position of an entity. Each client predicts the place of its own player. It draws all others between two
// states of the server.
type Place struct {
	X float32 `net:"0..640 step 0.1 axis x"`
	Y float32 `net:"0..400 step 0.1 axis y"`
}

// Player is the part of a player that only the server decides.
type Player struct {
	Name   components.Text[[16]byte]
	Colour uint8  `net:"enum 6"`
	Score  uint16 `net:"0..9999"`
	Away   bool   // the page is closed or reloading: see Protocol.Away
}

// Star is a star to collect.
type Star struct {
	Worth uint8 `net:"0..3"` // points; 0: already taken
}

// Protocol returns the definition of the game. Server and clients call it.
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
