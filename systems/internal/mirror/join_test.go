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

// An event about the whole world waits for the entities of which the client has a state that became old while it joined, as long as for
// those that it has not received for a while.
func TestPatienceBeginsWithTheJoin(t *testing.T) {
	const patience = 5 * tickRate / every // sends
	f := openForger(t)
	f.feed(f.pieceOf(5, 5, 0, 2, 10))
	f.feed(f.pieceOf(5+patience, 5, 1, 2, 20)) // joined
	for send := uint32(6 + patience); send < 10+3*patience; send++ {
		first := wire.Set{News: []wire.NewEntity{{}}}
		f.feed(f.setOfSend(send, 0, first, line(20), nil))
		f.Place()
		if has := f.Has(0, 5*every+1); has != (send > 5+2*patience) {
			t.Fatalf("at send %d: %v", send, has)
		}
	}
	f.check()
}
