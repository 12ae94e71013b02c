package systems

import (
	"bytes"
	"errors"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Blocks that no honest server sends are refused whole, with an error that says what
// is wrong: counted, but for baselines, which the client asks to have anew.
func TestBlocksThatNoServerSends(t *testing.T) {
	f := newForger(t)
	block := func(h wire.BlockHead, body ...byte) []byte {
		b := wire.AppendSnapshotHeader(nil, &wire.SnapshotHeader{Send: uint16(f.c.mirror.Newest.Send) + 1, Input: uint16(f.c.mirror.Own.Newest.Input)})
		return append(h.Append(b, 0, len(body), true), body...)
	}
	world := f.c.World().Hash()
	malformed := uint64(0)
	for name, x := range map[string]struct {
		message []byte
		want    error
	}{
		"group out of range":       {block(wire.BlockHead{First: wire.MaxGroups, Count: 1, Slots: wire.AllSlots}), ErrMessage},
		"run out of range":         {block(wire.BlockHead{First: wire.MaxGroups - 1, Count: 2, Slots: wire.AllSlots}), ErrMessage},
		"count beyond 32 bits":     {block(wire.BlockHead{First: 1, Count: 1<<32 - 1, Slots: wire.AllSlots}), ErrMessage},
		"own group out of range":   {block(wire.BlockHead{Own: true, First: wire.MaxOwnGroups, Count: 1, Slots: wire.AllSlots}), ErrMessage},
		"zstd that is none":        {block(wire.BlockHead{Coder: delta.Zstd, Count: 1, Slots: wire.AllSlots}, 0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3), codec.ErrShort},
		"unknown coder":            {block(wire.BlockHead{Coder: 3, Count: 1, Slots: wire.AllSlots}, 1), ErrMessage},
		"body cut":                 {block(wire.BlockHead{Coder: delta.Raw, Count: 1, Slots: wire.AllSlots}), ErrMessage},
		"range coder, noise":       {block(wire.BlockHead{Coder: delta.Range, Count: 1, Slots: wire.AllSlots}, bytes.Repeat([]byte{0xa5}, 900)...), codec.ErrMalformed},
		"older than the session":   {block(wire.BlockHead{Count: 1, Slots: wire.AllSlots, Age: 1 << 20}, 1), ErrMessage},
		"join before the session":  {wire.AppendSnapshotHeader(nil, &wire.SnapshotHeader{Send: 1, Join: true, Back: 1 << 15, Groups: 1}), ErrMessage},
		"more groups than allowed": {wire.AppendSnapshotHeader(nil, &wire.SnapshotHeader{Send: 1, Join: true, Groups: wire.MaxGroups + 1}), ErrMessage},
	} {
		if _, err := f.c.mirror.Receive(x.message, 0); !errors.Is(err, x.want) || errors.Is(err, codec.ErrBaseline) {
			t.Errorf("%s: %v", name, err)
		}
		f.feed(x.message)
		malformed++
		if got := f.c.Stats().MalformedMessages; got != malformed {
			t.Errorf("%s: %d messages counted of %d", name, got, malformed)
		}
	}

	never := block(wire.BlockHead{First: 0, Count: 1, Slots: wire.AllSlots, Age: f.c.mirror.Newest.Send}, 1)
	before := f.c.Stats().Renewals
	if _, err := f.c.mirror.Receive(never, 0); !errors.Is(err, codec.ErrBaseline) {
		t.Errorf("a baseline that was never sent: %v", err)
	}
	if s := f.c.Stats(); s.Renewals != before+1 || s.MalformedMessages != malformed {
		t.Errorf("a baseline that was never sent: %d renewals, %d malformed", s.Renewals-before, s.MalformedMessages-malformed)
	}
	if f.c.Err() != nil || f.c.World().Hash() != world {
		t.Errorf("the session ended (%v), or the world changed", f.c.Err())
	}
	checkClient(t, f.c)
}
