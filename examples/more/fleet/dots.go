package main

import (
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/rooms"
)

// The limits of a process. The manifests contain the same values.
const (
	maxRooms = 64
	capacity = 2
	// longest is the longest drain: rooms that no other process can continue play on for this time.
	longest = 50 * time.Minute
)

// Move is the input of a client in each tick.
type Move struct {
	DX, DY int8 `net:"-1..1"`
}

// dot is a row: the components that a system uses.
type dot struct {
	Pos *components.Position
	In  *Move
}

// Dots returns the game of one room. Server and clients share it.
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

// kind returns the kind of rooms of the game. When a process drains, other processes continue its rooms.
func kind() rooms.Kind {
	return rooms.Kind{Name: "dots", Protocol: Dots, Capacity: capacity}
}
