package dots

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Input is the direction in which a player moves.
type Input struct {
	DX int8 `net:"-1..1"`
}

// Protocol returns the game.
func Protocol() *ecs.Protocol {
	p := ecs.NewProtocol("page-dots/1")
	ecs.Replicate[components.Position](p, ecs.Interpolated)
	ecs.Input[Input](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, components.Position{X: float32(client)}, Input{})
	})
	p.Authority("move", func(w *ecs.World) {
		for _, d := range ecs.Each[struct {
			At *components.Position
			In *Input
		}](w) {
			d.At.X += float32(d.In.DX)
		}
	})
	return p
}
