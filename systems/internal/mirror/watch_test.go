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
	var told []PresenceChange
	look := func() {
		x.Update(f.world, 7, func(_ *ecs.World, c PresenceChange) { told = append(told, c) })
	}
	f.feed(f.snapshot(1, toldOf(100, 0x7)))
	f.Place()
	look()
	if len(told) != 3 || told[0].Why != Joined || told[0].ID != 100 || told[0].Entity.IsZero() {
		t.Fatalf("at first: %+v", told)
	}
	look() // both lists have grown
	if n := testing.AllocsPerRun(100, look); n != 0 && !race.Enabled {
		t.Errorf("%v allocations", n)
	}
	told = told[:0]
	f.world.Netcode().Discard(101)
	f.feed(f.snapshot(1, toldOf(300, 0x7), toldAt(3, 700, 1)))
	f.Place()
	look()
	if len(told) == 0 || told[0] != (PresenceChange{ID: 101, Why: Despawned, Tick: 7}) {
		t.Errorf("then: %+v", told)
	}
	for i := 1; i < len(told); i++ {
		if told[i].ID <= told[i-1].ID || told[i].Why.Enters() && told[i].Why != Spawned {
			t.Errorf("then, out of order: %+v", told)
		}
	}
}

func toldOf(id uint32, slots uint64) told { return toldAt(2, id, slots) }
func toldAt(group uint32, id uint32, slots uint64) told {
	return told{group: group, state: dots(id, slots)}
}
