package systems

import (
	"bytes"
	"errors"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/snapshot"
)

// Blocks that no honest server sends are refused whole, with an error that says what
// is wrong: counted, but for baselines, which the client asks to have anew.
func TestBlocksThatNoServerSends(t *testing.T) {
	f := newForger(t)
	block := func(h blockHead, body ...byte) []byte {
		b := appendSnapshotHeader(nil, &snapshotHeader{send: uint16(f.c.newestSend) + 1, input: uint16(f.c.own.input)})
		return append(h.append(b, 0, len(body), true), body...)
	}
	world := f.c.World().Hash()
	malformed := uint64(0)
	for name, x := range map[string]struct {
		message []byte
		want    error
	}{
		"group out of range":       {block(blockHead{first: maxGroups, count: 1, slots: allSlots}), ErrMessage},
		"run out of range":         {block(blockHead{first: maxGroups - 1, count: 2, slots: allSlots}), ErrMessage},
		"count beyond 32 bits":     {block(blockHead{first: 1, count: 1<<32 - 1, slots: allSlots}), ErrMessage},
		"own group out of range":   {block(blockHead{own: true, first: maxOwnGroups, count: 1, slots: allSlots}), ErrMessage},
		"zstd that is none":        {block(blockHead{coder: snapshot.Zstd, count: 1, slots: allSlots}, 0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3), codec.ErrShort},
		"unknown coder":            {block(blockHead{coder: 3, count: 1, slots: allSlots}, 1), ErrMessage},
		"body cut":                 {block(blockHead{coder: snapshot.Raw, count: 1, slots: allSlots}), ErrMessage},
		"range coder, noise":       {block(blockHead{coder: snapshot.Range, count: 1, slots: allSlots}, bytes.Repeat([]byte{0xa5}, 900)...), codec.ErrMalformed},
		"older than the session":   {block(blockHead{count: 1, slots: allSlots, age: 1 << 20}, 1), ErrMessage},
		"join before the session":  {appendSnapshotHeader(nil, &snapshotHeader{send: 1, join: true, back: 1 << 15, groups: 1}), ErrMessage},
		"more groups than allowed": {appendSnapshotHeader(nil, &snapshotHeader{send: 1, join: true, groups: maxGroups + 1}), ErrMessage},
	} {
		if err := f.c.readSnapshot(f.now, x.message); !errors.Is(err, x.want) || errors.Is(err, codec.ErrBaseline) {
			t.Errorf("%s: %v", name, err)
		}
		f.feed(x.message)
		malformed++
		if got := f.c.Stats().MalformedMessages; got != malformed {
			t.Errorf("%s: %d messages counted of %d", name, got, malformed)
		}
	}

	never := block(blockHead{first: 0, count: 1, slots: allSlots, age: f.c.newestSend}, 1)
	before := f.c.Stats().Renewals
	if err := f.c.readSnapshot(f.now, never); !errors.Is(err, codec.ErrBaseline) {
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
