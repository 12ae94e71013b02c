package wire

import (
	"fmt"
	"math"

	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
)

// Input is a message that a client sends every tick: its newest input and all earlier ones
// that may not have arrived (rule C2). A message that arrives therefore also brings the
// inputs of lost ones. The server knows or can predict most of these inputs: both ends
// keep the state after each message, its base, and a message continues from the newest
// base that the session has acknowledged. The three low bits of the first byte are the
// kind, the five high bits f the form. Bits are read from the lowest up, numbers are
// little-endian.
//
//	f = 0, whole        f << 3 | 1 | epoch u8 | every u8 | shift i16 | newest u16 | count u8 |
//	                    bits: the first input, each word at its full width, then
//	                    1 bit and, if it is 1, changes
//	f = 1..30, usual    f << 3 | 1, then nothing or changes: the base is the state
//	                    after the packet f before this one, and
//	                    exactly f inputs follow it; control as in the base
//	f = 31, relative    f << 3 | 1 | bits: packets back to the base less 1, 6 bits |
//	                    1, or 0 and inputs since the base less 1, 6 bits, if their
//	                    number differs | 1, or 0 and count less 1, 5 bits: only
//	                    the newest of these | 0, or 1 and control | 1 bit and,
//	                    if it is 1, changes
//	control             0, or 1 and epoch, 8 bits | 0, or 1 and every, 8 bits |
//	                    length of the shift's difference, 5 bits | difference;
//	                    see below
//	changes             see InputWords
//
// newest is the low 16 bits of the sequence number of the last input. The receiver extends
// it to the number nearest to the last one received, which is correct for 32,768 inputs,
// nine minutes at 60 per second. A base includes its full sequence number, so that a
// message with a base is unambiguous after any silence and any delay. Packets are
// counted by the session, whose numbers both ends know. If none of the last
// maxBack packets is acknowledged, the message is whole.
//
// Servers acknowledge packets beyond a limit without reading them (see systems.MaxMessages),
// and messages that continue from these cannot be decoded. The server then sends [DepthUnread]
// instead of the depth of its buffer, and the client sends whole messages
// until one of them is acknowledged.
//
// epoch and shift are the states of the client's baselines and of its clock (see
// the snapshot message). every asks for a snapshot at most at every so many times of a send;
// 0 asks for as many as the server sends. Zero bits pad the message to a whole byte.
//
// If corrections are made on mismatch, a [Report] precedes these zero bits, and a usual
// message starts with 1 bit that says whether changes follow, as in the other forms.
type Input struct {
	Epoch  uint8
	Every  uint8  // times of sends from one snapshot to the next that the client asks for, at least; 0: the server decides
	Shift  int16  // clock shift carried out so far, in 1/[ShiftUnit] ticks
	Newest uint16 // sequence number of the last input in Words
	Count  int    // number of inputs in Words, oldest first, table.Words each
	Words  []int32
	Report Report // if corrections are made on mismatch
}

// InputCoder encodes and decodes input messages.
type InputCoder struct {
	InputWords
	Reported bool // a report follows the inputs
}

// NewInputCoder returns a coder for inputs with table t.
func NewInputCoder(t *schema.Table) *InputCoder {
	return &InputCoder{InputWords: NewInputWords(t)}
}

// inputsOf returns a function that returns the inputs of a message.
func (c *InputCoder) inputsOf(m *Input) Inputs {
	n := len(c.words)
	return func(i int) ([]int32, bool) { return m.Words[i*n : (i+1)*n], true }
}

const (
	// KindBits is the number of bits in the first byte that hold the kind of a message. The other bits depend on
	// the kind.
	KindBits = 3
	// KindMask masks those bits.
	KindMask = 1<<KindBits - 1

	// MaxRedundancy is the maximum number of inputs in one packet (rule C2).
	MaxRedundancy = 32

	// ShiftUnit is the number of units per tick in which clock shifts are sent.
	ShiftUnit = 16
	// MaxShift is the largest clock shift that can be sent, in ticks.
	MaxShift = math.MaxInt16 / ShiftUnit

	InputRelative = 31 // f of a relative message
	maxBack       = 64 // maximum number of packets back to a base, and of inputs since it
	inputHeader   = 8  // size of a whole message before its bits, in bytes
)

// ErrUnread is returned for a message that continues from a message that was not read. It is not a protocol
// violation.
var ErrUnread = fmt.Errorf("%w: input: %w", ErrMessage, codec.ErrBaseline)

