package mirror

import (
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
)

// An update without changes reports nothing and allocates nothing.
func TestWatch(t *testing.T) {
	f := newForger(t)
	x := Watch{Confirmed: f.world.Netcode().Tables}
	var changes []PresenceChange
	look := func() {
		x.Update(f.world, 7, func(_ *ecs.World, c PresenceChange) { changes = append(changes, c) })
	}
	f.feed(f.snapshot(1, told{state: dots(100, 3)}))
	f.Place()
	look()
	if len(changes) != 3 || changes[0].Why != Joined || changes[0].ID != 100 || changes[0].Entity.IsZero() {
		t.Fatalf("at first: %+v", changes)
	}
	look() // both lists have grown
	if n := testing.AllocsPerRun(100, look); n != 0 && !race.Enabled {
		t.Errorf("%v allocations", n)
	}
	changes = changes[:0]
	f.world.Netcode().Discard(101)
	f.feed(f.snapshot(1, told{state: dots(300, 3)}, told{state: dots(700, 1)}))
	f.Place()
	look()
	if len(changes) == 0 || changes[0] != (PresenceChange{ID: 101, Why: Despawned, Tick: 7}) {
		t.Errorf("then: %+v", changes)
	}
	for i := 1; i < len(changes); i++ {
		if changes[i].ID <= changes[i-1].ID || changes[i].Why.Enters() && changes[i].Why != Spawned {
			t.Errorf("then, out of order: %+v", changes)
		}
	}
}
