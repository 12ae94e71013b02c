package relay

import "fmt"

// up is the message that a client sends each tick, from the lowest bit up:
//
//	state 8   number of the state of the world that the client uses; 0: it has none
//	1 bit     1 and ack 16: session number of the newest accepted message
//	1 bit     1: ready to play
//	1 bit     1 and need 8: lockstep, the input delay that the client needs, in ticks
//	1 bit     1 and tick 32, sum 32: low half of the hash of the world after a final tick
//	1 bit     1 and inputs: first tick 16, count less 1 (number), ticks back (number), inputs;
//	          see wire.InputWords
//
// Messages repeat inputs that may have been lost; see laneSender. The first input is encoded as a difference to the
// acknowledged input "ticks back" ticks before it, or to the neutral input if "ticks back" is 0. Zero bits pad the
// message to a whole byte.
type up struct {
	state     uint8
	heard     bool
	ack       uint16
	ready     bool
	needs     bool
	need      uint8
	check     bool
	checkTick uint32
	checkSum  uint32
	count     int // 0: no inputs
	first     uint16
	back      uint32
}

func (c *coder) writeUp(m *up) {
	c.W.Bits(uint64(m.state), 8)
	c.W.Bool(m.heard)
	if m.heard {
		c.W.Bits(uint64(m.ack), 16)
	}
	c.W.Bool(m.ready)
	c.W.Bool(m.needs)
	if m.needs {
		c.W.Bits(uint64(m.need), 8)
	}
	c.W.Bool(m.check)
	if m.check {
		c.W.Bits(uint64(m.checkTick), 32)
		c.W.Bits(uint64(m.checkSum), 32)
	}
	c.W.Bool(m.count > 0)
	if m.count > 0 {
		c.W.Bits(uint64(m.first), 16)
		c.writeNumber(uint32(m.count - 1))
		c.writeNumber(m.back)
	}
}

// upBits is the maximum size of a message before its inputs, in bits.
const upBits = 8 + 17 + 1 + 9 + 65 + 1 + 16 + 10 + 40

// maxCount is the maximum number of inputs in a message.
const maxCount = 255

// readUp reads a message up to its inputs; [coder.readInputs] reads those.
func (c *coder) readUp(msg []byte) (m up, err error) {
	c.R.Reset(msg)
	c.Bad = false
	m.state = uint8(c.R.Bits(8))
	if m.heard = c.R.Bool(); m.heard {
		m.ack = uint16(c.R.Bits(16))
	}
	m.ready = c.R.Bool()
	if m.needs = c.R.Bool(); m.needs {
		m.need = uint8(c.R.Bits(8))
	}
	if m.check = c.R.Bool(); m.check {
		m.checkTick, m.checkSum = uint32(c.R.Bits(32)), uint32(c.R.Bits(32))
	}
	if c.R.Bool() {
		m.first = uint16(c.R.Bits(16))
		m.count = int(c.readNumber(maxCount-1)) + 1
		m.back = c.readNumber(maxStored)
	}
	if c.Failed() {
		return up{}, fmt.Errorf("%w: %d bytes of inputs", ErrMessage, len(msg))
	}
	return m, nil
}
