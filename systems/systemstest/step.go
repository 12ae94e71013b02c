package systemstest

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Step runs n ticks of a world without a network, as a server runs them: Simulate, then Authority. It starts with
// tick [ecs.World.Tick], which is 0 in a new world, and leaves World.Tick at the next tick. To start elsewhere,
// call w.Netcode().SetTick.
//
// Inputs are ordinary components: write them to the entities before Step, and they stay. As on a server whose next
// input is missing, fields tagged edge count only in the first tick. Every owner consumes input number World.Tick +
// 1, so that random numbers and the keys of spawned entities differ from tick to tick.
func Step(w *ecs.World, n int) {
	net, authority, input := w.Netcode(), w.Protocol().AuthorityStage(), w.Protocol().Input()
	for range n {
		for _, x := range ecs.All[owned](w) {
			net.SetInputSequence(x.Owner.Client, w.Tick()+1)
		}
		net.SimulateStage().Run(w)
		authority.Run(w)
		net.SetTick(w.Tick() + 1)
		if input == nil {
			continue
		}
		for e := range ecs.All[owned](w) {
			if p := net.Pointer(e, input); p != nil {
				input.Schema.ClearEdges(p)
			}
		}
	}
}

// owned is the row of entities with an owner.
type owned struct{ Owner components.Owner }
