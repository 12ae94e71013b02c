package delta

import (
	"fmt"
	"math/bits"

	"github.com/tactusgo/tactus/codec"
)

// A column has the residuals of one word for all entities with the component that are new or not as predicted. Its forms:
//
//	0  they are all zero; nothing follows
//	1  each, signed
//	2  the set of those that are not zero, and for each of these, signed, less 1
//	3  each less the one before, signed, modulo 2^32
//	4  each, none below zero
//	5… one to four bytes of each, none below zero, with [Zstd] only: a number whose
//	   bits name the bytes that look random, then the lowest byte of all, the next
//	   of all and so on; those named among the bits, the others among what zstd sees
//
// A signed number is written as 0, 1, 2, 3 … for 0, −1, 1, −2 ….

// The forms of columns and their values in the wire format.
const (
	columnZero = iota
	columnSigned
	columnSome
	columnSteps
	columnPlain
	columnBytes
	columnForms = columnBytes + 4
)

// component writes the columns of component c, which has the given number of words.
func (b *byteEncoder) component(c, words int) {
	b.col = b.col[:0]
	some := false
	for i := range b.rows {
		r := &b.rows[i]
		if r.mask>>c&1 == 0 {
			continue
		}
		b.col = append(b.col, r.at)
		if !some {
			for _, v := range b.res[r.at:][:words] {
				some = some || v != 0
			}
		}
		r.at += int32(words)
	}
	if len(b.col) == 0 || words == 0 {
		return
	}
	if !some {
		b.put.put(numColumn, 0)
		return
	}
	b.put.put(numColumn, 1)
	for k := range words {
		b.column(b.col, k)
	}
}

// column writes a column: the residuals at the indices at, plus on.
func (b *byteEncoder) column(at []int32, on int) {
	res := b.res[on:]
	n, below := 0, false
	top := int32(0)
	for _, i := range at {
		if v := res[i]; v != 0 {
			n++
			below = below || v < 0
			top |= v
		}
	}
	form, plain := columnSigned, uint32(0)
	switch {
	case n == 0:
		form = columnZero
	case n*4 <= len(at):
		form = columnSome
	case len(at) >= columnLong:
		form, plain = b.cheapest(at, res, below, top)
	case !below:
		form = columnPlain
	}
	b.put.put(numColumn, uint32(form))
	switch form {
	case columnSigned:
		for _, i := range at {
			b.put.signed(numValue, res[i])
		}
	case columnSome:
		b.put.put(numGap, uint32(n))
		last := -1
		for k, i := range at {
			if v := res[i]; v != 0 {
				b.put.put(numGap, uint32(k-last-1))
				b.put.put(numValue, zigzag(v)-1)
				last = k
			}
		}
	case columnSteps:
		last := int32(0)
		for _, i := range at {
			b.put.signed(numValue, res[i]-last)
			last = res[i]
		}
	case columnPlain:
		for _, i := range at {
			b.put.put(numValue, uint32(res[i]))
		}
	case columnZero:
	default:
		b.put.put(numColumn, plain)
		for p := range form - columnBytes + 1 {
			for _, i := range at {
				if v := byte(res[i] >> (8 * p)); plain>>p&1 != 0 {
					b.put.low.Bits(uint64(v), 8)
				} else {
					b.put.class = append(b.put.class, v)
				}
			}
		}
	}
}

// columnLong is the smallest number of entities for which the encoder compares the forms.
const columnLong = 16

// randomByte is the information in a byte, in 16ths of a bit, above which compressing the byte makes the compression of the
// rest worse by more than it gains.
const randomByte = 13 << 3

// cheapest returns the form of a column that compresses best, estimated from the entropy of its bytes and the number of
// bits outside of them. plain names the bytes of a byte column that look random.
func (b *byteEncoder) cheapest(at, res []int32, below bool, top int32) (form int, plain uint32) {
	form = columnSigned
	least := b.classCost(at, res, func(v, _ int32) uint32 { return zigzag(v) })
	if !below {
		form = columnPlain
		least = b.classCost(at, res, func(v, _ int32) uint32 { return uint32(v) })
	}
	if cost := b.classCost(at, res, func(v, last int32) uint32 { return zigzag(v - last) }); cost < least {
		form, least = columnSteps, cost
	}
	if below || !b.put.packed {
		return form, 0
	}
	planes := max(1, (bits.Len32(uint32(top))+7)/8)
	sum := 0
	for p := range planes {
		clear(b.hist[:])
		for _, i := range at {
			b.hist[byte(res[i]>>(8*p))]++
		}
		cost := entropy(b.hist[:], len(at))
		if cost > randomByte*len(at) {
			cost = len(at) * 8 << 4
			plain |= 1 << p
		}
		sum += cost
	}
	if sum < least {
		return columnBytes + planes - 1, plain
	}
	return form, 0
}

// classCost returns the cost of a column of numbers, in 16ths of a bit.
func (b *byteEncoder) classCost(at, res []int32, number func(v, last int32) uint32) int {
	hist := b.hist[:maxClass+1]
	clear(hist)
	cost, last := 0, int32(0)
	for _, i := range at {
		n := bits.Len32(number(res[i], last))
		last = res[i]
		hist[n]++
		cost += max(0, n-1) << 4
	}
	return cost + entropy(hist, len(at))
}

// entropy returns the information of n symbols with these counts, in 16ths of a bit.
func entropy(hist []int32, n int) int {
	sum := n * log16(n)
	for _, c := range hist {
		if c > 0 {
			sum -= int(c) * log16(int(c))
		}
	}
	return sum
}

// log16 returns about 16 times the binary logarithm of n > 0.
func log16(n int) int {
	k := bits.Len(uint(n)) - 1
	return k<<4 + (n<<4>>k - 16)
}

// column reads a column: the residuals at the indices at, plus on.
func (b *byteDecoder) column(at []int32, on int) {
	res := b.res[on:]
	form := b.num.get(numColumn)
	switch form {
	case columnZero:
	case columnSigned:
		for _, i := range at {
			res[i] = b.num.signed(numValue)
		}
	case columnSome:
		b.sparseColumn(at, res)
	case columnSteps:
		last := int32(0)
		for _, i := range at {
			last += b.num.signed(numValue)
			res[i] = last
		}
	case columnPlain:
		for _, i := range at {
			res[i] = int32(b.num.get(numValue))
		}
	default:
		if form >= columnForms || !b.num.packed {
			b.num.fail(fmt.Errorf("%w: form %d of a column", codec.ErrMalformed, form))
			return
		}
		plain := b.num.get(numColumn)
		for p := range form - columnBytes + 1 {
			if plain>>p&1 != 0 {
				for _, i := range at {
					res[i] |= int32(b.num.readBits(8)) << (8 * p)
				}
				continue
			}
			for j, v := range b.num.planes(len(at)) {
				res[at[j]] |= int32(v) << (8 * p)
			}
		}
	}
}

// sparseColumn reads a column in which few residuals are not zero.
func (b *byteDecoder) sparseColumn(at, res []int32) {
	n := b.num.gap()
	k := -1
	for range n {
		k += b.num.gap() + 1
		if k >= len(at) {
			b.num.fail(fmt.Errorf("%w: set of residuals", codec.ErrMalformed))
			return
		}
		res[at[k]] = unzigzag(b.num.get(numValue) + 1)
		if b.num.err != nil {
			return
		}
	}
}
