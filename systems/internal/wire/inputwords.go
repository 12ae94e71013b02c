package wire

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
)

// InputWords predicts the inputs of consecutive ticks, and encodes the inputs that differ from
// the prediction. An input message has one sequence of inputs, a relayed message has one for
// each player.
//
// The prediction of a word adds its pace. The pace is 0 for a value that is held, like a button,
// or the change per tick of a value that moves steadily, like the aim of a turning
// player. Sums wrap at the word's width, those of angles at the full turn. Only
// changes are encoded:
//
//	changes   first change: run, in the bits that a number below the remaining inputs needs |
//	          change; then until no inputs are left: 1 and a change of the very
//	          next input, or 0; after the 0, if two or more inputs are left:
//	          0, no more changes, or 1 and run less 1 | change
//	run       number of inputs before the change that are as predicted
//	change    if ticks without input are possible, 1 bit: 1 for such a tick, which
//	          does not affect the next prediction; otherwise 1 bit per word (no bit
//	          for a single word of more than 1 bit): the word differs; at least
//	          one does | each of these words
//	word      of 1 bit: nothing, it has the other value, its pace becomes 0
//	          of 2 to 8 bits: the value | pace
//	          otherwise: its difference from the input before | pace
//	pace      nothing if the word equals that of the input before, pace 0; otherwise
//	          1 bit: 1 sets the pace to the change, 0 sets it to 0
//
// The difference of a word of n bits is taken modulo 2ⁿ, as a signed number in zigzag form
// (0, −1, 1, −2 … become 0, 1, 2, 3 …). It is encoded as the number of bits of that value, in
// the bits that 0 to n need, then these bits without the
// highest, which is 1. If a message leaves out inputs since its base, "the
// input before" the first is the last of these, as predicted.
type InputWords struct {
	W     codec.Writer
	R     codec.Reader
	State []uint32 // the value of each word in the input before, then the paces
	Bad   bool     // the data is invalid
	Gaps  bool     // ticks without input are possible

	words   []inputWord
	differs []bool // words of the current input that differ
}

// Inputs returns the words of the i-th of consecutive inputs, and whether there is an input.
type Inputs func(i int) (words []int32, there bool)

// inputWord describes a word.
type inputWord struct {
	bits uint
	turn uint64 // number of values, after which it wraps
}

// shortWord is the maximum size of a word that is encoded as its value: a difference would save nothing.
const shortWord = 8

// NewInputWords returns a coder for inputs with table t.
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

// Failed reports whether the data read so far is invalid.
func (c *InputWords) Failed() bool { return c.Bad || c.R.Err() != nil }

// ahead returns the prediction of word k, ticks from now.
func (c *InputWords) ahead(k, ticks int) uint32 {
	v, pace := c.State[k], c.State[len(c.words)+k]
	if pace == 0 || ticks == 0 {
		return v
	}
	return uint32((uint64(v) + uint64(pace)*uint64(ticks)) % c.words[k].turn)
}

// Start sets the input before, with all paces 0.
func (c *InputWords) Start(words []int32) {
	for k := range c.words {
		c.State[k] = c.cut(k, words[k])
		c.State[len(c.words)+k] = 0
	}
}

// cut returns the bits of word k that are encoded.
func (c *InputWords) cut(k int, v int32) uint32 {
	return uint32(uint64(uint32(v)) & (1<<c.words[k].bits - 1))
}

// advance makes the predicted input, ticks from now, the input before.
func (c *InputWords) advance(ticks int) {
	for k := range c.words {
		c.State[k] = c.ahead(k, ticks)
	}
}

// Skip advances over the inputs from i on that are as predicted, and returns the first that is not, or n. ticks is
// the distance from the input before to input i.
func (c *InputWords) Skip(n, i, ticks int, at Inputs) int {
	for ; i < n; i++ {
		words, there := at(i)
		if !there || !c.predicted(words, ticks) {
			break
		}
		c.advance(ticks)
		ticks = 1
	}
	return i
}

