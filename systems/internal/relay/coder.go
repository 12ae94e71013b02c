package relay

import (
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// coder encodes and decodes the elements of relayed messages: inputs by [wire.InputWords], and numbers:
//
//	number   groups of 4 bits, low ones first, each followed by 1 bit: 1, another group follows
type coder struct {
	wire.InputWords
	table       *schema.Table
	value       []uint64 // room for an input as a component
	neutral     []int32
	words       []int32      // of the input that is read
	joinRequest *ecs.Request // joinRequest is the request type of joining players; nil: the protocol has none

	commands  *ecs.Players // nil: the protocol has no commands
	eventBits uint         // bits of the event count of a message
}

func newCoder(t *schema.Table, neutral []int32) *coder {
	return &coder{
		InputWords: wire.NewInputWords(t),
		table:      t, value: make([]uint64, (t.Size+7)/8), neutral: neutral, words: make([]int32, t.Words),
		eventBits: eventBits,
	}
}

// snapInput rounds and clamps words to values that an input can have. If repeated is true, it clears the edge
// fields.
func (c *coder) snapInput(words []int32, repeated bool) {
	if c.table.Words == 0 {
		return
	}
	at := unsafe.Pointer(unsafe.SliceData(c.value))
	c.table.Dequantize(at, words, c.table.Words, 1)
	if repeated {
		c.table.ClearEdges(at)
	}
	c.table.Quantize(words, c.table.Words, at, 1)
}

// writeNumber writes v in groups of four bits.
func (c *coder) writeNumber(v uint32) {
	for ; v >= 16; v >>= 4 {
		c.W.Bits(uint64(v&15|16), 5)
	}
	c.W.Bits(uint64(v), 5)
}

// writeSigned writes v in zigzag encoding. Values from −8 to 7 take one group.
func (c *coder) writeSigned(v int32) { c.writeNumber(uint32(v)<<1 ^ uint32(v>>31)) }

// readNumber reads a number. It marks the message as bad if the number is larger than limit.
func (c *coder) readNumber(limit uint32) uint32 {
	v := uint64(0)
	for shift := 0; shift < 32; shift += 4 {
		g := c.R.Bits(5)
		v |= g & 15 << shift
		if g < 16 {
			if v > uint64(limit) {
				break
			}
			return uint32(v)
		}
	}
	c.Bad = true
	return 0
}

func (c *coder) readSigned() int32 {
	v := c.readNumber(1<<32 - 1)
	return int32(v>>1) ^ -int32(v&1)
}

// writeJoinValue writes the join request of a player.
func (c *coder) writeJoinValue(value string) {
	if c.joinRequest == nil {
		return
	}
	c.W.Bool(value != "")
	for i := range len(value) {
		c.W.Bits(uint64(value[i]), 8)
	}
}

// readJoinValue reads and validates a join request.
func (c *coder) readJoinValue() string {
	if c.joinRequest == nil || !c.R.Bool() {
		return ""
	}
	b := make([]byte, c.joinRequest.Schema.RawSize())
	for i := range b {
		b[i] = byte(c.R.Bits(8))
	}
	if !c.validJoinValue(b) {
		c.Bad = true
	}
	return string(b)
}

// writeCommand writes a command.
func (c *coder) writeCommand(command string) {
	for i := range len(command) {
		c.W.Bits(uint64(command[i]), 8)
	}
}

// readCommand reads and validates a command.
func (c *coder) readCommand() string {
	b := append(make([]byte, 0, ecs.MaxRequest+1), byte(c.R.Bits(8)))
	if int(b[0]) >= len(c.commands.Commands) {
		c.Bad = true
		return ""
	}
	for range c.commands.Commands[b[0]].Schema.RawSize() {
		b = append(b, byte(c.R.Bits(8)))
	}
	if c.commands.Check(b) != nil {
		c.Bad = true
	}
	return string(b)
}

// validJoinValue reports whether b is a valid join request.
func (c *coder) validJoinValue(b []byte) bool {
	_, err := c.joinRequest.Value(b)
	return err == nil
}

// startAfter sets the input before the first one; nil is the neutral input.
func (c *coder) startAfter(before []int32) {
	if before == nil {
		before = c.neutral
	}
	c.Start(before)
}

// inputsFrom returns a function that returns the i-th input from tick on.
func (l *lane) inputsFrom(tick uint32) wire.Inputs {
	return func(i int) ([]int32, bool) {
		if at := tick + uint32(i); l.at(at) == inputKnown {
			return l.input(at), true
		}
		return nil, false
	}
}

// writeInputs writes n inputs of l from tick on. The first is encoded as a difference to before. gaps allows ticks
// without an input.
func (c *coder) writeInputs(l *lane, tick uint32, n int, before []int32, gaps bool) {
	c.startAfter(before)
	c.Gaps = gaps
	c.Write(n, l.inputsFrom(tick))
}

// countFitting returns how many of n inputs of l from tick on fit into room bits.
func (c *coder) countFitting(l *lane, tick uint32, n int, before []int32, room int) int {
	c.startAfter(before)
	return c.Fit(n, room, l.inputsFrom(tick))
}

// readInputs reads n inputs and calls f with the index and the words of each. words is nil for a tick without an
// input, and valid until f returns.
func (c *coder) readInputs(n int, before []int32, gaps bool, f func(i int, words []int32)) {
	c.startAfter(before)
	c.Gaps = gaps
	c.Read(n, func(i int, there bool) {
		if !there {
			f(i, nil)
			return
		}
		c.Words(c.words)
		f(i, c.words)
	})
}

// atEnd reports whether the message was valid and only zero bits up to the next byte are left.
func (c *coder) atEnd() bool {
	c.R.Align()
	return !c.Failed() && c.R.Remaining() == 0
}
