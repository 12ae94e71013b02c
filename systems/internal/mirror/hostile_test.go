package mirror

import (
	"bytes"
	"errors"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// A server that keeps sending new entities, or never releases old states, reaches a limit.
func TestMirrorIsBounded(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	for k := range uint32(wire.MaxGroups) {
		f.feed(f.snapshot(int(1/(k+1)), told{state: dots(100+64*k, 64)}))
	}
	f.Place()
	if f.refused > 0 || len(f.Store.World.Groups) != wire.MaxGroups {
		t.Errorf("%d messages refused, %d groups", f.refused, len(f.Store.World.Groups))
	}
	f.feed(f.snapshot(1, told{state: dots(1, 1)}))
	for k := range uint32(wire.MaxOwnGroups + 1) {
		f.feed(f.snapshot(0, told{own: true, state: dots(100+64*k, 64)}))
	}
	if n := f.refused; n != 2 || f.Store.Memory.Used > MaxMemory {
		t.Errorf("%d messages refused, 2 name more than anybody can have; %d bytes", n, f.Store.Memory.Used)
	}
	f.check()
}

// A message with an entity without a number is refused as a whole, and the world does not change.
func TestEntitiesWithoutNumberAreRefused(t *testing.T) {
	f := newForger(t)
	before := f.world.Hash()
	f.feed(f.snapshot(1, told{state: dots(100, 1)}, told{state: dots(0, 1)}))
	if n := f.refused; n != 1 || f.world.Hash() != before {
		t.Errorf("%d messages refused, and the world is another: %v", n, f.world.Hash() != before)
	}
	f.check()
}

// A despawn that overtakes the spawn is not forgotten, and neither is a death once the entity is.
func TestDeathOvertakesBirth(t *testing.T) {
	f := newForger(t)
	born := f.snapshot(1, told{state: dots(507, 1)})
	died := f.snapshot(2, told{state: &delta.Group{}, gone: []wire.GoneEntity{{ID: 507}}})
	next := f.snapshot(3, told{state: dots(607, 1)})
	for _, b := range [][]byte{died, born, next, died, born} {
		f.feed(b)
		f.Place()
		if _, there := f.world.ByNetID(507); there {
			t.Error("a dead entity walks")
		}
	}
	if _, there := f.world.ByNetID(607); !there || f.Presence(607) != Present {
		t.Error("an entity is missing")
	}
	f.feed(f.snapshot(1, told{state: &delta.Group{}, gone: []wire.GoneEntity{{ID: 607}}}))
	for range 2 * recentIntervals {
		if f.Place(); f.Presence(607) != Destroyed {
			t.Errorf("what is gone is %v", f.Presence(607))
		}
		f.feed(f.snapshot(1, told{state: dots(700, 1)}))
	}
	if f.Entities.Of(607) != nil {
		t.Error("the dead is never forgotten")
	}
	f.check()
}

// Owner state in several packets of one tick is accepted completely. The same entity of the same tick is not accepted twice.
func TestOwnStateInParts(t *testing.T) {
	f := newForger(t)
	named := func() (ids []uint32) {
		f.Own.EachEntity(f.Own.Newest.Send, func(id uint32) { ids = append(ids, id) })
		return ids
	}
	first := f.snapshot(1, shotsOf(1000, 0))
	second := f.snapshot(1, shotsOf(1001, 1))
	old := f.snapshot(0, shotsOf(1002, 2))
	f.feed(first)
	f.feed(second)
	f.feed(old)
	f.feed(f.snapshot(0, shotsOf(1001, 3)))
	if got := named(); len(got) != 2 || got[0] != 1000 || got[1] != 1001 {
		t.Errorf("own state is of %v", got)
	}
	bad := shotsOf(1004, 3)
	bad.state.Masks[3] = 1 // Owner is nobody's to predict
	f.feed(f.snapshot(1, bad))
	nan := &delta.Group{}
	copy(nan.Put(4, 1005, placeBit, 2), []int32{0x7fc00000, 0})
	f.feed(f.snapshot(1, told{own: true, state: nan}))
	if n := f.refused; n != 3 || len(named()) != 2 {
		t.Errorf("%d messages refused, own state is of %v", n, named())
	}
	f.check()
}

// Invalid blocks are refused as a whole, with an error that says what is wrong. For missing baselines the client requests full
// states.
func TestBlocksThatNoServerSends(t *testing.T) {
	f := newForger(t)
	block := func(h wire.BlockHead, body ...byte) []byte {
		b := wire.AppendSnapshotHeader(nil, &wire.SnapshotHeader{Send: uint16(f.Newest.Send) + 1, Input: uint16(f.Own.Newest.Input)})
		return append(h.Append(b, 0, len(body), true), body...)
	}
	const setNews = 1
	world := f.world.Hash()
	for name, x := range map[string]struct {
		message []byte
		want    error
	}{
		"zstd that is none":        {block(wire.BlockHead{Own: true, Coder: delta.Zstd, Set: true}, setNews, 1, 0, 0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3), codec.ErrShort},
		"unknown coder":            {block(wire.BlockHead{Own: true, Coder: 3}, 1), wire.ErrMessage},
		"body cut":                 {block(wire.BlockHead{Own: true, Coder: delta.Raw, Set: true}, setNews, 1, 0), wire.ErrMessage},
		"range coder, noise":       {block(wire.BlockHead{Own: true, Coder: delta.Range, Set: true}, append([]byte{setNews, 1, 0}, bytes.Repeat([]byte{0xa5}, 900)...)...), codec.ErrMalformed},
		"older than the session":   {block(wire.BlockHead{Own: true, Age: 1 << 20}, 1), wire.ErrMessage},
		"join before the session":  {wire.AppendSnapshotHeader(nil, &wire.SnapshotHeader{Send: 1, Join: true, Back: 1 << 15, Pieces: 1}), wire.ErrMessage},
		"more pieces than allowed": {wire.AppendSnapshotHeader(nil, &wire.SnapshotHeader{Send: 1, Join: true, Pieces: wire.MaxPieces + 1}), wire.ErrMessage},
	} {
		if _, err := f.Receive(x.message, 0); !errors.Is(err, x.want) || errors.Is(err, codec.ErrBaseline) {
			t.Errorf("%s: %v", name, err)
		}
	}

	never := block(wire.BlockHead{Own: true, Age: f.Newest.Send}, 1)
	before := f.Counts.Renewals
	if _, err := f.Receive(never, 0); !errors.Is(err, codec.ErrBaseline) {
		t.Errorf("a baseline that was never sent: %v", err)
	}
	if n := f.Counts.Renewals; n != before+1 {
		t.Errorf("a baseline that was never sent: %d renewals", n-before)
	}
	if f.world.Hash() != world {
		t.Error("the world changed")
	}
	f.check()
}
