package main

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Move is the input: what a client sends, every tick.
type Move struct {
	DX, DY int8 `net:"-1..1"`
}

// dot is a row: the components that a system wants to touch.
type dot struct {
	Pos *components.Position
	In  *Move
}

// Dots is the game, of one room. Server and clients build it alike.
func Dots() *ecs.Protocol {
	p := ecs.NewProtocol("dots/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[Move](p)
	p.Simulate("move", func(w *ecs.World) {
		for _, d := range ecs.Each[dot](w) {
			d.Pos.X, d.Pos.Y = d.Pos.X+float32(d.In.DX), d.Pos.Y+float32(d.In.DY)
		}
	})
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, components.Position{}, Move{})
	})
	return p
}
