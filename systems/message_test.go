package systems

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

func TestSnapshotHeaderRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	var reader codec.ByteReader
	longest := 0
	for n := range 2000 {
		h := wire.SnapshotHeader{Send: uint16(r.Uint32()), Input: uint16(r.Uint32())}
		if r.IntN(2) == 0 {
			h.Control, h.Epoch, h.Depth = true, uint8(r.Uint32()), uint8(r.Uint32())
			h.Shift, h.Floor = int16(r.Uint32()), uint8(r.Uint32())
		}
		if r.IntN(2) == 0 {
			h.Join, h.Groups = true, uint32(r.IntN(wire.MaxGroups+1))
			if r.IntN(2) == 0 {
				h.Back, h.Joined = uint32(1+r.IntN(1<<20)), uint8(r.IntN(5))
			}
		}
		if r.IntN(4) == 0 {
			h.Late = uint8(1 + r.IntN(4))
		}
		b := wire.AppendSnapshotHeader(nil, &h)
		longest = max(longest, len(b))
		if !h.Control && !h.Join && h.Late == 0 && len(b) != 5 {
			t.Fatalf("a short header of %d bytes", len(b))
		}
		reader.Reset(append(b, "body"...))
		if got, err := wire.ReadSnapshotHeader(&reader); err != nil || got != h || reader.Len() != 4 {
			t.Fatalf("message %d: %+v, not %+v, %d bytes left: %v", n, got, h, reader.Len(), err)
		}
		for cut := range b {
			reader.Reset(b[:cut])
			if _, err := wire.ReadSnapshotHeader(&reader); !errors.Is(err, ErrMessage) {
				t.Fatalf("%d of %d bytes: %v", cut, len(b), err)
			}
		}
	}
	if longest > wire.MaxHeader {
		t.Errorf("a header of %d bytes", longest)
	}
}

func TestBlockHeadRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	var reader codec.ByteReader
	for n := range 5000 {
		h := wire.BlockHead{Own: r.IntN(2) == 0, Count: 1, Slots: wire.AllSlots, Coder: delta.Coder(r.IntN(3))}
		limit := wire.MaxGroups
		if h.Own {
			limit = wire.MaxOwnGroups
		}
		if r.IntN(2) == 0 {
			h.First = uint32(r.IntN(limit))
			h.Count = uint32(1 + r.IntN(limit-int(h.First)))
		}
		if r.IntN(2) == 0 {
			h.Age = uint32(r.IntN(baseline.MaxAge + 1))
			h.Two = h.Age > 0 && r.IntN(2) == 0
		}
		if r.IntN(3) == 0 {
			h.Slots = r.Uint64()>>1 | 1
		}
		lastAge := uint32(r.IntN(3))
		body := make([]byte, r.IntN(300))
		last := r.IntN(2) == 0
		head := h.Append(nil, lastAge, len(body), last)
		if len(head) > wire.MaxBlockHead {
			t.Fatalf("a head of %d bytes", len(head))
		}
		b := append(head, body...)
		if !last {
			b = append(b, "more"...)
		}
		reader.Reset(b)
		got, rest, err := wire.ReadBlock(&reader, lastAge)
		if err != nil || got != h || len(rest) != len(body) {
			t.Fatalf("block %d: %+v, not %+v, with %d bytes: %v", n, got, h, len(rest), err)
		}
		for cut := range head {
			reader.Reset(b[:cut])
			if _, _, err := wire.ReadBlock(&reader, lastAge); !errors.Is(err, ErrMessage) {
				t.Fatalf("%d of %d bytes: %v", cut, len(head), err)
			}
		}
	}
	// The usual whole world in one block.
	whole := wire.BlockHead{Count: 17, Slots: wire.AllSlots, Age: 3, Coder: delta.Range}
	if n := len(whole.Append(nil, 0, 200, true)); n != 3 {
		t.Errorf("the head of a whole world takes %d bytes", n)
	}
	for _, bad := range []wire.BlockHead{
		{Count: 0, Slots: wire.AllSlots}, {First: wire.MaxGroups, Count: 1, Slots: wire.AllSlots}, {Count: wire.MaxGroups + 1, Slots: wire.AllSlots},
		{Own: true, First: wire.MaxOwnGroups, Count: 1, Slots: wire.AllSlots}, {Count: 1, Slots: 0}, {Count: 1, Slots: wire.AllSlots, Coder: 3},
		{Count: 1, Slots: wire.AllSlots, Two: true}, {Count: 1, Slots: wire.AllSlots, Age: 1 << 31},
	} {
		reader.Reset(bad.Append(nil, 0, 0, true))
		if _, _, err := wire.ReadBlock(&reader, 0); !errors.Is(err, ErrMessage) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestWelcomeRoundTripAndRefusals(t *testing.T) {
	good := wire.Welcome{Seed: 1<<63 + 5, TickRate: 60, SendRate: 20, Tick: ecs.MaxTick}
	b := good.Append(nil)
	if got, err := wire.ReadWelcome(b); err != nil || got != good || len(b) != wire.WelcomeSize {
		t.Errorf("%+v in %d bytes: %v", got, len(b), err)
	}
	for cut := range len(b) {
		if _, err := wire.ReadWelcome(b[:cut]); !errors.Is(err, ErrMessage) {
			t.Errorf("%d bytes: %v", cut, err)
		}
	}
	if _, err := wire.ReadWelcome(append(b, 0)); !errors.Is(err, ErrMessage) {
		t.Errorf("a byte too many: %v", err)
	}
	late := good
	late.Tick++
	if _, err := wire.ReadWelcome(late.Append(nil)); !errors.Is(err, ErrMessage) {
		t.Errorf("a tick that no server reaches: %v", err)
	}
	for _, rates := range [][2]uint16{{0, 20}, {60, 0}, {1001, 1}, {60, 7}, {20, 60}, {65535, 65535}} {
		bad := append([]byte(nil), b...)
		binary.LittleEndian.PutUint16(bad[8:], rates[0])
		binary.LittleEndian.PutUint16(bad[10:], rates[1])
		if _, err := wire.ReadWelcome(bad); !errors.Is(err, ErrMessage) {
			t.Errorf("%d ticks and %d sends a second: %v", rates[0], rates[1], err)
		}
	}
}
