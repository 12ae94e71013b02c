package outcome_test

import (
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/outcome"
)

// Rewinds, outcomes that come, go and stay, and commits, without an allocation.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	w := ecs.NewWorld(testgame.Stage(), ecs.Config{})
	log := outcome.New(w, outcome.Config{})
	calls := 0
	count := func(*ecs.World, outcome.Outcome[kill]) { calls++ }
	outcome.Handle(log, outcome.Handlers[kill]{Begin: count, Commit: count, Cancel: count})
	tick := uint32(10)
	step := func() {
		tick++
		log.Rewind(tick - 8)
		for n := tick - 8; n <= tick; n++ {
			log.Start(n)
			for i := range 4 {
				outcome.Raise(w, ecs.Entity{}, kill{uint8(i)})
			}
			outcome.Raise(w, ecs.Entity{}, kill{uint8(tick)}) // another one each time
			log.Done()
		}
		log.Settle(tick - 8)
	}
	for range 50 {
		step()
	}
	calls = 0
	if n := testing.AllocsPerRun(100, step); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
	if calls < 1000 {
		t.Errorf("%d calls", calls)
	}
}
