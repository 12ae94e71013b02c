package systems

import (
	"fmt"

	"github.com/tactusgo/tactus/codec"
)

// An input message is what a client sends every tick: its newest inputs, as many
// as may not have arrived (rule C2), so that the one that gets through brings
// what was lost with those before it. Most of that is known to the server, or
// can be guessed by it: both ends keep what each message ended with, its base,
// and a message continues from the newest that the session acknowledged. The
// three low bits of the first byte say that it is one, the five high bits f how
// it is written; bits are read from the lowest up, numbers are little-endian.
//
//	f = 0, whole        f << 3 | 1 | epoch u8 | shift i16 | newest u16 | count u8 |
//	                    bits: the first input, each word at its full width, then
//	                    1 bit and, where it is 1, changes
//	f = 1..30, usual    f << 3 | 1, and behind it nothing, or changes: the base
//	                    is what the packet f before this one ended with, and
//	                    exactly f inputs follow on it; epoch and shift as there
//	f = 31, relative    f << 3 | 1 | bits: packets back to the base less 1, 6 bits |
//	                    1, or 0 and inputs since the base less 1, 6 bits: not as
//	                    many as packets | 1, or 0 and count less 1, 5 bits: the
//	                    newest of these only | 0, or 1 and control | 1 bit and,
//	                    where it is 1, changes
//	control             0, or 1 and epoch, 8 bits | length of the shift's
//	                    difference, 5 bits | difference; see below
//	changes             see inputCoder
//
// newest is the sequence of the last input as its low 16 bits, lifted to the
// nearest of what the server last received: right while that is less than 32,768
// inputs ago, nine minutes at 60 a second. A base brings its sequence along, so
// that a message that has one needs none: however long the silence before it, and
// however late it comes, it means the inputs that it was written for. Packets are
// counted by the session, whose numbers both ends know. When nothing of the last
// maxBack packets is acknowledged the message is whole.
//
// Servers acknowledge what they do not read any further (see [MaxMessages]), and
// what continues from that cannot be read. Then the server says so in place of
// the depth of its buffer (see unreadDepth), and the client writes whole messages
// until one of them is acknowledged.
//
// epoch and shift are the state of the client's baselines and of its clock (see
// the snapshot message). The message ends with zero bits up to the next byte.
//
// Where corrections are made on mismatch, advice stands before these zero bits, and
// in a usual message what says whether there are changes is 1 bit, as in the others.
type inputMessage struct {
	epoch  uint8
	shift  int16  // clock shift carried out so far, in 1/shiftUnit ticks
	newest uint16 // sequence of the last input in words
	count  int    // inputs in words, oldest first, table.Words each
	words  []int32
	advice advice // where corrections are made on mismatch
}

const (
	// kindBits of the first byte tell the kind of a message, the rest is its own.
	kindBits = 3
	kindMask = 1<<kindBits - 1

	// maxRedundancy bounds the inputs in one packet (rule C2).
	maxRedundancy = 32

	// shiftUnit is the resolution of clock shifts on the wire, in parts of a tick.
	shiftUnit = 16

	inputRelative = 31 // f of a relative message
	maxBack       = 64 // packets back to a base, and inputs since it
	inputHeader   = 7  // bytes of a whole message before its bits
)

// errUnread is about a message that continues from one that was not read. It is
// nobody's fault.
var errUnread = fmt.Errorf("%w: input: %w", ErrMessage, codec.ErrBaseline)

// append writes m as the packet seq. Where b is not nil it may continue from one
// of these bases.
func (c *inputCoder) append(dst []byte, m *inputMessage, seq uint16, b *inputBases) []byte {
	if b != nil {
		if base, back := b.acknowledged(seq); base != nil {
			if since := int(m.newest - base.newest); since >= m.count && since <= maxBack {
				return c.appendRelative(dst, m, base, back, since)
			}
		}
	}
	c.w.Reset(append(dst, kindInput, m.epoch, byte(m.shift), byte(m.shift>>8), byte(m.newest), byte(m.newest>>8), byte(m.count)))
	c.start(m.words)
	for k := range c.words {
		c.w.Bits(uint64(c.state[k]), c.words[k].bits)
	}
	n := c.skip(m, 1, 1)
	c.w.Bool(n < m.count)
	c.writeChanges(m, n, 1, 1)
	return c.finish(m)
}

// finish ends a message.
func (c *inputCoder) finish(m *inputMessage) []byte {
	if c.advised {
		c.writeAdvice(&m.advice)
	}
	return c.w.Bytes()
}

