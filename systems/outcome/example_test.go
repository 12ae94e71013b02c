package outcome_test

import (
	"fmt"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/outcome"
)

// Killed is a kill and its author. The subject is the victim.
type Killed struct{ By components.NetID }

// Trigger is a player's input.
type Trigger struct{ Fire bool }

// A server that rewrites history has simulated a kill. Then an input arrives late:
// the victim had fired first. The kill is withdrawn, the other one begins, and is final
// when no input can reach its tick any more.
func Example() {
	p := ecs.NewProtocol("duel/1")
	ecs.Replicate[components.Health](p, ecs.Predicted)
	ecs.Input[Trigger](p)
	type duelist struct {
		Health *components.Health
		In     *Trigger
	}
	p.Simulate("fire", func(w *ecs.World) {
		for a, shooter := range ecs.EachInOrder[duelist](w) {
			for b, victim := range ecs.EachInOrder[duelist](w) {
				if a != b && shooter.In.Fire && shooter.Health.Points > 0 && victim.Health.Points > 0 {
					victim.Health.Points = 0
					outcome.Raise(w, b, Killed{By: w.NetID(a)})
				}
			}
		}
	})

	w := ecs.NewWorld(p, ecs.Config{})
	log := outcome.New(w, outcome.Config{})
	outcome.Handle(log, outcome.Handlers[Killed]{
		Begin: func(_ *ecs.World, o outcome.Outcome[Killed]) {
			fmt.Printf("%d falls, shot by %d\n", o.Subject.NetID, o.Value.By)
		},
		Commit: func(_ *ecs.World, o outcome.Outcome[Killed]) {
			fmt.Printf("a point for %d\n", o.Value.By)
		},
		Cancel: func(_ *ecs.World, o outcome.Outcome[Killed]) {
			fmt.Printf("%d gets up\n", o.Subject.NetID)
		},
	})
	one := w.Spawn(components.Health{Points: 100}, Trigger{})
	two := w.Spawn(components.Health{Points: 100}, Trigger{})

	// A netcode model runs ticks, goes back, and says which ticks are final.
	history := ecs.NewHistory(w, 60)
	history.Capture(0)
	tick := func(t uint32, oneFires, twoFires bool) {
		ecs.Get[Trigger](w, one).Fire = oneFires
		ecs.Get[Trigger](w, two).Fire = twoFires
		w.Netcode().SetTick(t)
		log.Start(t)
		w.Netcode().SimulateStage().Run(w)
		log.Done()
		history.Capture(t)
	}
	tick(1, false, false) // nothing heard of two yet
	tick(2, true, false)
	log.Settle(1)

	log.Rewind(1) // two's input of tick 1 is here
	history.Restore(0)
	tick(1, false, true)
	tick(2, true, false)
	log.Settle(1)

	log.Settle(3) // all inputs up to tick 2 are in
	// Output:
	// 2 falls, shot by 1
	// 2 gets up
	// 1 falls, shot by 2
	// a point for 2
}
