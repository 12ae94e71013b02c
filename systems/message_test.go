package systems

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/snapshot"
)

func TestSnapshotHeaderRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	var reader codec.ByteReader
	longest := 0
	for n := range 2000 {
		h := snapshotHeader{send: uint16(r.Uint32()), input: uint16(r.Uint32())}
		if r.IntN(2) == 0 {
			h.control, h.epoch, h.depth = true, uint8(r.Uint32()), uint8(r.Uint32())
			h.shift, h.floor = int16(r.Uint32()), uint8(r.Uint32())
		}
		if r.IntN(2) == 0 {
			h.join, h.groups = true, uint32(r.IntN(maxGroups+1))
			if r.IntN(2) == 0 {
				h.back, h.joined = uint32(1+r.IntN(1<<20)), uint8(r.IntN(5))
			}
		}
		if r.IntN(4) == 0 {
			h.late = uint8(1 + r.IntN(4))
		}
		b := appendSnapshotHeader(nil, &h)
		longest = max(longest, len(b))
		if !h.control && !h.join && h.late == 0 && len(b) != 5 {
			t.Fatalf("a short header of %d bytes", len(b))
		}
		reader.Reset(append(b, "body"...))
		if got, err := readSnapshotHeader(&reader); err != nil || got != h || reader.Len() != 4 {
			t.Fatalf("message %d: %+v, not %+v, %d bytes left: %v", n, got, h, reader.Len(), err)
		}
		for cut := range b {
			reader.Reset(b[:cut])
			if _, err := readSnapshotHeader(&reader); !errors.Is(err, ErrMessage) {
				t.Fatalf("%d of %d bytes: %v", cut, len(b), err)
			}
		}
	}
	if longest > maxSnapshotHeader {
		t.Errorf("a header of %d bytes", longest)
	}
}

func TestBlockHeadRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	var reader codec.ByteReader
	for n := range 5000 {
		h := blockHead{own: r.IntN(2) == 0, count: 1, slots: allSlots, coder: snapshot.Coder(r.IntN(3))}
		limit := maxGroups
		if h.own {
			limit = maxOwnGroups
		}
		if r.IntN(2) == 0 {
			h.first = uint32(r.IntN(limit))
			h.count = uint32(1 + r.IntN(limit-int(h.first)))
		}
		if r.IntN(2) == 0 {
			h.age = uint32(r.IntN(maxAge + 1))
			h.two = h.age > 0 && r.IntN(2) == 0
		}
		if r.IntN(3) == 0 {
			h.slots = r.Uint64()>>1 | 1
		}
		lastAge := uint32(r.IntN(3))
		body := make([]byte, r.IntN(300))
		last := r.IntN(2) == 0
		head := h.append(nil, lastAge, len(body), last)
		if len(head) > maxBlockHead {
			t.Fatalf("a head of %d bytes", len(head))
		}
		b := append(head, body...)
		if !last {
			b = append(b, "more"...)
		}
		reader.Reset(b)
		got, rest, err := readBlock(&reader, lastAge)
		if err != nil || got != h || len(rest) != len(body) {
			t.Fatalf("block %d: %+v, not %+v, with %d bytes: %v", n, got, h, len(rest), err)
		}
		for cut := range head {
			reader.Reset(b[:cut])
			if _, _, err := readBlock(&reader, lastAge); !errors.Is(err, ErrMessage) {
				t.Fatalf("%d of %d bytes: %v", cut, len(head), err)
			}
		}
	}
	// The usual whole world in one block.
	whole := blockHead{count: 17, slots: allSlots, age: 3, coder: snapshot.Range}
	if n := len(whole.append(nil, 0, 200, true)); n != 3 {
		t.Errorf("the head of a whole world takes %d bytes", n)
	}
	for _, bad := range []blockHead{
		{count: 0, slots: allSlots}, {first: maxGroups, count: 1, slots: allSlots}, {count: maxGroups + 1, slots: allSlots},
		{own: true, first: maxOwnGroups, count: 1, slots: allSlots}, {count: 1, slots: 0}, {count: 1, slots: allSlots, coder: 3},
		{count: 1, slots: allSlots, two: true}, {count: 1, slots: allSlots, age: 1 << 31},
	} {
		reader.Reset(bad.append(nil, 0, 0, true))
		if _, _, err := readBlock(&reader, 0); !errors.Is(err, ErrMessage) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestWelcomeRoundTripAndRefusals(t *testing.T) {
	good := welcome{seed: 1<<63 + 5, tickRate: 60, sendRate: 20, tick: 1<<32 - 1}
	b := good.append(nil)
	if got, err := readWelcome(b); err != nil || got != good || len(b) != welcomeSize {
		t.Errorf("%+v in %d bytes: %v", got, len(b), err)
	}
	for cut := range len(b) {
		if _, err := readWelcome(b[:cut]); !errors.Is(err, ErrMessage) {
			t.Errorf("%d bytes: %v", cut, err)
		}
	}
	if _, err := readWelcome(append(b, 0)); !errors.Is(err, ErrMessage) {
		t.Errorf("a byte too many: %v", err)
	}
	for _, rates := range [][2]uint16{{0, 20}, {60, 0}, {1001, 1}, {60, 7}, {20, 60}, {65535, 65535}} {
		bad := append([]byte(nil), b...)
		binary.LittleEndian.PutUint16(bad[8:], rates[0])
		binary.LittleEndian.PutUint16(bad[10:], rates[1])
		if _, err := readWelcome(bad); !errors.Is(err, ErrMessage) {
			t.Errorf("%d ticks and %d sends a second: %v", rates[0], rates[1], err)
		}
	}
}
