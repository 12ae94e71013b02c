package zstd

import (
	"encoding/binary"
	"math/bits"
)

// reader reads a bit stream from its end to its start (section 4.1).
type reader struct {
	in       []byte // padded
	from, at int    // the remaining bits are those from from to at
}

// reset starts reading the bytes up to end. The highest one-bit marks the end of the stream.
func (r *reader) reset(in []byte, from, end int) bool {
	if from >= end || in[end-1] == 0 {
		return false
	}
	r.in, r.from, r.at = in, 8*from, 8*(end-1)+bits.Len8(in[end-1])-1
	return true
}

// readBits reads up to 32 bits. If fewer are left, it returns 0, and at stays below from.
func (r *reader) readBits(n int) uint32 {
	if r.at -= n; r.at < r.from {
		return 0
	}
	return uint32(binary.LittleEndian.Uint64(r.in[r.at>>3:]) >> (r.at & 7) & (1<<n - 1))
}

// The tables of a block, in the order of the modes.
const (
	literal = iota
	offset
	match
)

// The modes of tables (section 3.1.1.3.2.1).
const (
	predefined = iota
	oneSymbol
	described
	asBefore
)

// maxLog is the largest number of bits of a state. Offsets need one bit less.
const maxLog = 9

// kinds has the number of symbols and the predefined table of each kind (section 3.1.1.3.2.2).
var kinds = [3]struct {
	symbols    int
	predefined *table
}{
	{36, newTable(6, []int16{
		4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1,
	})},
	{31, newTable(5, []int16{
		1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1,
	})},
	{53, newTable(6, []int16{
		1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
	})},
}

// choose returns the table for a mode and the end of its description.
func (d *Decoder) choose(k int, mode byte, at, end int) (t *table, to int, err error) {
	switch mode {
	case predefined:
		t = kinds[k].predefined
	case oneSymbol:
		if at >= end || int(d.in[at]) >= kinds[k].symbols {
			return nil, 0, errCorrupt
		}
		t = &d.tables[k]
		t.log, t.states[0] = 0, state{symbol: d.in[at]}
		at++
	case described:
		t = &d.tables[k]
		if at, err = t.read(d.in, at, end, maxLog, kinds[k].symbols); err != nil {
			return nil, 0, err
		}
	default:
		if t = d.last[k]; t == nil {
			return nil, 0, errCorrupt
		}
	}
	d.last[k] = t
	return t, at, nil
}

// table decodes symbols by finite state entropy coding (section 4.1).
type table struct {
	log    int
	states [1 << maxLog]state
}

// state has a symbol, and the base and the number of further bits of the next state.
type state struct {
	next         uint16
	symbol, bits uint8
}

func newTable(log int, counts []int16) *table {
	t := new(table)
	t.build(log, counts)
	return t
}

// read reads the description of a table and returns its end (section 4.1.1).
func (t *table) read(in []byte, at, end, most, symbols int) (int, error) {
	if at >= end {
		return 0, errCorrupt
	}
	var counts [256]int16
	log, bit, n := int(in[at]&15)+5, 8*at+4, 0
	if log > most {
		return 0, errCorrupt
	}
	next := func() uint32 { return binary.LittleEndian.Uint32(in[min(bit>>3, end):]) >> (bit & 7) }
	for left := 1 << log; left > 0; {
		// A number of 0 to left + 1. Small numbers have one bit less.
		width := bits.Len(uint(left + 1))
		few := 1<<width - 2 - left
		v := int(next()) & (1<<width - 1)
		switch low := v & (1<<width>>1 - 1); {
		case low < few:
			v, width = low, width-1
		case v > low:
			v -= few
		}
		if bit += width; n >= symbols {
			return 0, errCorrupt
		}
		counts[n] = int16(v - 1)
		n++
		left -= max(v-1, 1-v)
		for more := 3; v == 1 && more == 3; bit += 2 {
			more = int(next() & 3)
			if n += more; n > symbols {
				return 0, errCorrupt
			}
		}
		if left < 0 || bit > 8*end {
			return 0, errCorrupt
		}
	}
	t.build(log, counts[:n])
	return (bit + 7) / 8, nil
}

// build makes the states from the frequency of each symbol, in units of 2^-log; −1 means less than one.
func (t *table) build(log int, counts []int16) {
	t.log = log
	size := 1 << log
	mask, high := size-1, size-1
	var next [256]uint16
	for s, n := range counts {
		if next[s] = uint16(n); n < 0 {
			next[s] = 1
			t.states[high].symbol = uint8(s)
			high--
		}
	}
	at, step := 0, size>>1+size>>3+3
	for s, n := range counts {
		for range n {
			t.states[at].symbol = uint8(s)
			for at = (at + step) & mask; at > high; {
				at = (at + step) & mask
			}
		}
	}
	for i := range t.states[:size] {
		s := &t.states[i]
		n := next[s.symbol]
		next[s.symbol]++
		s.bits = uint8(log + 1 - bits.Len16(n))
		s.next = n<<s.bits - uint16(size)
	}
}

// length is the smallest value of a length symbol and its number of further bits (section 3.1.1.3.2.1.1).
type length struct {
	base uint32
	bits uint8
}

var literalLengths, matchLengths [53]length // by symbol

func init() {
	setLengths(literalLengths[:36], 0, 16, "\x01\x01\x01\x01\x02\x02\x03\x03\x04\x06")
	setLengths(matchLengths[:], 3, 32, "\x01\x01\x01\x01\x02\x02\x03\x03\x04\x04\x05\x07")
}

// setLengths sets lengths, the first with the value least. The first plain symbols have no further bits, the next have the
// numbers of bits in some, and each later symbol has one bit more than its predecessor.
func setLengths(all []length, least uint32, plain int, some string) {
	for i := range all {
		b := uint8(0)
		switch j := i - plain; {
		case j >= len(some):
			b = all[i-1].bits + 1
		case j >= 0:
			b = some[j]
		}
		all[i] = length{least, b}
		least += 1 << b
	}
}
