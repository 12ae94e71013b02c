package wire

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
)

// InputCoder predicts inputs, and writes and reads where the prediction fails.
//
// Each word of an input is predicted to go on by its pace: the pace is 0 for what
// is held, like a button, or the change in a tick of what moves steadily, like
// the aim of somebody who turns. Sums wrap at the word's width, those of angles
// at the full turn. Only changes travel:
//
//	changes   first change: run, in as many bits as tell the inputs left apart |
//	          change; then until no inputs are left: 1 and a change of the very
//	          next input, or 0; behind the 0, where two or more inputs are left:
//	          0, no more changes, or 1 and run less 1 | change
//	run       inputs up to there that are as predicted
//	change    1 bit for each word, but for an only word of more than 1 bit: differs
//	          from what is predicted, at least one does | each of these words
//	word      of 1 bit: nothing, it is the other one, its pace becomes 0
//	          of 2 to 8 bits: the value | pace
//	          else: its difference from the input before | pace
//	pace      nothing where it is as in the input before, pace 0; else 1 bit: 1 for
//	          a pace that goes on by what changed, 0 for a pace of 0
//
// The difference of a word of n bits is taken modulo 2ⁿ, negative ones below
// zero, in zigzag form (0, −1, 1, −2 … become 0, 1, 2, 3 …): the number of bits
// of that, in as many bits as tell 0 to n apart, then these bits without the
// highest, which is 1. Where a message leaves out inputs since its base, "the
// input before" the first is the last of these, as predicted.
type InputCoder struct {
	words []inputWord
	State []uint32 // the value of each word in the input before, then the paces
	w     codec.Writer
	r     codec.Reader

	Reported bool   // advice follows the inputs
	differs  []bool // words of an input that is read
	bad      bool   // what is read is nothing that an inputCoder writes
}

// inputWord is how a word counts.
type inputWord struct {
	bits uint
	turn uint64 // values, after which it is at the first again
}

// shortWord is up to how many bits a word travels as its value: a difference
// would save nothing.
const shortWord = 8

// NewInputCoder makes a coder of inputs with a field table.
func NewInputCoder(t *schema.Table) *InputCoder {
	c := &InputCoder{words: make([]inputWord, t.Words), State: make([]uint32, 2*t.Words), differs: make([]bool, t.Words)}
	for k := range c.words {
		n := uint(t.WordBits(k))
		c.words[k] = inputWord{n, 1 << n}
	}
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Angle && f.Words == 1 && f.Values() > 0 {
			c.words[f.Word].turn = uint64(f.Values())
		}
	}
	return c
}

// ahead is word k so many ticks from now, as predicted.
func (c *InputCoder) ahead(k, ticks int) uint32 {
	v, pace := c.State[k], c.State[len(c.words)+k]
	if pace == 0 || ticks == 0 {
		return v
	}
	return uint32((uint64(v) + uint64(pace)*uint64(ticks)) % c.words[k].turn)
}

// Start makes an input, in words, the one before, with nothing moving.
func (c *InputCoder) Start(words []int32) {
	for k := range c.words {
		c.State[k] = c.cut(k, words[k])
		c.State[len(c.words)+k] = 0
	}
}

// cut is the part of word k that travels.
func (c *InputCoder) cut(k int, v int32) uint32 {
	return uint32(uint64(uint32(v)) & (1<<c.words[k].bits - 1))
}

// pass makes an input as predicted, so many ticks from now, the one before.
func (c *InputCoder) pass(ticks int) {
	for k := range c.words {
		c.State[k] = c.ahead(k, ticks)
	}
}

// skip passes the inputs of m from i on that are as predicted, and returns the
// first that is not, or m.count. ticks are from the input before to input i.
func (c *InputCoder) skip(m *Input, i, ticks int) int {
	n := len(c.words)
	for ; i < m.Count; i++ {
		for k, v := range m.Words[i*n : (i+1)*n] {
			if c.cut(k, v) != c.ahead(k, ticks) {
				return i
			}
		}
		c.pass(ticks)
		ticks = 1
	}
	return i
}

// writeChanges writes the changes of m from input i on, which is the first that
// is not as predicted, or m.count. from is the first that could have been, and
// ticks how long that is after the one before it.
func (c *InputCoder) writeChanges(m *Input, i, from, ticks int) {
	if i >= m.Count {
		return
	}
	c.w.Bits(uint64(i-from), uint(codec.BitsFor(uint64(m.Count-from))))
	if i > from {
		ticks = 1
	}
	for {
		c.writeChange(m, i, ticks)
		from, ticks = i+1, 1
		left := m.Count - from
		switch i = c.skip(m, from, ticks); i {
		case m.Count:
			c.w.Bits(0, uint(min(left, 2)))
			return
		case from:
			c.w.Bits(1, 1)
		default:
			c.w.Bits(2, 2)
			c.w.Bits(uint64(i-from-1), uint(codec.BitsFor(uint64(left-1))))
		}
	}
}

