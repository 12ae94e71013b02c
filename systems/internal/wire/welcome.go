package wire

import (
	"fmt"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/policy"
)

// Welcome is what the server tells a client that joins.
type Welcome struct {
	Seed     uint64
	TickRate uint16
	SendRate uint16
	Tick     uint32
	Trained  uint64 // hash of what the server's coders learned, 0: nothing
	Input    uint32 // after which the client's inputs are counted; 0 but for players that come back, and stamped inputs
	Policies policy.Policies
}

// WelcomeSize is the length of a welcome in bytes.
const WelcomeSize = 28 + policy.Size

// Append writes it.
func (m Welcome) Append(b []byte) []byte {
	for i := range 8 {
		b = append(b, byte(m.Seed>>(8*i)))
	}
	b = append(b, byte(m.TickRate), byte(m.TickRate>>8), byte(m.SendRate), byte(m.SendRate>>8),
		byte(m.Tick), byte(m.Tick>>8), byte(m.Tick>>16), byte(m.Tick>>24))
	for i := range 8 {
		b = append(b, byte(m.Trained>>(8*i)))
	}
	b = append(b, byte(m.Input), byte(m.Input>>8), byte(m.Input>>16), byte(m.Input>>24))
	return m.Policies.Append(b)
}

// ReadWelcome parses it.
func ReadWelcome(b []byte) (m Welcome, err error) {
	if len(b) != WelcomeSize {
		return m, fmt.Errorf("%w: welcome of %d bytes", ErrMessage, len(b))
	}
	var r codec.ByteReader
	r.Reset(b)
	m.Seed = r.Uint64()
	m.TickRate, m.SendRate = r.Uint16(), r.Uint16()
	m.Tick, m.Trained, m.Input = r.Uint32(), r.Uint64(), r.Uint32()
	if m.Policies, err = policy.Parse(b[WelcomeSize-policy.Size:]); err != nil {
		return m, fmt.Errorf("%w: welcome: %w", ErrMessage, err)
	}
	switch {
	case m.TickRate == 0 || m.TickRate > 1000 || m.SendRate == 0 || m.TickRate%m.SendRate != 0:
		return m, fmt.Errorf("%w: welcome with %d ticks and %d sends a second", ErrMessage, m.TickRate, m.SendRate)
	case m.Tick > ecs.MaxTick:
		return m, fmt.Errorf("%w: welcome in tick %d, the last is %d", ErrMessage, m.Tick, uint32(ecs.MaxTick))
	}
	return m, nil
}
