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
