package main

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Move is the input: what a player asks for in one tick.
type Move struct {
	DX, DY int8 `net:"-1..1"`
}

// Place is where a player is. Its owner predicts it; others see it on its way between two states of the server.
type Place struct {
	X float32 `net:"0..640 step 0.1 axis x"`
	Y float32 `net:"0..400 step 0.1 axis y"`
}

// It says who has to catch the others. The server decides that.
type It struct{ Is bool }

// Protocol is the whole game. Server and clients build it alike.
func Protocol() *ecs.Protocol {
	p := ecs.NewProtocol("tag/1")
	ecs.Input[Move](p)
	ecs.Replicate[Place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[It](p, 0)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) { // players ask for nothing when they join
		w.Spawn(components.Owner{Client: client}, Place{float32(40 * client % 640), 200}, It{}, Move{})
	})
	p.Simulate("run", run)
	p.Authority("tag", tag)
	return p
}

// run moves players: on the server all of them, on each client its own, in the very tick of the key.
func run(w *ecs.World) {
	for _, r := range ecs.Each[struct {
		Place *Place
		In    *Move
	}](w) {
		r.Place.X = min(max(r.Place.X+3*float32(r.In.DX), 0), 640)
		r.Place.Y = min(max(r.Place.Y+3*float32(r.In.DY), 0), 400)
	}
}

// tag runs on the server alone. A touched player has to catch the others too; when all are caught, a new round begins.
// It reads first and writes afterwards, so that the order of the players does not matter.
func tag(w *ecs.World) {
	var red []Place
	players, first := 0, ^uint32(0)
	for _, p := range ecs.All[struct { // values, to look at
		Owner components.Owner
		Place Place
		It    It
	}](w) {
		players, first = players+1, min(first, p.Owner.Client)
		if p.It.Is {
			red = append(red, p.Place)
		}
	}
	round := len(red) == 0 || len(red) == players && players > 1
	for _, p := range ecs.Each[struct { // pointers, to write to
		Owner *components.Owner
		Place *Place
		It    *It
	}](w) {
		if round {
			p.It.Is = p.Owner.Client == first
			continue
		}
		for _, at := range red {
			dx, dy := p.Place.X-at.X, p.Place.Y-at.Y
			p.It.Is = p.It.Is || dx*dx+dy*dy < 20*20
		}
	}
}
