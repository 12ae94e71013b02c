package main

import (
	"sync/atomic"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// step is the input of a player for one tick.
type step struct {
	DX, DY int8 `net:"-1..1"`
}

// game returns the protocol of a game in which each player moves an entity. It counts the players.
func game(players *atomic.Int64) *ecs.Protocol {
	p := ecs.NewProtocol("soak/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[step](p)
	p.Simulate("step", func(w *ecs.World) {
		for _, r := range ecs.Each[struct {
			Pos *components.Position
			In  *step
		}](w) {
			r.Pos.X, r.Pos.Y = r.Pos.X+float32(r.In.DX), r.Pos.Y+float32(r.In.DY)
		}
	})
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		players.Add(1)
		w.Spawn(components.Owner{Client: client}, components.Position{}, step{})
	})
	p.Leave(func(*ecs.World, uint32) { players.Add(-1) })
	return p
}
