package crowd

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// push is the input.
type push struct {
	DX, DY int8 `net:"-1..1"`
}

// place is where a player is.
type place struct {
	X, Y float32 `net:"-512..512 step 0.01"`
}

// Field returns the game: players walk to and fro.
func Field() *ecs.Protocol {
	p := ecs.NewProtocol("bench-rooms/1")
	ecs.Replicate[place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[push](p)
	p.Simulate("walk", func(w *ecs.World) {
		for _, r := range ecs.Each[struct {
			At *place
			In *push
		}](w) {
			step := float32(int(w.Tick()/40%2)*2 - 1)
			r.At.X, r.At.Y = r.At.X+step, r.At.Y-step
		}
	})
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, place{}, push{})
	})
	return p
}
