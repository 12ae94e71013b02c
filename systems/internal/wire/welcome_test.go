package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/policy"
)

func TestWelcomeRoundTripAndRefusals(t *testing.T) {
	good := Welcome{
		Seed: 0x8123456789abcdef, TickRate: 1000, SendRate: 500, Tick: ecs.MaxTick, Trained: 0xfedcba9876543210, Input: 0x89abcdef,
		Model: policy.CorrectOnMismatch{},
	}
	b := good.Append(nil)
	if got, err := ReadWelcome(b); err != nil || got != good || len(b) != WelcomeSize {
		t.Errorf("%+v in %d bytes: %v", got, len(b), err)
	}
	for cut := range len(b) {
		if _, err := ReadWelcome(b[:cut]); !errors.Is(err, ErrMessage) {
			t.Errorf("%d bytes: %v", cut, err)
		}
	}
	if _, err := ReadWelcome(append(b, 0)); !errors.Is(err, ErrMessage) {
		t.Errorf("a byte too many: %v", err)
	}
	late := good
	late.Tick++
	if _, err := ReadWelcome(late.Append(nil)); !errors.Is(err, ErrMessage) {
		t.Errorf("a tick that no server reaches: %v", err)
	}
	for _, rates := range [][2]uint16{{0, 20}, {60, 0}, {1001, 1}, {60, 7}, {20, 60}, {65535, 65535}} {
		bad := append([]byte(nil), b...)
		binary.LittleEndian.PutUint16(bad[8:], rates[0])
		binary.LittleEndian.PutUint16(bad[10:], rates[1])
		if _, err := ReadWelcome(bad); !errors.Is(err, ErrMessage) {
			t.Errorf("%d ticks and %d sends a second: %v", rates[0], rates[1], err)
		}
	}
}

func FuzzWelcome(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ReadWelcome(b)
		if err != nil {
			if !errors.Is(err, ErrMessage) {
				t.Fatal(err)
			}
			return
		}
		if again := m.Append(nil); !bytes.Equal(again, b) {
			t.Fatalf("%x came back as %x", b, again)
		}
		c := ecs.Config{Seed: m.Seed, TickRate: int(m.TickRate), Client: true}
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
	})
}
