package delta

import (
	"math/bits"
)

// The tests named Wire have a decoder of the range coder's bodies that is written
// from docs/spec/wire-blocks.md and shares nothing with the package: its agreement with
// the encoder shows that the document is enough to write one.

// wireChance is p and n of a chance.
type wireChance struct{ p, n uint32 }

type wireRanger struct {
	src         []byte
	width, code uint64
	at          int
}

func (r *wireRanger) begin(src []byte) {
	*r = wireRanger{src: src, width: 1<<64 - 1}
	r.code = r.word()<<32 | r.word()
}

func (r *wireRanger) word() (v uint64) {
	for range 4 {
		v <<= 8
		if r.at < len(r.src) {
			v |= uint64(r.src[r.at])
		}
		r.at++
	}
	return v
}

func (r *wireRanger) shift() {
	if r.width < 1<<32 {
		r.width <<= 32
		r.code = r.code<<32 | r.word()
	}
}

func (r *wireRanger) split(p uint32) int {
	bound := (r.width >> 16) * uint64(p)
	bit := 0
	if r.code < bound {
		r.width, bit = bound, 1
	} else {
		r.code -= bound
		r.width -= bound
	}
	r.shift()
	return bit
}

func (c *wireChance) learn(bit int) {
	step := 655360 / (10*c.n + 16)
	if bit == 1 {
		c.p += (65535 - c.p) * step >> 16
	} else {
		c.p -= c.p * step >> 16
	}
	c.n = min(c.n+1, 39)
}

func (r *wireRanger) even(k int) (v uint32) {
	for k > 0 {
		n := min(k, 16)
		part := r.width >> n
		q := min(r.code/part, 1<<n-1)
		r.code -= q * part
		r.width = part
		r.shift()
		v = v<<n | uint32(q)
		k -= n
	}
	return v
}

// ended reports whether the rest of the body is the end that an encoder writes.
func (r *wireRanger) ended() bool {
	k := len(r.src) - (r.at - 8)
	if k < 0 || k > 8 {
		return false
	}
	low := uint64(0)
	for i := r.at - 8; i < r.at; i++ {
		low <<= 8
		if i < len(r.src) {
			low |= uint64(r.src[i])
		}
	}
	low -= r.code
	for j := range 8 {
		up := -low
		if j > 0 {
			up &= 1<<(64-8*j) - 1
		}
		if up < r.width {
			return j == k && up == r.code
		}
	}
	return k == 8 && r.code == 0
}

// wireBlock is a body that is read: the coder, the contexts, and the state that the document names.
type wireBlock struct {
	wireRanger
	symbols *wireSymbols // instead of the range coder, or nil
	column  int          // of the next number
	ctx     []wireChance
	named   map[string]int
	layout  *Layout
	parts   []Part
	plans   map[uint64]*wirePlan

	news, runs, ref uint32
	run, runQ       [4]int
	age, from, to   int64
	known           map[[2]int]bool // slots whose record is known
	calm            map[[2]int]bool // by part and run
	last            map[uint64][]int32
	history, quiet  int
	kinds           int
}

func (b *wireBlock) bit(i int) int {
	c := &b.ctx[i]
	if b.symbols != nil {
		v := b.symbols.bit(c.p >= 1<<15)
		c.learn(v)
		return v
	}
	v := b.split(c.p)
	c.learn(v)
	return v
}

// x returns the context i of a name.
func (b *wireBlock) x(name string, i int) int { return b.named[name] + i }

func (b *wireBlock) flag(name string, i int) bool { return b.bit(b.x(name, i)) == 1 }

func (b *wireBlock) pair(i, j int) int {
	if b.symbols != nil {
		v := b.symbols.bit(b.ctx[i].p+b.ctx[j].p >= 1<<16)
		b.ctx[i].learn(v)
		b.ctx[j].learn(v)
		return v
	}
	v := b.split((b.ctx[i].p + b.ctx[j].p) >> 1)
	b.ctx[i].learn(v)
	b.ctx[j].learn(v)
	return v
}

func (b *wireBlock) number(rowA, rowB, lot, sign int) int32 {
	if b.symbols != nil {
		return b.symbols.number(b.column)
	}
	s := 0
	for s < 32 && b.pair(rowA+min(s, 19), rowB+min(s, 19)) == 1 {
		s++
	}
	if s == 0 {
		return 0
	}
	negative := b.bit(sign) == 1
	m := uint32(1)
	i := lot + 4*min(s, 19)
	if s > 1 {
		t := b.bit(i)
		m = 2*m + uint32(t)
		if s > 2 {
			m = 2*m + uint32(b.bit(i+1+t))
		}
		if s > 3 {
			m = m<<(s-3) + b.even(s-3)
		}
	}
	if negative {
		return -int32(m)
	}
	return int32(m)
}

func wireSize(v int64) int {
	if v < 0 {
		v = -v
	}
	return bits.Len64(uint64(v))
}

func wireAbs(v int64) int64 {
	if v < 0 {
		return -v
	}
	return v
}

func wireSign(v int32) int {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}