// Append encodes m as packet seq. If b is not nil, the message may continue from one of these bases.
func (c *InputCoder) Append(dst []byte, m *Input, seq uint16, b *Bases) []byte {
	if b != nil {
		if base, back := b.acknowledged(seq); base != nil {
			if since := int(m.Newest - base.newest); since >= m.Count && since <= maxBack {
				copy(c.State, b.state(base.seq))
				return c.appendRelative(dst, m, base, back, since)
			}
		}
	}
	c.W.Reset(append(dst, KindInput, m.Epoch, m.Every, byte(m.Shift), byte(m.Shift>>8), byte(m.Newest), byte(m.Newest>>8), byte(m.Count)))
	c.Start(m.Words)
	for k := range c.words {
		c.W.Bits(uint64(c.State[k]), c.words[k].bits)
	}
	n := c.Skip(m.Count, 1, 1, c.inputsOf(m))
	c.W.Bool(n < m.Count)
	c.WriteChanges(m.Count, n, 1, 1, c.inputsOf(m))
	return c.finish(m)
}

// finish appends the report and returns the message.
func (c *InputCoder) finish(m *Input) []byte {
	if c.Reported {
		c.writeReport(&m.Report)
	}
	return c.W.Bytes()
}

// appendRelative encodes m relative to a base that lies back packets and since inputs before it. The coder has the
// state of the base.
func (c *InputCoder) appendRelative(dst []byte, m *Input, base *Base, back, since int) []byte {
	gap := since - m.Count
	control := m.Epoch != base.epoch || m.Every != base.every || m.Shift != base.shift
	n := c.Skip(m.Count, 0, gap+1, c.inputsOf(m))
	if back == since && gap == 0 && !control && back < InputRelative {
		c.W.Reset(append(dst, byte(back)<<KindBits|KindInput))
		if c.Reported {
			c.W.Bool(n < m.Count)
		}
		c.WriteChanges(m.Count, n, 0, 1, c.inputsOf(m))
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
		c.W.Bool(m.Every != base.every)
		if m.Every != base.every {
			c.W.Bits(uint64(m.Every), 8)
		}
		c.writeDifference(uint32(m.Shift-base.shift), 16)
	}
	c.W.Bool(n < m.Count)
	c.WriteChanges(m.Count, n, 0, gap+1, c.inputsOf(m))
	return c.finish(m)
}

// Read decodes a message that arrived as packet seq into m and reuses m.Words. b holds the bases. Words may be
// outside their fields' ranges; Table.Dequantize, which processes all of them before use, clamps them. The error is
// [ErrUnread] if the base is not available.
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
		c.startRelative(m, base, f, f)
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
	c.R.Align() // the rest of the last byte must be zero
	if err := c.R.Err(); err != nil {
		return fmt.Errorf("%w: input: %w", ErrMessage, err)
	}
	if c.Bad {
		return fmt.Errorf("%w: input: %w", ErrMessage, codec.ErrMalformed)
	}
	if c.R.Remaining() > 0 {
		return fmt.Errorf("%w: input with %d extra bytes", ErrMessage, c.R.Remaining()/8)
	}
	return nil
}

func (c *InputCoder) readWhole(msg []byte, m *Input) error {
	if len(msg) < inputHeader {
		return fmt.Errorf("%w: input of %d bytes", ErrMessage, len(msg))
	}
	m.Epoch, m.Every = msg[1], msg[2]
	m.Shift = int16(uint16(msg[3]) | uint16(msg[4])<<8)
	m.Newest = uint16(msg[5]) | uint16(msg[6])<<8
	m.Count = int(msg[7])
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
		return nil // Read returns the error
	case count > min(since, MaxRedundancy):
		return fmt.Errorf("%w: %d inputs in a packet, %d since the base", ErrMessage, count, since)
	}
	base := b.at(seq - uint16(back))
	if base == nil {
		return ErrUnread
	}
	copy(c.State, b.state(base.seq))
	c.startRelative(m, base, since, count)
	if c.R.Bool() {
		if c.R.Bool() {
			m.Epoch = uint8(c.R.Bits(8))
		}
		if c.R.Bool() {
			m.Every = uint8(c.R.Bits(8))
		}
		m.Shift += int16(c.readDifference(16))
	}
	c.readInputs(m, 0, since-count+1, c.R.Bool())
	return nil
}

// readInputs reads the inputs of m from i on.
func (c *InputCoder) readInputs(m *Input, i, ticks int, changes bool) {
	n := len(c.words)
	c.ReadChanges(m.Count, i, ticks, changes, func(i int, _ bool) { c.Words(m.Words[i*n : (i+1)*n]) })
}

// startRelative prepares m for the newest count of the inputs since a base. The coder has the state of the base.
func (c *InputCoder) startRelative(m *Input, base *Base, since, count int) {
	m.Epoch, m.Every, m.Shift = base.epoch, base.every, base.shift
	m.Newest = base.newest + uint16(since)
	m.Count = count
	m.Words = reuse.Slice(m.Words, count*len(c.words))
}
