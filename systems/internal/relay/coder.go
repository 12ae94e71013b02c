package relay

import (
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// coder writes and reads what relayed messages are made of: inputs as [wire.InputWords] does, and
//
//	number   4 bits and 1 bit: 1, 4 more and so on; low ones first
type coder struct {
	wire.InputWords
	table   *schema.Table
	value   []uint64 // an input as a component
	neutral []int32
	words   []int32      // of an input that is read
	asks    *ecs.Request // of who comes; nil: for nothing

	commands  *ecs.Players // that there are; nil: none
	eventBits uint         // how many bits count the events of a message
}

func newCoder(t *schema.Table, neutral []int32) *coder {
	return &coder{
		InputWords: wire.NewInputWords(t),
		table:      t, value: make([]uint64, (t.Size+7)/8), neutral: neutral, words: make([]int32, t.Words),
		eventBits: eventBits,
	}
}

// snap makes words such as an input can have; one that is repeated has no edges.
func (c *coder) snap(words []int32, repeated bool) {
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

// number writes v in groups of four bits.
func (c *coder) number(v uint32) {
	for ; v >= 16; v >>= 4 {
		c.W.Bits(uint64(v&15|16), 5)
	}
	c.W.Bits(uint64(v), 5)
}

// signed writes v, −4..3 in one group.
func (c *coder) signed(v int32) { c.number(uint32(v)<<1 ^ uint32(v>>31)) }

// readNumber reads a number up to limit.
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

// ask writes what a player asks to be.
func (c *coder) ask(value string) {
	if c.asks == nil {
		return
	}
	c.W.Bool(value != "")
	for i := range len(value) {
		c.W.Bits(uint64(value[i]), 8)
	}
}

// readAsk reads it.
func (c *coder) readAsk() string {
	if c.asks == nil || !c.R.Bool() {
		return ""
	}
	b := make([]byte, c.asks.Schema.RawSize())
	for i := range b {
		b[i] = byte(c.R.Bits(8))
	}
	if !c.good(b) {
		c.Bad = true
	}
	return string(b)
}

// command writes a command.
func (c *coder) command(command string) {
	for i := range len(command) {
		c.W.Bits(uint64(command[i]), 8)
	}
}

// readCommand reads one.
func (c *coder) readCommand() string {
	b := append(make([]byte, 0, ecs.MaxRequest+1), byte(c.R.Bits(8)))
	if int(b[0]) >= len(c.commands.Commands) {
		c.Bad = true
		return ""
	}
	for range c.commands.Commands[b[0]].Schema.RawSize() {
		b = append(b, byte(c.R.Bits(8)))
	}
	if _, _, err := c.commands.Next(b); err != nil {
		c.Bad = true
	}
	return string(b)
}

// good reports whether bytes are what a player can ask to be.
func (c *coder) good(b []byte) bool {
	_, err := c.asks.Value(b)
	return err == nil
}

// expect begins with the input before the first; nil is the neutral one.
func (c *coder) expect(before []int32) {
	if before == nil {
		before = c.neutral
	}
	c.Start(before)
}

// inputs gives those of a lane from a tick on.
func (l *lane) inputs(tick uint32) wire.Inputs {
	return func(i int) ([]int32, bool) {
		if at := tick + uint32(i); l.at(at) == real {
			return l.input(at), true
		}
		return nil, false
	}
}

// write writes n inputs of l from tick on, told against the one before; gaps says that there
// may be none in a tick.
func (c *coder) write(l *lane, tick uint32, n int, before []int32, gaps bool) {
	c.expect(before)
	c.Gaps = gaps
	c.Write(n, l.inputs(tick))
}

// fit is how many of n inputs of l from tick on take no more bits than room.
func (c *coder) fit(l *lane, tick uint32, n int, before []int32, room int) int {
	c.expect(before)
	return c.Fit(n, room, l.inputs(tick))
}

// read reads n inputs and gives them to f, by place; words are nil where there is
// none, and good until f returns.
func (c *coder) read(n int, before []int32, gaps bool, f func(i int, words []int32)) {
	c.expect(before)
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

// end checks that nothing is left but zero bits up to the next byte.
func (c *coder) end() bool {
	c.R.Align()
	return !c.Failed() && c.R.Remaining() == 0
}
