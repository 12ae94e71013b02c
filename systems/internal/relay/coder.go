package relay

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
)

// coder writes and reads inputs of consecutive ticks. Each is expected to be what
// the one before it is, which both ends have; only changes travel.
//
//	inputs   while any are left: 0, the rest is as expected, or 1 | run, in as many
//	         bits as tell the inputs left apart: so many are as expected | change
//	change   from the server 1 bit: 1, there is no input, which changes nothing of
//	         what is expected next; else, where an input has more than one
//	         word, 1 bit for each: it changes | each of these words
//	word     of up to 8 bits: the value; else its difference modulo 2ⁿ, in
//	         zigzag form: its length, in as many bits as tell 0 to n apart, and
//	         these bits without the highest
//	number   4 bits and 1 bit: 1, 4 more and so on; low ones first
type coder struct {
	table   *schema.Table
	value   []uint64 // an input as a component
	w       codec.Writer
	r       codec.Reader
	bits    []uint
	neutral []int32
	last    []int32 // what is expected
	differs []bool
	bad     bool // what is read is nothing that a coder writes
}

// shortWord is up to how many bits a word travels as its value.
const shortWord = 8

func newCoder(t *schema.Table, neutral []int32) *coder {
	c := &coder{table: t, value: make([]uint64, (t.Size+7)/8), neutral: neutral, last: make([]int32, t.Words), differs: make([]bool, t.Words)}
	for k := range t.Words {
		c.bits = append(c.bits, uint(t.WordBits(k)))
	}
	return c
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
		c.w.Bits(uint64(v&15|16), 5)
	}
	c.w.Bits(uint64(v), 5)
}

// signed writes v, −4..3 in one group.
func (c *coder) signed(v int32) { c.number(uint32(v)<<1 ^ uint32(v>>31)) }

// readNumber reads a number up to limit.
func (c *coder) readNumber(limit uint32) uint32 {
	v := uint64(0)
	for shift := 0; shift < 32; shift += 4 {
		g := c.r.Bits(5)
		v |= g & 15 << shift
		if g < 16 {
			if v > uint64(limit) {
				break
			}
			return uint32(v)
		}
	}
	c.bad = true
	return 0
}

func (c *coder) readSigned() int32 {
	v := c.readNumber(1<<32 - 1)
	return int32(v>>1) ^ -int32(v&1)
}

// failed reports whether what was read cannot be used.
func (c *coder) failed() bool { return c.bad || c.r.Err() != nil }

// expect begins with the input before the first; nil is the neutral one.
func (c *coder) expect(before []int32) {
	if before == nil {
		before = c.neutral
	}
	copy(c.last, before)
}

// run is how many of n inputs of l from tick on are as expected.
func (c *coder) run(l *lane, tick uint32, n int) int {
	for i := range n {
		if at := tick + uint32(i); l.at(at) != real || !slices.Equal(l.input(at), c.last) {
			return i
		}
	}
	return n
}

// write writes n inputs of l from tick on, with what is expected at first.
func (c *coder) write(l *lane, tick uint32, n int, before []int32, voids bool) {
	c.expect(before)
	for n > 0 {
		run := c.run(l, tick, n)
		c.w.Bool(run < n)
		if run == n {
			return
		}
		c.w.Bits(uint64(run), uint(codec.BitsFor(uint64(n))))
		tick += uint32(run)
		gone := l.at(tick) != real
		if voids {
			c.w.Bool(gone)
		}
		if !gone {
			c.writeChange(l.input(tick))
		}
		tick++
		n -= run + 1
	}
}

// fit is how many of n inputs of l from tick on take no more bits than room.
func (c *coder) fit(l *lane, tick uint32, n int, before []int32, room int) int {
	if room < 2 {
		return 0
	}
	c.expect(before)
	head := 3 + codec.BitsFor(uint64(n))
	for i := 0; i < n; i++ {
		run := c.run(l, tick+uint32(i), n-i)
		if i += run; i == n {
			break
		}
		at := tick + uint32(i)
		if room -= head; l.at(at) == real {
			room -= c.changeBits(l.input(at))
		}
		if room < 0 {
			return i
		}
	}
	return n
}

func (c *coder) writeChange(words []int32) {
	for k := 0; k < len(words) && len(words) > 1; k++ {
		c.w.Bool(words[k] != c.last[k])
	}
	for k, v := range words {
		if v == c.last[k] && len(words) > 1 {
			continue
		}
		if n := c.bits[k]; n <= shortWord {
			c.w.Bits(uint64(uint32(v)), n)
		} else {
			z := zigzag(v-c.last[k], n)
			length := bits.Len32(z)
			c.w.Bits(uint64(length), uint(codec.BitsFor(uint64(n)+1)))
			if length > 1 {
				c.w.Bits(uint64(z), uint(length-1))
			}
		}
		c.last[k] = v
	}
}

// changeBits is how many bits writeChange would write at most; it goes on as if it had.
func (c *coder) changeBits(words []int32) (n int) {
	for k, v := range words {
		n++
		if size := c.bits[k]; v != c.last[k] || len(words) == 1 {
			n += codec.BitsFor(uint64(size)+1) + int(size)
		}
		c.last[k] = v
	}
	return n
}

// read reads n inputs and gives them to f, by place; words are nil where there is
// none, and good until f returns.
func (c *coder) read(n int, before []int32, voids bool, f func(i int, words []int32)) {
	c.expect(before)
	for i := 0; i < n && !c.failed(); {
		run := n - i
		change := c.r.Bool()
		if change {
			run = int(c.r.Bits(uint(codec.BitsFor(uint64(n - i)))))
			if run >= n-i {
				c.bad = true
				return
			}
		}
		if c.failed() {
			return
		}
		for range run {
			f(i, c.last)
			i++
		}
		if !change {
			return
		}
		words := c.last
		if voids && c.r.Bool() {
			words = nil
		} else {
			c.readChange()
		}
		if c.failed() {
			return
		}
		f(i, words)
		i++
	}
}

func (c *coder) readChange() {
	words := c.last
	for k := range words {
		c.differs[k] = len(words) == 1 || c.r.Bool()
	}
	for k := range words {
		if !c.differs[k] {
			continue
		}
		n := c.bits[k]
		if n <= shortWord {
			words[k] = int32(uint32(c.r.Bits(n)))
			continue
		}
		length := uint(c.r.Bits(uint(codec.BitsFor(uint64(n) + 1))))
		if length > n {
			c.bad = true
			return
		}
		z := uint32(0)
		if length > 0 {
			z = uint32(1)<<(length-1) | uint32(c.r.Bits(length-1))
		}
		words[k] = cut(words[k]+unzigzag(z), n)
	}
}

// zigzag is a difference of words of n bits, small both ways.
func zigzag(d int32, n uint) uint32 {
	d = d << (32 - n) >> (32 - n)
	return (uint32(d)<<1 ^ uint32(d>>31)) & uint32(1<<n-1)
}

func unzigzag(z uint32) int32 { return int32(z>>1) ^ -int32(z&1) }

// cut is the part of a word of n bits that travels.
func cut(v int32, n uint) int32 { return int32(uint64(uint32(v)) & (1<<n - 1)) }

// end checks that nothing is left but zero bits up to the next byte.
func (c *coder) end() bool {
	c.r.Align()
	return !c.failed() && c.r.Remaining() == 0
}
