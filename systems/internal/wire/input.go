package wire

import (
	"fmt"

	"github.com/tactusgo/tactus/internal/reuse"

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
// Servers acknowledge what they do not read any further (see systems.MaxMessages), and
// what continues from that cannot be read. Then the server says so in place of
// the depth of its buffer (see unreadDepth), and the client writes whole messages
// until one of them is acknowledged.
//
// epoch and shift are the state of the client's baselines and of its clock (see
// the snapshot message). The message ends with zero bits up to the next byte.
//
// Where corrections are made on mismatch, advice stands before these zero bits, and
// in a usual message what says whether there are changes is 1 bit, as in the others.
type Input struct {
	Epoch  uint8
	Shift  int16  // clock shift carried out so far, in 1/shiftUnit ticks
	Newest uint16 // sequence of the last input in words
	Count  int    // inputs in words, oldest first, table.Words each
	Words  []int32
	Report Report // where corrections are made on mismatch
}

const (
	// KindBits of the first byte tell the kind of a message, the rest is its own.
	KindBits = 3
	// KindMask are those bits.
	KindMask = 1<<KindBits - 1

	// MaxRedundancy bounds the inputs in one packet (rule C2).
	MaxRedundancy = 32

	// ShiftUnit is the resolution of clock shifts on the wire, in parts of a tick.
	ShiftUnit = 16

	InputRelative = 31 // f of a relative message
	maxBack       = 64 // packets back to a base, and inputs since it
	inputHeader   = 7  // bytes of a whole message before its bits
)

// ErrUnread is about a message that continues from one that was not read. It is
// nobody's fault.
var ErrUnread = fmt.Errorf("%w: input: %w", ErrMessage, codec.ErrBaseline)

// Append writes m as the packet seq. Where b is not nil it may continue from one
// of these bases.
func (c *InputCoder) Append(dst []byte, m *Input, seq uint16, b *Bases) []byte {
	if b != nil {
		if base, back := b.acknowledged(seq); base != nil {
			if since := int(m.Newest - base.newest); since >= m.Count && since <= maxBack {
				return c.appendRelative(dst, m, base, back, since)
			}
		}
	}
	c.w.Reset(append(dst, KindInput, m.Epoch, byte(m.Shift), byte(m.Shift>>8), byte(m.Newest), byte(m.Newest>>8), byte(m.Count)))
	c.Start(m.Words)
	for k := range c.words {
		c.w.Bits(uint64(c.State[k]), c.words[k].bits)
	}
	n := c.skip(m, 1, 1)
	c.w.Bool(n < m.Count)
	c.writeChanges(m, n, 1, 1)
	return c.finish(m)
}

// finish ends a message.
func (c *InputCoder) finish(m *Input) []byte {
	if c.Reported {
		c.writeReport(&m.Report)
	}
	return c.w.Bytes()
}

// appendRelative writes m as so many packets and inputs behind a base.
func (c *InputCoder) appendRelative(dst []byte, m *Input, base *Base, back, since int) []byte {
	copy(c.State, base.state)
	gap := since - m.Count
	control := m.Epoch != base.epoch || m.Shift != base.shift
	n := c.skip(m, 0, gap+1)
	if back == since && gap == 0 && !control && back < InputRelative {
		c.w.Reset(append(dst, byte(back)<<KindBits|KindInput))
		if c.Reported {
			c.w.Bool(n < m.Count)
		}
		c.writeChanges(m, n, 0, 1)
		return c.finish(m)
	}
	c.w.Reset(append(dst, InputRelative<<KindBits|KindInput))
	c.w.Bits(uint64(back-1), 6)
	c.w.Bool(back == since)
	if back != since {
		c.w.Bits(uint64(since-1), 6)
	}
	c.w.Bool(gap == 0)
	if gap != 0 {
		c.w.Bits(uint64(m.Count-1), 5)
	}
	c.w.Bool(control)
	if control {
		c.w.Bool(m.Epoch != base.epoch)
		if m.Epoch != base.epoch {
			c.w.Bits(uint64(m.Epoch), 8)
		}
		c.writeDifference(uint32(m.Shift-base.shift), 16)
	}
	c.w.Bool(n < m.Count)
	c.writeChanges(m, n, 0, gap+1)
	return c.finish(m)
}

// Read parses a message that came as the packet seq into m, whose words are
// reused; b has the bases. Words may lie outside their fields' ranges;
// Table.Dequantize, through which all of them pass on their way into the world,
// clamps those. The error is errUnread where the base is not there.
func (c *InputCoder) Read(msg []byte, m *Input, seq uint16, b *Bases) error {
	if len(msg) == 0 || msg[0]&KindMask != KindInput {
		return fmt.Errorf("%w: %d bytes that are not inputs", ErrMessage, len(msg))
	}
	c.bad = false
	var err error
	switch f := int(msg[0] >> KindBits); f {
	case 0:
		err = c.readWhole(msg, m)
	case InputRelative:
		err = c.readRelative(msg, m, seq, b)
	default:
		base := b.at(seq - uint16(f))
		if base == nil {
			return ErrUnread
		}
		c.r.Reset(msg[1:])
		c.follow(m, base, f, f)
		changes := len(msg) > 1
		if c.Reported {
			changes = c.r.Bool()
		}
		c.readChanges(m, 0, 1, changes)
	}
	if err == nil && c.Reported {
		err = c.readReport(&m.Report)
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

func (c *InputCoder) readWhole(msg []byte, m *Input) error {
	if len(msg) < inputHeader {
		return fmt.Errorf("%w: input of %d bytes", ErrMessage, len(msg))
	}
	m.Epoch = msg[1]
	m.Shift = int16(uint16(msg[2]) | uint16(msg[3])<<8)
	m.Newest = uint16(msg[4]) | uint16(msg[5])<<8
	m.Count = int(msg[6])
	if m.Count < 1 || m.Count > MaxRedundancy {
		return fmt.Errorf("%w: %d inputs in a packet, 1 to %d are allowed", ErrMessage, m.Count, MaxRedundancy)
	}
	n := len(c.words)
	m.Words = reuse.Slice(m.Words, m.Count*n)
	c.r.Reset(msg[inputHeader:])
	for k := range n {
		m.Words[k] = int32(uint32(c.r.Bits(c.words[k].bits)))
	}
	c.Start(m.Words)
	c.readChanges(m, 1, 1, c.r.Bool())
	return nil
}

func (c *InputCoder) readRelative(msg []byte, m *Input, seq uint16, b *Bases) error {
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
	case count > min(since, MaxRedundancy):
		return fmt.Errorf("%w: %d inputs in a packet, %d since the base", ErrMessage, count, since)
	}
	base := b.at(seq - uint16(back))
	if base == nil {
		return ErrUnread
	}
	c.follow(m, base, since, count)
	if c.r.Bool() {
		if c.r.Bool() {
			m.Epoch = uint8(c.r.Bits(8))
		}
		m.Shift += int16(c.readDifference(16))
	}
	c.readChanges(m, 0, since-count+1, c.r.Bool())
	return nil
}

// follow begins a message of the newest count of the inputs since a base.
func (c *InputCoder) follow(m *Input, base *Base, since, count int) {
	copy(c.State, base.state)
	m.Epoch, m.Shift = base.epoch, base.shift
	m.Newest = base.newest + uint16(since)
	m.Count = count
	m.Words = reuse.Slice(m.Words, count*len(c.words))
}
