package mirror

import (
	"testing"

	"github.com/tactusgo/tactus/codec/delta"
)

// A client places its own entity before it has joined. If the state with which it joins gives the entity to another client,
// the entity is placed according to that state.
func TestJoinTakesAnEntityFromItsOwner(t *testing.T) {
	f := openForger(t)
	owned := func(by, x int32) told {
		g := &delta.Group{}
		copy(g.Put(0, 900, ownerBit|placeBit, 3), []int32{by, x, 0})
		return told{state: g}
	}
	f.feed(f.joining(2, shotsOf(900, 9), owned(1, 5)))
	f.Place()
	r := f.Entities.Of(900)
	if _, loaded := f.Loaded(); loaded || r == nil || !r.Predicted() {
		t.Fatalf("before it has joined: %+v", r)
	}
	f.feed(f.joining(2, owned(2, 7), told{piece: 1, state: &delta.Group{}}))
	f.Place()
	if _, loaded := f.Loaded(); !loaded || f.refused > 0 || r.Simulated || r.Own {
		t.Errorf("joined: %v; %d refused; the other client's entity is simulated here: %v, as its own: %v", loaded, f.refused, r.Simulated, r.Own)
	}
	f.check()
}

// An own entity of which complete owner state says nothing any more has no components that only its owner may see, as soon as the world
// is known to still have the entity.
func TestOwnEntityLosesItsLastPrivateComponent(t *testing.T) {
	f := openForger(t)
	world, key := &delta.Group{}, &delta.Group{}
	copy(world.Put(0, 900, ownerBit|placeBit, 3), []int32{1, 5, 0})
	copy(key.Put(0, 900, keyBit, 3), []int32{1, 7, 0})
	f.feed(f.joining(1, told{own: true, state: key}, told{state: world}))
	f.Place()
	r := f.Entities.Of(900)
	if r == nil || r.Private != keyBit {
		t.Fatalf("at first: %+v", r)
	}
	f.feed(f.snapshot(1, told{own: true, state: &delta.Group{}}))
	f.Place()
	for range 3 {
		f.feed(f.snapshot(1, told{own: true, state: &delta.Group{}}, told{state: world}))
		f.Place()
	}
	if r.Private != 0 || f.refused > 0 {
		t.Errorf("it has private components %b; %d datagrams are refused", r.Private, f.refused)
	}
	f.check()
}
