package systems

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"
)

func TestSnapshotHeaderRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for n := range 1000 {
		h := snapshotHeader{
			epoch: uint8(r.Uint32()), send: uint16(r.Uint32()), tick: r.Uint32(), input: uint16(r.Uint32()),
			depth: uint8(r.Uint32()), shift: int16(r.Uint32()), floor: uint8(r.Uint32()), own: r.IntN(600),
		}
		b := appendSnapshotHeader(nil, &h)
		if len(b) != snapshotHeaderSize {
			t.Fatalf("a header of %d bytes", len(b))
		}
		b = append(b, make([]byte, h.own)...)
		b = append(b, "body"...)
		got, own, body, err := readSnapshotHeader(b[1:])
		if err != nil || got != h || len(own) != h.own || string(body) != "body" {
			t.Fatalf("message %d: %+v with %d and %q: %v", n, got, len(own), body, err)
		}
		for cut := 1; cut < snapshotHeaderSize+h.own; cut++ {
			if _, _, _, err := readSnapshotHeader(b[1:cut]); !errors.Is(err, ErrMessage) {
				t.Fatalf("%d of %d bytes: %v", cut, len(b), err)
			}
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
