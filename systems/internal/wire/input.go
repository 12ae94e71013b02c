package wire

import (
	"fmt"
	"math"

	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
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
//	changes             see InputWords
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
// the depth of its buffer (see [DepthUnread]), and the client writes whole messages
// until one of them is acknowledged.
//
// epoch and shift are the state of the client's baselines and of its clock (see
// the snapshot message). The message ends with zero bits up to the next byte.
//
// Where corrections are made on mismatch, a [Report] stands before these zero bits, and
// in a usual message what says whether there are changes is 1 bit, as in the others.
type Input struct {
	Epoch  uint8
	Shift  int16  // clock shift carried out so far, in 1/[ShiftUnit] ticks
	Newest uint16 // sequence of the last input in words
	Count  int    // inputs in words, oldest first, table.Words each
	Words  []int32
	Report Report // where corrections are made on mismatch
}

// InputCoder writes and reads messages of inputs.
type InputCoder struct {
	InputWords
	Reported bool // a report follows the inputs
}

// NewInputCoder makes a coder of inputs with a field table.
func NewInputCoder(t *schema.Table) *InputCoder {
	return &InputCoder{InputWords: NewInputWords(t)}
}

// inputs gives those of a message.
func (c *InputCoder) inputs(m *Input) Inputs {
	n := len(c.words)
	return func(i int) ([]int32, bool) { return m.Words[i*n : (i+1)*n], true }
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
	// MaxShift is the largest clock shift that travels, in ticks.
	MaxShift = math.MaxInt16 / ShiftUnit

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
				copy(c.State, b.state(base.seq))
				return c.appendRelative(dst, m, base, back, since)
			}
		}
	}
	c.W.Reset(append(dst, KindInput, m.Epoch, byte(m.Shift), byte(m.Shift>>8), byte(m.Newest), byte(m.Newest>>8), byte(m.Count)))
	c.Start(m.Words)
	for k := range c.words {
		c.W.Bits(uint64(c.State[k]), c.words[k].bits)
	}
	n := c.Skip(m.Count, 1, 1, c.inputs(m))
	c.W.Bool(n < m.Count)
	c.WriteChanges(m.Count, n, 1, 1, c.inputs(m))
	return c.finish(m)
}

// finish ends a message.
func (c *InputCoder) finish(m *Input) []byte {
	if c.Reported {
		c.writeReport(&m.Report)
	}
	return c.W.Bytes()
}

// appendRelative writes m as so many packets and inputs behind a base, whose state the coder has.
func (c *InputCoder) appendRelative(dst []byte, m *Input, base *Base, back, since int) []byte {
	gap := since - m.Count
	control := m.Epoch != base.epoch || m.Shift != base.shift
	n := c.Skip(m.Count, 0, gap+1, c.inputs(m))
	if back == since && gap == 0 && !control && back < InputRelative {
		c.W.Reset(append(dst, byte(back)<<KindBits|KindInput))
		if c.Reported {
			c.W.Bool(n < m.Count)
		}
		c.WriteChanges(m.Count, n, 0, 1, c.inputs(m))
		return c.finish(m)
	}
	c.W.Reset(append(dst, InputRelative<<KindBits|KindInput))
	c.W.Bits(uint64(back-1), 6)
	c.W.Bool(back == since)
	if back != since {
		c.W.Bits(uint64(since-1), 6)
	}
	c.W.Bool(gap == 0)
	if gap != 0 {
		c.W.Bits(uint64(m.Count-1), 5)
	}
	c.W.Bool(control)
	if control {
		c.W.Bool(m.Epoch != base.epoch)
		if m.Epoch != base.epoch {
			c.W.Bits(uint64(m.Epoch), 8)
		}
		c.writeDifference(uint32(m.Shift-base.shift), 16)
	}
	c.W.Bool(n < m.Count)
	c.WriteChanges(m.Count, n, 0, gap+1, c.inputs(m))
	return c.finish(m)
}

// Read parses a message that came as the packet seq into m, whose words are
// reused; b has the bases. Words may lie outside their fields' ranges;
// Table.Dequantize, through which all of them pass on their way into the world,
// clamps those. The error is [ErrUnread] where the base is not there.
func (c *InputCoder) Read(msg []byte, m *Input, seq uint16, b *Bases) error {
	if len(msg) == 0 || msg[0]&KindMask != KindInput {
		return fmt.Errorf("%w: %d bytes that are not inputs", ErrMessage, len(msg))
	}
	c.Bad = false
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
		c.R.Reset(msg[1:])
		copy(c.State, b.state(base.seq))
		c.follow(m, base, f, f)
		changes := len(msg) > 1
		if c.Reported {
			changes = c.R.Bool()
		}
		c.readInputs(m, 0, 1, changes)
	}
	if err == nil && c.Reported {
		err = c.readReport(&m.Report)
	}
	if err != nil {
		return err
	}
	c.R.Align() // what is left of the last byte must be zero
	if err := c.R.Err(); err != nil {
		return fmt.Errorf("%w: input: %w", ErrMessage, err)
	}
	if c.Bad {
		return fmt.Errorf("%w: input: %w", ErrMessage, codec.ErrMalformed)
	}
	if c.R.Remaining() > 0 {
		return fmt.Errorf("%w: input with %d bytes behind its end", ErrMessage, c.R.Remaining()/8)
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
	c.R.Reset(msg[inputHeader:])
	for k := range n {
		m.Words[k] = int32(uint32(c.R.Bits(c.words[k].bits)))
	}
	c.Start(m.Words)
	c.readInputs(m, 1, 1, c.R.Bool())
	return nil
}

func (c *InputCoder) readRelative(msg []byte, m *Input, seq uint16, b *Bases) error {
	c.R.Reset(msg[1:])
	back := int(c.R.Bits(6)) + 1
	since := back
	if !c.R.Bool() {
		since = int(c.R.Bits(6)) + 1
	}
	count := since
	if !c.R.Bool() {
		count = int(c.R.Bits(5)) + 1
	}
	switch {
	case c.R.Err() != nil:
		return nil // read tells
	case count > min(since, MaxRedundancy):
		return fmt.Errorf("%w: %d inputs in a packet, %d since the base", ErrMessage, count, since)
	}
	base := b.at(seq - uint16(back))
	if base == nil {
		return ErrUnread
	}
	copy(c.State, b.state(base.seq))
	c.follow(m, base, since, count)
	if c.R.Bool() {
		if c.R.Bool() {
			m.Epoch = uint8(c.R.Bits(8))
		}
		m.Shift += int16(c.readDifference(16))
	}
	c.readInputs(m, 0, since-count+1, c.R.Bool())
	return nil
}

// readInputs makes the inputs of m from i on.
func (c *InputCoder) readInputs(m *Input, i, ticks int, changes bool) {
	n := len(c.words)
	c.ReadChanges(m.Count, i, ticks, changes, func(i int, _ bool) { c.Words(m.Words[i*n : (i+1)*n]) })
}

// follow begins a message of the newest count of the inputs since a base, whose state the coder has.
func (c *InputCoder) follow(m *Input, base *Base, since, count int) {
	m.Epoch, m.Shift = base.epoch, base.shift
	m.Newest = base.newest + uint16(since)
	m.Count = count
	m.Words = reuse.Slice(m.Words, count*len(c.words))
}
