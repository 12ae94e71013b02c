package systems

import (
	"fmt"

	"github.com/tactusgo/tactus/codec"
)

// welcome is what the server tells a client that joins.
type welcome struct {
	seed     uint64
	tickRate uint16
	sendRate uint16
	tick     uint32
	trained  uint64 // hash of what the server's coders learned, 0: nothing
	input    uint32 // after which the client's inputs are counted; 0 but for players that come back
}

const welcomeSize = 28

func (m welcome) append(b []byte) []byte {
	for i := range 8 {
		b = append(b, byte(m.seed>>(8*i)))
	}
	b = append(b, byte(m.tickRate), byte(m.tickRate>>8), byte(m.sendRate), byte(m.sendRate>>8),
		byte(m.tick), byte(m.tick>>8), byte(m.tick>>16), byte(m.tick>>24))
	for i := range 8 {
		b = append(b, byte(m.trained>>(8*i)))
	}
	return append(b, byte(m.input), byte(m.input>>8), byte(m.input>>16), byte(m.input>>24))
}

func readWelcome(b []byte) (m welcome, err error) {
	var r codec.ByteReader
	r.Reset(b)
	m.seed = r.Uint64()
	m.tickRate, m.sendRate = r.Uint16(), r.Uint16()
	m.tick, m.trained, m.input = r.Uint32(), r.Uint64(), r.Uint32()
	switch {
	case r.Err() != nil || r.Len() != 0:
		return m, fmt.Errorf("%w: welcome of %d bytes", ErrMessage, len(b))
	case m.tickRate == 0 || m.tickRate > 1000 || m.sendRate == 0 || m.tickRate%m.sendRate != 0:
		return m, fmt.Errorf("%w: welcome with %d ticks and %d sends a second", ErrMessage, m.tickRate, m.sendRate)
	}
	return m, nil
}
