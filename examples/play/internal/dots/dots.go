package dots

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Input is nothing.
type Input struct {
	Nothing uint8 `net:"0..1"`
}

// Protocol is the game.
func Protocol() *ecs.Protocol {
	p := ecs.NewProtocol("page-dots/1")
	ecs.Replicate[components.Position](p, ecs.Interpolated)
	ecs.Input[Input](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, components.Position{X: float32(client)}, Input{})
	})
	return p
}
