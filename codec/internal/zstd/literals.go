package zstd

import (
	"encoding/binary"
	"math/bits"
)

// The types of the literals of a block (section 3.1.1.3.1.1).
const (
	rawLiterals = iota
	oneLiteral
	codedLiterals
	codedAsBefore
)

// readLiterals reads the literals of a block and returns the end of their section (section 3.1.1.3.1).
func (d *Decoder) readLiterals(end, most int) (at int, err error) {
	// The header: two bits of the type, two bits of the size format, and the sizes.
	head := binary.LittleEndian.Uint64(d.in)
	kind, format := head&3, head>>2&3
	if kind < codedLiterals {
		at = 1
		size := int(head >> 3 & 0x1f)
		switch format {
		case 1:
			at, size = 2, int(head>>4&0xfff)
		case 3:
			at, size = 3, int(head>>4&0xfffff)
		}
		long := size
		if kind == oneLiteral {
			long = 1
		}
		if size > most {
			return 0, ErrSize
		}
		if at+long > end {
			return 0, errCorrupt
		}
		if d.literals = d.in[at : at+long]; kind == oneLiteral {
			d.makeLiterals(size)
			for i := range d.literals {
				d.literals[i] = d.in[at]
			}
		}
		return at + long, nil
	}
	width := max(10, 4*format+6) // 10, 10, 14, 18
	at = 3 + max(0, int(format)-1)
	size, coded := int(head>>4&(1<<width-1)), int(head>>(4+width)&(1<<width-1))
	if size > most {
		return 0, ErrSize
	}
	last := at + coded
	if last > end {
		return 0, errCorrupt
	}
	if kind == codedLiterals {
		d.code = &d.huffman
		if at, err = d.code.read(d.in, at, last); err != nil {
			return 0, err
		}
	}
	h := d.code
	if h == nil {
		return 0, errCorrupt
	}
	d.makeLiterals(size)
	if format == 0 {
		return last, h.decode(d.literals, d.in, at, last)
	}
	// Four streams, preceded by the sizes of the first three (section 3.1.1.3.1.6).
	sizes := binary.LittleEndian.Uint64(d.in[at:])
	each, rest := (size+3)/4, d.literals
	if at += 6; 3*each > size {
		return 0, errCorrupt
	}
	for i := range 4 {
		next := last
		if i < 3 {
			next = at + int(sizes>>(16*i)&0xffff)
		}
		if next > last {
			return 0, errCorrupt
		}
		part := rest[:min(each, len(rest))]
		if err := h.decode(part, d.in, at, next); err != nil {
			return 0, err
		}
		at, rest = next, rest[len(part):]
	}
	return last, nil
}

// makeLiterals allocates memory for literals.
func (d *Decoder) makeLiterals(size int) {
	if cap(d.own) < size {
		d.own = make([]byte, size)
	}
	d.literals = d.own[:size]
}

const (
	maxWeight  = 11 // largest weight and largest number of bits of a Huffman code
	weightsLog = 6  // largest log of the table of weights
)

// huffman is a Huffman code (section 4.2).
type huffman struct {
	log   int
	codes [1 << maxWeight]uint16 // symbol<<8 | bits, by the next bits of the stream
}

// read reads the description of a code and returns its end (section 4.2.1).
func (h *huffman) read(in []byte, at, end int) (int, error) {
	if at >= end {
		return 0, errCorrupt
	}
	var weights [256]uint8
	n := int(in[at])
	if at++; n < 128 {
		var err error
		if n, err = readWeights(&weights, in, at, at+n, end); err != nil {
			return 0, err
		}
		at += int(in[at-1])
	} else {
		n -= 127
		if at+(n+1)/2 > end {
			return 0, errCorrupt
		}
		for i := range n {
			weights[i] = in[at+i/2] >> (4 * (1 - i&1)) & 0xf
		}
		at += (n + 1) / 2
	}
	// The last weight makes the sum a power of two.
	sum := 0
	var count, next [maxWeight + 1]int
	for _, w := range weights[:n] {
		if w > maxWeight {
			return 0, errCorrupt
		}
		sum += 1 << w >> 1
		count[w]++
	}
	h.log = bits.Len(uint(sum))
	left := 1<<h.log - sum
	if sum == 0 || h.log > maxWeight || left&(left-1) != 0 {
		return 0, errCorrupt
	}
	weights[n] = uint8(bits.Len(uint(left)))
	if count[weights[n]]++; count[1] < 2 {
		return 0, errCorrupt
	}
	for w := 1; w < maxWeight; w++ {
		next[w+1] = next[w] + count[w]<<w>>1
	}
	for s, w := range weights[:n+1] {
		if w > 0 {
			code := uint16(s)<<8 | uint16(h.log+1-int(w))
			for range 1 << w >> 1 {
				h.codes[next[w]] = code
				next[w]++
			}
		}
	}
	return at, nil
}

// readWeights reads compressed weights up to byte to and returns their number. Two states alternate until the bits are used
// up (section 4.2.1.2).
func readWeights(weights *[256]uint8, in []byte, at, to, end int) (n int, err error) {
	if to > end {
		return 0, errCorrupt
	}
	var t table
	if at, err = t.read(in, at, to, weightsLog, 256); err != nil {
		return 0, err
	}
	var r reader
	if !r.reset(in, at, to) {
		return 0, errCorrupt
	}
	now, other := r.readBits(t.log), r.readBits(t.log)
	if r.at < r.from {
		return 0, errCorrupt
	}
	for ; n < 254; n++ {
		s := &t.states[now]
		weights[n] = s.symbol
		now = uint32(s.next) + r.readBits(int(s.bits))
		if now, other = other, now; r.at < r.from {
			weights[n+1] = t.states[now].symbol
			return n + 2, nil
		}
	}
	return 0, errCorrupt
}

// decode fills dst from the stream between two bytes, which must contain no more symbols.
func (h *huffman) decode(dst, in []byte, from, to int) error {
	var r reader
	if !r.reset(in, from, to) {
		return errCorrupt
	}
	at, log, mask := r.at, h.log, uint64(1)<<h.log-1
	for i := 0; i < len(dst); {
		if at < r.from {
			return errCorrupt
		}
		// Eight bytes contain at least five codes. Near the end they include bytes before the stream; the check after the loop
		// finds a stream that used them.
		low := max(at-56, 0) &^ 7
		v := binary.LittleEndian.Uint64(in[low>>3:])
		left := at - low
		for ; left >= log && i < len(dst); i++ {
			c := h.codes[v>>((left-log)&63)&mask&(1<<maxWeight-1)]
			dst[i] = uint8(c >> 8)
			left -= int(c & 0xff)
		}
		at = low + left
	}
	if at != r.from {
		return errCorrupt
	}
	return nil
}
