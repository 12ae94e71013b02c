package mirror

import (
	"testing"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// A client places its own entity before it has joined. If the state with which it joins gives the entity to another client,
// the entity is placed according to that state.
func TestJoinTakesAnEntityFromItsOwner(t *testing.T) {
	f := openForger(t)
	owned := func(by, x int32) told {
		g := &delta.Group{Known: wire.AllSlots}
		copy(g.Put(3, 900, ownerBit|placeBit, 3), []int32{by, x, 0})
		return told{state: g}
	}
	f.feed(f.joining(2, shotsOf(900, 9), owned(1, 5)))
	f.Place()
	r := f.Entities.Of(900)
	if _, loaded := f.Loaded(); loaded || r == nil || !r.Predicted() {
		t.Fatalf("before it has joined: %+v", r)
	}
	f.feed(f.joining(2, owned(2, 7), told{group: 1, state: &delta.Group{Known: wire.AllSlots}}))
	f.Place()
	if _, loaded := f.Loaded(); !loaded || f.refused > 0 || r.Simulated || r.Own {
		t.Errorf("joined: %v; %d refused; the other client's entity is simulated here: %v, as its own: %v", loaded, f.refused, r.Simulated, r.Own)
	}
	f.check()
}

// An entity that moves to a slot of another group stays in the world if the client receives the new slot first and learns of
// the empty old slot from a later send. It leaves the world if a send between these two has no entity in the new slot.
func TestMovedEntityOutlivesItsOldSlot(t *testing.T) {
	f := newForger(t)
	none := &delta.Group{}
	none.Clear(7, false)
	f.feed(f.snapshot(1, told{group: 2, state: dots(500, 1<<7)}))
	f.Place()
	moved := f.snapshot(1, told{group: 3, state: dots(500, 1<<7)})
	died := f.snapshot(2, told{group: 3, state: none})
	left := f.snapshot(3, told{group: 2, state: none})
	f.feed(moved)
	f.feed(left)
	f.Place()
	if r := f.Entities.Of(507); r.Removed.Tick != 0 || r.At != (Location{3, 7}) || f.Presence(507) != Stale {
		t.Errorf("an entity that moved is %v, at %v, removed: %+v", f.Presence(507), r.At, r.Removed)
	}
	f.feed(died)
	for range MoveSends {
		f.feed(f.snapshot(1, told{group: 4, state: dots(700, 1)}))
		f.Place()
	}
	if _, there := f.world.ByNetID(507); there || f.refused > 0 {
		t.Errorf("a dead entity walks: %v; %d refused", there, f.refused)
	}
	f.check()
}
