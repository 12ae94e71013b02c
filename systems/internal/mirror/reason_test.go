package mirror

import (
	"testing"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// withWays is a datagram with ways of a group, the next send.
func (f *forger) withWays(group uint32, state *delta.Group, w wire.Ways) []byte {
	b := wire.AppendSnapshotHeader(nil, &wire.SnapshotHeader{Send: uint16(f.Newest.Send) + 1, Input: uint16(f.Own.Newest.Input)})
	h := wire.BlockHead{First: group, Count: 1, Slots: state.Known}
	body, coder := f.encoder.Append(nil, f.models[0], []delta.Part{{Cur: state, Slots: h.Slots}})
	var all []byte
	all, h.Coder = w.Append(nil, coder)
	all = append(all, body...)
	return append(h.Append(b, 0, len(all), true), all...)
}

// How an entity came and went is known from the block that told of it, though later ones are placed in its stead.
func TestWaysAreKept(t *testing.T) {
	f := newForger(t)
	why := map[uint32]Reason{}
	f.config.Presence = func(_ *ecs.World, c PresenceChange) { why[uint32(c.ID)] = c.Why }
	f.feed(f.withWays(2, dots(500, 7), wire.Ways{Came: 2}))
	f.feed(f.deltaTo(2, dots(500, 7)))
	f.Place()
	if why[500] != CameIntoSight || why[501] != Spawned || why[502] != CameIntoSight {
		t.Errorf("came: %v", why)
	}
	left := dots(500, 1)
	left.Clear(1, false)
	left.Clear(2, false)
	f.feed(f.withWays(2, left, wire.Ways{Away: 4}))
	f.feed(f.deltaTo(2, left))
	f.Place()
	if why[501] != Despawned || f.Presence(501) != Destroyed {
		t.Errorf("one that is gone, and did not move, is %v, %v", why[501], f.Presence(501))
	}
	if p := f.Presence(502); why[502] != CameIntoSight || p != Stale {
		t.Errorf("one that may turn up elsewhere is %v, %v", why[502], p)
	}
	for range MoveSends {
		f.feed(f.deltaTo(2, left))
		f.Place()
	}
	if why[502] != WentOutOfSight || f.refused > 0 {
		t.Errorf("one that moved out of sight is %v; %d refused", why[502], f.refused)
	}
	for n := range MissSends + 20 { // what is told elsewhere changes, so that it is not remembered for being near
		f.feed(f.snapshot(1, toldAt(3, 700+64*uint32(n%2), 1)))
		f.Place()
	}
	if p := f.Presence(502); p != OutOfInterest {
		t.Errorf("long after, it is %v", p)
	}
	f.check()
}