// predicted reports whether an input, ticks after the one before, is as predicted.
func (c *InputWords) predicted(words []int32, ticks int) bool {
	for k, v := range words {
		if c.cut(k, v) != c.ahead(k, ticks) {
			return false
		}
	}
	return true
}

// pace returns the change of word k.
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

// readDifference reads the output of writeDifference. The bits above size are undefined.
func (c *InputWords) readDifference(size uint) uint32 {
	n := uint(c.R.Bits(uint(codec.BitsFor(uint64(size) + 1))))
	if n == 0 || n > size {
		c.Bad = c.Bad || n > size
		return 0
	}
	z := uint32(c.R.Bits(n-1)) | 1<<(n-1)
	return z>>1 ^ -(z & 1)
}

// baseRing is the number of packets whose bases are kept. A late packet may continue from a base up to maxBack
// packets before it.
const baseRing = 2 * maxBack

// Base is the state after an input message, from which later messages continue.
type Base struct {
	seq    uint16 // of the packet
	live   bool
	acked  bool // sender: the other end has received the packet
	epoch  uint8
	every  uint8
	shift  int16
	newest uint16
}

// Bases holds the bases of the newest packets, sent or received, by sequence number of the session.
type Bases struct {
	ring        []Base   // by sequence number; nil before the first
	states      []uint32 // states of the coder, by sequence number
	words       int      // words per state
	newest      uint16   // packet
	any         bool
	acked       bool   // a packet up to maxBack before the newest may be acknowledged
	newestAcked uint16 // the newest acknowledged packet
}

// NewInputBases returns empty bases for inputs of the given number of words.
func NewInputBases(words int) *Bases { return &Bases{words: 2 * words} }

// Touch reads a byte of each cache line of the newest base to load it into the cache. The result has no meaning.
func (b *Bases) Touch() byte {
	if !b.any || b.words == 0 {
		return 0
	}
	return b.ring[b.newest%baseRing].epoch ^ byte(b.state(b.newest)[0])
}

// state returns the state of the coder after a stored packet.
func (b *Bases) state(seq uint16) []uint32 {
	i := int(seq%baseRing) * b.words
	return b.states[i : i+b.words : i+b.words]
}

// Put stores the base of packet seq, unless it is too old to be used. It removes bases that have become too old.
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
		// Bases with the same remainder as a packet in between are too old as well.
		for s := range uint16(min(d, baseRing)) {
			b.ring[(seq-s)%baseRing].live = false
		}
		b.newest = seq
	}
	e := &b.ring[seq%baseRing]
	e.seq, e.live, e.acked = seq, true, false
	e.epoch, e.every, e.shift, e.newest = m.Epoch, m.Every, m.Shift, m.Newest
	copy(b.state(seq), state)
}

// at returns the base of packet seq, or nil.
func (b *Bases) at(seq uint16) *Base {
	if !b.any {
		return nil
	}
	if e := &b.ring[seq%baseRing]; e.live && e.seq == seq {
		return e
	}
	return nil
}

// Ack records that the other end has received packet seq.
func (b *Bases) Ack(seq uint16) {
	if e := b.at(seq); e != nil {
		e.acked = true
		if !b.acked || codec.Diff(seq, b.newestAcked) > 0 {
			b.acked, b.newestAcked = true, seq
		}
	}
}

// acknowledged returns the newest base that the other end has received within maxBack packets before packet seq,
// and how many packets before, or nil.
func (b *Bases) acknowledged(seq uint16) (e *Base, back int) {
	if !b.acked {
		return nil, 0
	}
	back = codec.Diff(seq, b.newestAcked)
	if e = b.at(b.newestAcked); e == nil || back > maxBack {
		b.acked = false // no earlier one can be newer
		return nil, 0
	}
	return e, back
}

// Clear removes all bases.
func (b *Bases) Clear() {
	for i := range b.ring {
		b.ring[i].live = false
	}
}
