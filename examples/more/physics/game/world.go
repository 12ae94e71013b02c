package game

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/names"
)

// populate stacks crates, three wide, as many as fit.
func populate(w *ecs.World, crates int) {
	for i := range min(crates, 24) {
		w.Spawn(Body{X: Width/2 + float64(i%3-1)*(Side+4), Y: Height - 10 - Side/2 - float64(i/3)*(Side+2)})
	}
}

// join drops a client's ball into the yard.
func join(w *ecs.World, client uint32, _ *struct{}) {
	draw := ecs.NewRand(w.Seed(), uint64(client))
	w.Spawn(components.Owner{Client: client}, Body{X: Radius + 20 + draw.Float64()*(Width-2*Radius-40), Y: 100}, Score{}, names.Named{}, Input{})
}
