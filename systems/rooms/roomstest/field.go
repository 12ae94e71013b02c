package roomstest

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Push is the input of [Field].
type Push struct {
	DX int8 `net:"-1..1"`
}

// Place is where a dot of [Field] is.
type Place struct {
	X float32 `net:"-512..512 step 0.01"`
}

// Field returns a game in which there is a dot for each player, and nothing else.
func Field() *ecs.Protocol {
	p := ecs.NewProtocol("field/1")
	ecs.Replicate[Place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[Push](p)
	p.Simulate("walk", func(*ecs.World) {})
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, Place{}, Push{})
	})
	return p
}
