package serve

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// push is the input, which no rule uses.
type push struct {
	DX int8 `net:"-1..1"`
}

// place is where a player is.
type place struct {
	X float32 `net:"-512..512 step 0.01"`
}

// field returns a game in which players stand in a field.
func field(system func(w *ecs.World)) *ecs.Protocol {
	p := ecs.NewProtocol("field/1")
	ecs.Replicate[place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[push](p)
	if system != nil {
		p.Authority("system", system)
	}
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, place{}, push{})
	})
	return p
}
