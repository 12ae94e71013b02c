package mirror

import (
	"encoding/binary"
	"errors"
	"maps"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// setOfSend returns a datagram with one block: the entities in the slots of cur, encoded against those of base, which may be nil.
func (f *forger) setOfSend(send, age uint32, s wire.Set, cur, base *delta.Group) []byte {
	return f.partOfSend(send, wire.BlockHead{Age: age}, s, cur, base)
}

// partOfSend is setOfSend with another head.
func (f *forger) partOfSend(send uint32, h wire.BlockHead, s wire.Set, cur, base *delta.Group) []byte {
	b := wire.AppendSnapshotHeader(nil, &wire.SnapshotHeader{Send: uint16(send)})
	return append(b, f.setBlock(h, s, cur, base, true)...)
}

// pieceOf returns a datagram of a send with a piece of the state of another: new entities.
func (f *forger) pieceOf(send, of, piece, pieces uint32, ids ...uint32) []byte {
	h := wire.SnapshotHeader{Send: uint16(send), Join: true, Back: send - of, Pieces: pieces, Hides: true}
	return f.datagram(h, told{piece: piece, state: line(ids...)})
}

// line returns a group with entities in its first slots. Id 0 means an empty slot.
func line(ids ...uint32) *delta.Group {
	g := &delta.Group{}
	for k, id := range ids {
		if id == 0 {
			g.Clear(k, false)
			continue
		}
		copy(g.Put(k, id, placeBit, 2), []int32{1, 2})
	}
	return g
}

// hiding returns a group whose slot is hidden.
func hiding(g *delta.Group, slot int) *delta.Group {
	g.Clear(slot, true)
	return g
}

// why collects the reasons of OnPresence.
func (f *forger) why() map[uint32]Reason {
	all := map[uint32]Reason{}
	f.config.Presence = func(_ *ecs.World, c PresenceChange) { all[uint32(c.ID)] = c.Why }
	return all
}

// Entities of sets enter and leave the client's world for the reasons that the server has.
func TestSetsComeAndGo(t *testing.T) {
	f := openForger(t)
	why := f.why()
	want := func(when string, reasons map[uint32]Reason) {
		t.Helper()
		f.Place()
		if !maps.Equal(why, reasons) || f.refused > 0 {
			t.Errorf("%s: %v, not %v; %d datagrams are refused", when, why, reasons, f.refused)
		}
		clear(why)
		f.check()
	}
	f.feed(f.pieceOf(7, 6, 1, 2, 15, 20))
	want("one piece of two has arrived", map[uint32]Reason{})
	f.feed(f.pieceOf(8, 6, 1, 2, 15, 20))
	want("it arrives again", map[uint32]Reason{})
	f.feed(f.pieceOf(6, 6, 0, 2, 10))
	want("both have arrived", map[uint32]Reason{10: Joined, 15: Joined, 20: Joined})
	f.feed(f.setOfSend(9, 3, wire.Set{News: []wire.NewEntity{{After: 3, Spawned: true}, {}}}, hiding(line(10, 0, 20, 30, 40), 1), line(10, 15, 20, 0)))
	want("one goes out of sight, two come", map[uint32]Reason{15: WentOutOfSight, 30: Spawned, 40: CameIntoSight})
	f.feed(f.setOfSend(10, 1, wire.Set{}, line(10, 0, 30, 40), line(10, 20, 30, 40)))
	want("one is gone", map[uint32]Reason{20: Despawned})
	f.feed(f.setOfSend(11, 0, wire.Set{News: []wire.NewEntity{{}}, Gone: []wire.GoneEntity{{ID: 10, Hidden: true}, {ID: 40}}}, line(50), nil))
	want("without a baseline", map[uint32]Reason{10: WentOutOfSight, 40: Despawned, 50: CameIntoSight})
	f.feed(f.setOfSend(12, 2, wire.Set{Runs: []uint32{0, 1}, News: []wire.NewEntity{{}}}, line(10, 30, 40), line(0, 30, 40)))
	want("two are back, against an older set of which one is left out", map[uint32]Reason{10: CameIntoSight, 40: CameIntoSight})
	f.feed(f.setOfSend(13, 2, wire.Set{Less: []uint32{50}, News: []wire.NewEntity{{}}}, line(50), line(0)))
	want("the server does not count on an entity of the baseline", map[uint32]Reason{})
	f.feed(f.pieceOf(15, 14, 0, 2, 30))
	f.feed(f.pieceOf(16, 14, 1, 2, 50, 60))
	want("it joins again", map[uint32]Reason{10: WentOutOfSight, 40: WentOutOfSight, 60: CameIntoSight})
}

// A late datagram does not bring an entity back that a newer one removed. It is a baseline nevertheless.
func TestLateSetsAreBaselines(t *testing.T) {
	f := openForger(t)
	why := f.why()
	f.feed(f.pieceOf(5, 5, 0, 1, 10))
	f.feed(f.setOfSend(7, 2, wire.Set{Gone: []wire.GoneEntity{{ID: 20}}}, line(10), line(10)))
	f.feed(f.setOfSend(6, 1, wire.Set{News: []wire.NewEntity{{After: 1}}}, line(10, 20), line(10)))
	if f.Place(); len(why) != 1 {
		t.Errorf("there came %v", why)
	}
	f.feed(f.setOfSend(8, 2, wire.Set{}, line(10, 20), line(10, 20)))
	if f.Place(); why[20] != CameIntoSight || f.refused > 0 {
		t.Errorf("there came %v; %d datagrams are refused", why, f.refused)
	}
	f.check()
}

// When an entity goes out of sight it leaves the world, although datagrams overtake each other and refer to older sets.
func TestLateSetsOfOneEntity(t *testing.T) {
	f := openForger(t)
	why := f.why()
	again := wire.Set{Runs: []uint32{1, 1}, News: []wire.NewEntity{{After: 1}}}
	f.feed(f.pieceOf(5, 5, 0, 1, 10, 20))
	f.feed(f.setOfSend(8, 3, wire.Set{Runs: []uint32{1, 1}}, line(10), line(10)))                      // 20 is left out
	f.feed(f.setOfSend(7, 2, again, line(10, 20), line(10, 0)))                                        // late: 20 is back in sight
	f.feed(f.setOfSend(6, 1, wire.Set{}, hiding(line(10, 0), 1), line(10, 20)))                        // later: it had gone out of sight
	f.feed(f.setOfSend(9, 1, wire.Set{News: []wire.NewEntity{{After: 1}}}, line(10, 20), line(10, 0))) // it is new again
	f.feed(f.setOfSend(10, 3, wire.Set{}, line(10, 20), line(10, 20)))                                 // against the set of send 7
	if f.Place(); len(why) != 2 {
		t.Errorf("there came %v", why)
	}
	f.feed(f.setOfSend(11, 1, wire.Set{}, hiding(line(10, 0), 1), line(10, 20)))
	f.feed(f.setOfSend(12, 3, wire.Set{}, hiding(line(10, 0), 1), line(10, 20))) // the same against an older set
	if f.Place(); why[20] != WentOutOfSight || f.refused > 0 {
		t.Errorf("then %v; %d datagrams are refused", why, f.refused)
	}
	if _, there := f.config.World.ByNetID(20); there {
		t.Error("an entity out of sight is in the world")
	}
	f.check()
}

// A late state against a set from before the entity went out of sight and came back does not bring the entity back again.
func TestLateStateOfALeftEntity(t *testing.T) {
	f := openForger(t)
	why := f.why()
	f.feed(f.pieceOf(5, 5, 0, 1, 10, 20))
	f.feed(f.setOfSend(6, 1, wire.Set{}, hiding(line(10, 0), 1), line(10, 20)))
	f.feed(f.setOfSend(7, 1, wire.Set{News: []wire.NewEntity{{After: 1}}}, line(10, 20), line(10)))
	f.feed(f.setOfSend(9, 2, wire.Set{}, hiding(line(10, 0), 1), line(10, 20)))
	f.feed(f.setOfSend(8, 3, wire.Set{}, line(10, 20), line(10, 20))) // late, against the set of send 5
	if f.Place(); why[20] != WentOutOfSight || f.refused > 0 {
		t.Errorf("there came %v; %d datagrams are refused", why, f.refused)
	}
	f.feed(f.setOfSend(10, 2, wire.Set{}, line(10, 20), line(10, 20))) // against the late set
	if f.Place(); why[20] != CameIntoSight || f.refused > 0 {
		t.Errorf("then %v; %d datagrams are refused", why, f.refused)
	}
	f.check()
}

// The client does not count an entity as placed that came in a late datagram, whether it knows of others or not: events about the entity
// wait for the next datagram with it.
func TestLateEntitiesAreMissing(t *testing.T) {
	f := openForger(t)
	const tick = 6*every - 1
	has := func(when string, want bool) {
		t.Helper()
		if f.Place(); f.Has(20, tick) != want || f.refused > 0 {
			t.Errorf("%s: %v; %d datagrams are refused", when, !want, f.refused)
		}
	}
	f.feed(f.pieceOf(5, 5, 0, 1, 10))
	has("before its send", false)
	f.feed(f.setOfSend(7, 2, wire.Set{}, line(10), line(10)))
	f.feed(f.setOfSend(6, 1, wire.Set{News: []wire.NewEntity{{After: 1}}}, line(10, 20), line(10)))
	has("it came late", false)
	f.feed(f.setOfSend(8, 2, wire.Set{}, line(10, 20), line(10, 20)))
	has("it came again", true)
	f.check()
}

// Over the budget, an entity that comes in a late datagram is placed, unless a datagram of a later send has said that it is gone. Otherwise
// an entity would wait for many turns on a link on which datagrams overtake each other.
func TestLateEntitiesOverBudget(t *testing.T) {
	lacking := wire.BlockHead{Age: 2, Missing: 4} // the client may lack entities that came into sight three sends ago
	for _, c := range []struct {
		name string
		gone []wire.GoneEntity
		want bool
	}{{"nothing is known of it", nil, true}, {"a later send said that it is gone", []wire.GoneEntity{{ID: 20}}, false}} {
		f := openForger(t)
		f.feed(f.pieceOf(5, 5, 0, 1, 10, 15))
		f.feed(f.partOfSend(7, lacking, wire.Set{Runs: []uint32{1, 1}, Gone: c.gone}, line(10), line(10)))
		f.feed(f.partOfSend(6, wire.BlockHead{Age: 1, Missing: 3}, wire.Set{Runs: []uint32{0, 1}, News: []wire.NewEntity{{After: 1}}}, line(15, 20), line(15)))
		f.Place()
		if _, there := f.config.World.ByNetID(20); there != c.want || f.refused > 0 {
			t.Errorf("%s: it is there: %v; %d datagrams are refused", c.name, there, f.refused)
		}
		// A new state of an entity that is in sight is placed, however it was sent.
		f.feed(f.partOfSend(9, wire.BlockHead{Age: 2, Missing: 6}, wire.Set{}, line(10), line(10)))
		f.feed(f.partOfSend(8, wire.BlockHead{Missing: 5}, wire.Set{News: []wire.NewEntity{{}}}, line(15), nil))
		f.Place()
		if tick, ok := f.StateTick(15); !ok || tick != 8*every || f.refused > 0 {
			t.Errorf("%s: the newest state is of tick %d; %d datagrams are refused", c.name, tick, f.refused)
		}
		f.check()
	}
}

// The slots of entities that are gone are used again, once no baseline needs their states. An entity that comes back soon has its slot.
func TestSlotsAreUsedAgain(t *testing.T) {
	f := openForger(t)
	f.feed(f.pieceOf(5, 5, 0, 1, 10))
	for send := uint32(6); send < 2000; send++ {
		h := wire.SnapshotHeader{Send: uint16(send), Control: true, Floor: 10}
		gone := []wire.GoneEntity{{ID: 999 + send}}
		f.feed(f.datagram(h, told{state: dots(1000+send, 1), gone: gone}, told{own: true, state: dots(1000+send, 1)}))
		f.Place()
	}
	if w, o := len(f.Store.World.Groups), len(f.Store.Own.Groups); f.refused > 0 || w > 4 || o > 2 {
		t.Errorf("%d groups, %d of own entities; %d datagrams are refused", w, o, f.refused)
	}
	before := f.Entities.Of(2998).At
	f.feed(f.datagram(wire.SnapshotHeader{Send: 2000}, told{state: dots(2998, 1)}))
	if f.Place(); f.Entities.Of(2998).At != before {
		t.Error("an entity that came back has another slot")
	}
	f.check()
}

// Invalid sets are refused and change nothing.
func TestSetsThatNoServerSends(t *testing.T) {
	f := openForger(t)
	f.feed(f.pieceOf(5, 5, 0, 1, 10, 20))
	f.Place()
	one := []wire.NewEntity{{}}
	twice := append(wire.AppendSnapshotHeader(nil, &wire.SnapshotHeader{Send: 6}), f.setBlock(wire.BlockHead{}, wire.Set{News: one}, line(10), nil, false)...)
	for name, x := range map[string]struct {
		message []byte
		want    error
	}{
		"a set that was never sent":    {f.setOfSend(6, 2, wire.Set{}, line(10, 20), line(10, 20)), codec.ErrBaseline},
		"older than the session":       {f.setOfSend(6, 9, wire.Set{}, line(10, 20), line(10, 20)), wire.ErrMessage},
		"a new entity that is missing": {f.setOfSend(6, 1, wire.Set{News: one}, line(0, 10, 20), line(0, 10, 20)), wire.ErrMessage},
		"a new entity behind all":      {f.setOfSend(6, 1, wire.Set{News: []wire.NewEntity{{After: 3}}}, line(10, 20, 30), line(10, 20)), wire.ErrMessage},
		"another entity in the place":  {f.setOfSend(6, 1, wire.Set{}, line(10, 21), line(10, 20)), wire.ErrMessage},
		"an entity in two blocks":      {append(twice, f.setBlock(wire.BlockHead{Age: 1}, wire.Set{}, line(10, 20), line(10, 20), true)...), wire.ErrMessage},
		"an entity without a number":   {f.setOfSend(6, 1, wire.Set{News: one}, line(0, 10, 20), line(0, 10, 20)), wire.ErrMessage},
		"runs beyond the baseline":     {f.setOfSend(6, 1, wire.Set{Runs: []uint32{3}}, line(10, 20), line(10, 20)), wire.ErrMessage},
		"a piece that is no join's":    {append(wire.AppendSnapshotHeader(nil, &wire.SnapshotHeader{Send: 6}), f.setBlock(wire.BlockHead{Piece: true}, wire.Set{News: one}, line(30), nil, true)...), wire.ErrMessage},
		"a piece beyond the last":      {f.pieceOf(6, 6, 2, 2, 30), wire.ErrMessage},
		"a body without entities":      {f.setOfSend(6, 1, wire.Set{Runs: []uint32{0, 2}}, line(10), line(10)), wire.ErrMessage},
	} {
		_, err := f.Receive(x.message, 0)
		if !errors.Is(err, x.want) {
			t.Errorf("%s: %v", name, err)
		}
		f.check()
	}
}

// scriptOfSets returns the datagrams of a correct server that hides parts of the world.
func scriptOfSets(f *testing.F) (script []byte) {
	m := openForger(f)
	for _, b := range [][]byte{
		m.pieceOf(6, 5, 1, 2, 20),
		m.pieceOf(7, 5, 0, 2, 10),
		m.setOfSend(8, 3, wire.Set{News: []wire.NewEntity{{After: 1, Spawned: true}}}, line(10, 15, 20), line(10, 0, 20)),
		m.setOfSend(9, 1, wire.Set{Runs: []uint32{1, 1}}, hiding(line(10, 0), 1), line(10, 20)),
		m.setOfSend(10, 0, wire.Set{News: []wire.NewEntity{{}}, Gone: []wire.GoneEntity{{ID: 10}}}, line(30), nil),
	} {
		m.feed(b)
		script = binary.LittleEndian.AppendUint16(append(script, 0), uint16(len(b)))
		script = append(append(script, b...), places)
		m.Place()
	}
	if m.refused > 0 {
		f.Fatalf("%d of an honest server's datagrams are refused", m.refused)
	}
	return script
}
