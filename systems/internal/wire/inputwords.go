package wire

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
)

// InputWords predicts the inputs of consecutive ticks, and writes and reads where the
// prediction fails. A message of inputs has one run of them, a relayed one a run for
// each player.
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
//	change    where there may be ticks without input, 1 bit: 1, this is one, which
//	          changes nothing of what is predicted next; else 1 bit for each word, but
//	          for an only word of more than 1 bit: differs from what is predicted, at
//	          least one does | each of these words
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
type InputWords struct {
	W     codec.Writer
	R     codec.Reader
	State []uint32 // the value of each word in the input before, then the paces
	Bad   bool     // what is read is nothing that is written so
	Gaps  bool     // there may be ticks without input

	words   []inputWord
	differs []bool // words of an input that is read
}

// Inputs gives the words of the i-th of consecutive inputs, and whether there is one.
type Inputs func(i int) (words []int32, there bool)

// inputWord is how a word counts.
type inputWord struct {
	bits uint
	turn uint64 // values, after which it is at the first again
}

// shortWord is up to how many bits a word travels as its value: a difference
// would save nothing.
const shortWord = 8

// NewInputWords makes a coder of the inputs of a field table.
func NewInputWords(t *schema.Table) InputWords {
	c := InputWords{words: make([]inputWord, t.Words), State: make([]uint32, 2*t.Words), differs: make([]bool, t.Words)}
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

// Failed reports whether what was read cannot be used.
func (c *InputWords) Failed() bool { return c.Bad || c.R.Err() != nil }

// ahead is word k so many ticks from now, as predicted.
func (c *InputWords) ahead(k, ticks int) uint32 {
	v, pace := c.State[k], c.State[len(c.words)+k]
	if pace == 0 || ticks == 0 {
		return v
	}
	return uint32((uint64(v) + uint64(pace)*uint64(ticks)) % c.words[k].turn)
}

// Start makes an input, in words, the one before, with nothing moving.
func (c *InputWords) Start(words []int32) {
	for k := range c.words {
		c.State[k] = c.cut(k, words[k])
		c.State[len(c.words)+k] = 0
	}
}

// cut is the part of word k that travels.
func (c *InputWords) cut(k int, v int32) uint32 {
	return uint32(uint64(uint32(v)) & (1<<c.words[k].bits - 1))
}

// pass makes an input as predicted, so many ticks from now, the one before.
func (c *InputWords) pass(ticks int) {
	for k := range c.words {
		c.State[k] = c.ahead(k, ticks)
	}
}

// Skip passes the inputs from i on that are as predicted, and returns the first that is
// not, or n. ticks are from the input before to input i.
func (c *InputWords) Skip(n, i, ticks int, at Inputs) int {
	for ; i < n; i++ {
		words, there := at(i)
		if !there || !c.predicted(words, ticks) {
			break
		}
		c.pass(ticks)
		ticks = 1
	}
	return i
}

// predicted reports whether an input so many ticks after the one before is as predicted.
func (c *InputWords) predicted(words []int32, ticks int) bool {
	for k, v := range words {
		if c.cut(k, v) != c.ahead(k, ticks) {
			return false
		}
	}
	return true
}

// pace is what word k changed by.
func (c *InputWords) pace(k int, from, to uint32) uint32 {
	turn := c.words[k].turn
	return uint32((uint64(to) + turn - uint64(from)%turn) % turn)
}

// writeDifference writes the low size bits of d.
func (c *InputWords) writeDifference(d uint32, size uint) {
	s := int32(d<<(32-size)) >> (32 - size)
	z := uint32(s<<1) ^ uint32(s>>31)
	n := uint(bits.Len32(z))
	c.W.Bits(uint64(n), uint(codec.BitsFor(uint64(size)+1)))
	if n > 1 {
		c.W.Bits(uint64(z), n-1)
	}
}

// readDifference reads what writeDifference wrote; the bits above size may be
// anything.
func (c *InputWords) readDifference(size uint) uint32 {
	n := uint(c.R.Bits(uint(codec.BitsFor(uint64(size) + 1))))
	if n == 0 || n > size {
		c.Bad = c.Bad || n > size
		return 0
	}
	z := uint32(c.R.Bits(n-1)) | 1<<(n-1)
	return z>>1 ^ -(z & 1)
}

// baseRing is how many packets back one can be read that continues from a base
// maxBack before it: those that come late find their bases still there.
const baseRing = 2 * maxBack

// Base is what an input message ended with: what others can continue from.
type Base struct {
	seq    uint16 // of the packet
	live   bool
	acked  bool // the other end has it; for who sends
	epoch  uint8
	shift  int16
	newest uint16
}

// Bases keeps the bases of the newest packets, sent or received, by session
// sequence.
type Bases struct {
	ring   []Base   // by sequence, nil before the first
	states []uint32 // of the coder, likewise
	words  int      // of each state
	newest uint16   // packet
	any    bool
	acked  bool   // one was, up to maxBack before the newest, as far as is known
	heard  uint16 // the newest that was
}

// NewInputBases is for inputs of so many words.
func NewInputBases(words int) *Bases { return &Bases{words: 2 * words} }

// Touch reads a byte of each cache line of the newest base, so that it is near when it is asked for. What it returns means
// nothing.
func (b *Bases) Touch() byte {
	if !b.any || b.words == 0 {
		return 0
	}
	return b.ring[b.newest%baseRing].epoch ^ byte(b.state(b.newest)[0])
}

// state is that of the coder at the end of a packet that is kept.
func (b *Bases) state(seq uint16) []uint32 {
	i := int(seq%baseRing) * b.words
	return b.states[i : i+b.words : i+b.words]
}

// Put keeps what the packet seq ended with, unless it is too old for anything to
// continue from it. What has become so is let go.
func (b *Bases) Put(seq uint16, m *Input, state []uint32) {
	d := codec.Diff(seq, b.newest)
	if !b.any {
		b.any, d = true, baseRing
		b.ring, b.states = make([]Base, baseRing), make([]uint32, baseRing*b.words)
	}
	if d <= -baseRing {
		return
	}
	if d > 0 {
		// Whoever has the same remainder as a packet in between is too old as well.
		for s := range uint16(min(d, baseRing)) {
			b.ring[(seq-s)%baseRing].live = false
		}
		b.newest = seq
	}
	e := &b.ring[seq%baseRing]
	e.seq, e.live, e.acked = seq, true, false
	e.epoch, e.shift, e.newest = m.Epoch, m.Shift, m.Newest
	copy(b.state(seq), state)
}

// at is what the packet seq ended with, or nil.
func (b *Bases) at(seq uint16) *Base {
	if !b.any {
		return nil
	}
	if e := &b.ring[seq%baseRing]; e.live && e.seq == seq {
		return e
	}
	return nil
}

// Ack notes that the other end has received the packet seq.
func (b *Bases) Ack(seq uint16) {
	if e := b.at(seq); e != nil {
		e.acked = true
		if !b.acked || codec.Diff(seq, b.heard) > 0 {
			b.acked, b.heard = true, seq
		}
	}
}

// acknowledged is the newest base that the other end has received within maxBack
// packets before the packet seq, and how many before, or nil.
func (b *Bases) acknowledged(seq uint16) (e *Base, back int) {
	if !b.acked {
		return nil, 0
	}
	back = codec.Diff(seq, b.heard)
	if e = b.at(b.heard); e == nil || back > maxBack {
		b.acked = false // and none before it can be
		return nil, 0
	}
	return e, back
}

// Clear lets go of all.
func (b *Bases) Clear() {
	for i := range b.ring {
		b.ring[i].live = false
	}
}