// marked reports whether a change says which words differ. An only word does, but a change
// of one bit would be no bits at all, which a message without changes is.
func (c *InputCoder) marked() bool { return len(c.words) != 1 || c.words[0].bits == 1 }

// writeChange writes the input i of m, so many ticks after the one before.
func (c *InputCoder) writeChange(m *Input, i, ticks int) {
	n := len(c.words)
	words := m.Words[i*n : (i+1)*n]
	for k := 0; k < n && c.marked(); k++ {
		c.w.Bool(c.cut(k, words[k]) != c.ahead(k, ticks))
	}
	for k := range n {
		v, size := c.cut(k, words[k]), c.words[k].bits
		if v == c.ahead(k, ticks) {
			c.State[k] = v
			continue
		}
		before := c.ahead(k, ticks-1)
		switch {
		case size == 1:
		case size <= shortWord:
			c.w.Bits(uint64(v), size)
		default:
			c.writeDifference(v-before, size)
		}
		c.State[k], c.State[n+k] = v, 0
		if size == 1 || v == before {
			continue
		}
		pace := c.pace(k, before, v)
		on := size > shortWord // what the newest input does next is not known; wide words mostly move
		if i+1 < m.Count {
			on = c.cut(k, m.Words[(i+1)*n+k]) == uint32((uint64(v)+uint64(pace))%c.words[k].turn)
		}
		c.w.Bool(on)
		if on {
			c.State[n+k] = pace
		}
	}
}

// pace is what word k changed by.
func (c *InputCoder) pace(k int, from, to uint32) uint32 {
	turn := c.words[k].turn
	return uint32((uint64(to) + turn - uint64(from)%turn) % turn)
}

// readChanges makes the inputs of m from i on, which is so many ticks after the
// one before it: as predicted, but for what is read where there are changes.
func (c *InputCoder) readChanges(m *Input, i, ticks int, changes bool) {
	n := len(c.words)
	run, next := 0, changes // run inputs are as predicted, and the next is a change
	if changes {
		run = c.run(m.Count - i)
	}
	for ; i < m.Count; i++ {
		switch {
		case run > 0 || !next:
			run--
			c.pass(ticks)
		default:
			c.readChange(ticks)
			left := m.Count - i - 1
			switch {
			case left == 0 || c.r.Bool():
			case left > 1 && c.r.Bool():
				run = 1 + c.run(left-1)
			default:
				next = false
			}
		}
		ticks = 1
		for k := range n {
			m.Words[i*n+k] = int32(c.State[k])
		}
	}
}

// run reads a number below left.
func (c *InputCoder) run(left int) int {
	run := int(c.r.Bits(uint(codec.BitsFor(uint64(left)))))
	c.bad = c.bad || run >= left
	return run
}

// readChange reads an input, so many ticks after the one before.
func (c *InputCoder) readChange(ticks int) {
	n, any := len(c.words), false
	for k := range n {
		c.differs[k] = !c.marked() || c.r.Bool()
		any = any || c.differs[k]
	}
	c.bad = c.bad || !any
	for k := range n {
		guess, before, size := c.ahead(k, ticks), c.ahead(k, ticks-1), c.words[k].bits
		if !c.differs[k] {
			c.State[k] = guess
			continue
		}
		var v uint32
		switch {
		case size == 1:
			v = guess ^ 1
		case size <= shortWord:
			v = uint32(c.r.Bits(size))
		default:
			v = c.cut(k, int32(before+c.readDifference(size)))
		}
		c.State[k], c.State[n+k] = v, 0
		if size != 1 && v != before && c.r.Bool() {
			c.State[n+k] = c.pace(k, before, v)
		}
	}
}

// writeDifference writes the low size bits of d.
func (c *InputCoder) writeDifference(d uint32, size uint) {
	s := int32(d<<(32-size)) >> (32 - size)
	z := uint32(s<<1) ^ uint32(s>>31)
	n := uint(bits.Len32(z))
	c.w.Bits(uint64(n), uint(codec.BitsFor(uint64(size)+1)))
	if n > 1 {
		c.w.Bits(uint64(z), n-1)
	}
}

// readDifference reads what writeDifference wrote; the bits above size may be
// anything.
func (c *InputCoder) readDifference(size uint) uint32 {
	n := uint(c.r.Bits(uint(codec.BitsFor(uint64(size) + 1))))
	if n == 0 || n > size {
		c.bad = c.bad || n > size
		return 0
	}
	z := uint32(c.r.Bits(n-1)) | 1<<(n-1)
	return z>>1 ^ -(z & 1)
}