// appendRelative writes m as so many packets and inputs behind a base.
func (c *inputCoder) appendRelative(dst []byte, m *inputMessage, base *inputBase, back, since int) []byte {
	copy(c.state, base.state)
	gap := since - m.count
	control := m.epoch != base.epoch || m.shift != base.shift
	n := c.skip(m, 0, gap+1)
	if back == since && gap == 0 && !control && back < inputRelative {
		c.w.Reset(append(dst, byte(back)<<kindBits|kindInput))
		if c.advised {
			c.w.Bool(n < m.count)
		}
		c.writeChanges(m, n, 0, 1)
		return c.finish(m)
	}
	c.w.Reset(append(dst, inputRelative<<kindBits|kindInput))
	c.w.Bits(uint64(back-1), 6)
	c.w.Bool(back == since)
	if back != since {
		c.w.Bits(uint64(since-1), 6)
	}
	c.w.Bool(gap == 0)
	if gap != 0 {
		c.w.Bits(uint64(m.count-1), 5)
	}
	c.w.Bool(control)
	if control {
		c.w.Bool(m.epoch != base.epoch)
		if m.epoch != base.epoch {
			c.w.Bits(uint64(m.epoch), 8)
		}
		c.writeDifference(uint32(m.shift-base.shift), 16)
	}
	c.w.Bool(n < m.count)
	c.writeChanges(m, n, 0, gap+1)
	return c.finish(m)
}

// read parses a message that came as the packet seq into m, whose words are
// reused; b has the bases. Words may lie outside their fields' ranges;
// Table.Dequantize, through which all of them pass on their way into the world,
// clamps those. The error is errUnread where the base is not there.
func (c *inputCoder) read(msg []byte, m *inputMessage, seq uint16, b *inputBases) error {
	if len(msg) == 0 || msg[0]&kindMask != kindInput {
		return fmt.Errorf("%w: %d bytes that are not inputs", ErrMessage, len(msg))
	}
	c.bad = false
	var err error
	switch f := int(msg[0] >> kindBits); f {
	case 0:
		err = c.readWhole(msg, m)
	case inputRelative:
		err = c.readRelative(msg, m, seq, b)
	default:
		base := b.at(seq - uint16(f))
		if base == nil {
			return errUnread
		}
		c.r.Reset(msg[1:])
		c.follow(m, base, f, f)
		changes := len(msg) > 1
		if c.advised {
			changes = c.r.Bool()
		}
		c.readChanges(m, 0, 1, changes)
	}
	if err == nil && c.advised {
		err = c.readAdvice(&m.advice)
	}
	if err != nil {
		return err
	}
	c.r.Align() // what is left of the last byte must be zero
	if err := c.r.Err(); err != nil {
		return fmt.Errorf("%w: input: %w", ErrMessage, err)
	}
	if c.bad {
		return fmt.Errorf("%w: input: %w", ErrMessage, codec.ErrMalformed)
	}
	if c.r.Remaining() > 0 {
		return fmt.Errorf("%w: input with %d bytes behind its end", ErrMessage, c.r.Remaining()/8)
	}
	return nil
}

func (c *inputCoder) readWhole(msg []byte, m *inputMessage) error {
	if len(msg) < inputHeader {
		return fmt.Errorf("%w: input of %d bytes", ErrMessage, len(msg))
	}
	m.epoch = msg[1]
	m.shift = int16(uint16(msg[2]) | uint16(msg[3])<<8)
	m.newest = uint16(msg[4]) | uint16(msg[5])<<8
	m.count = int(msg[6])
	if m.count < 1 || m.count > maxRedundancy {
		return fmt.Errorf("%w: %d inputs in a packet, 1 to %d are allowed", ErrMessage, m.count, maxRedundancy)
	}
	n := len(c.words)
	m.words = resize(m.words, m.count*n)
	c.r.Reset(msg[inputHeader:])
	for k := range n {
		m.words[k] = int32(uint32(c.r.Bits(c.words[k].bits)))
	}
	c.start(m.words)
	c.readChanges(m, 1, 1, c.r.Bool())
	return nil
}

func (c *inputCoder) readRelative(msg []byte, m *inputMessage, seq uint16, b *inputBases) error {
	c.r.Reset(msg[1:])
	back := int(c.r.Bits(6)) + 1
	since := back
	if !c.r.Bool() {
		since = int(c.r.Bits(6)) + 1
	}
	count := since
	if !c.r.Bool() {
		count = int(c.r.Bits(5)) + 1
	}
	switch {
	case c.r.Err() != nil:
		return nil // read tells
	case count > min(since, maxRedundancy):
		return fmt.Errorf("%w: %d inputs in a packet, %d since the base", ErrMessage, count, since)
	}
	base := b.at(seq - uint16(back))
	if base == nil {
		return errUnread
	}
	c.follow(m, base, since, count)
	if c.r.Bool() {
		if c.r.Bool() {
			m.epoch = uint8(c.r.Bits(8))
		}
		m.shift += int16(c.readDifference(16))
	}
	c.readChanges(m, 0, since-count+1, c.r.Bool())
	return nil
}

// follow begins a message of the newest count of the inputs since a base.
func (c *inputCoder) follow(m *inputMessage, base *inputBase, since, count int) {
	copy(c.state, base.state)
	m.epoch, m.shift = base.epoch, base.shift
	m.newest = base.newest + uint16(since)
	m.count = count
	m.words = resize(m.words, count*len(c.words))
}
