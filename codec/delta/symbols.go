package delta

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/internal/zstd"
	"github.com/tactusgo/tactus/internal/rangecoder"
)

// The bodies of [Raw] and [Zstd] have the bits and numbers of the range coder's grammar as one sequence of numbers.
//
// A bit is surprising if its chance says that the other value is more likely. The first number, and one after each surprising
// bit, says how many bits follow that are not surprising. Numbers of the grammar come between these where they occur. Each
// number belongs to a column: those of bits to one, those of each word of a field to another, all others to a third.
//
// Raw writes the numbers in order, in an exponential Golomb code whose order adapts to the earlier numbers of the column. v is
// the number, for signed ones 0, 1, 2, 3 … for 0, −1, 1, −2 …:
//
//	q = (v >> order) + 1
//	+-----------------------+------+----------------------+---------------+
//	| bits.Len(q) − 1 zeros | 1    | q without its top 1  | v, order bits |
//	+-----------------------+------+----------------------+---------------+
//
// Zstd writes, for each column but the last, how many numbers it has, then the numbers by columns. The class of a number is
// twice the length of its magnitude in bits, less 1 if it is not negative, and 0 for 0. The classes are compressed. The bits
// below the highest of the magnitudes follow uncompressed: they look random, and would make the compression worse.
//
//	+-----------+------------+------+
//	| varint: n | zstd block | bits |
//	|           | n B        |      |
//	+-----------+------------+------+
//
// Bits fill bytes from the lowest bit up; numbers are written lowest bit first. The last byte is padded with zeros.

// The columns before those of the fields.
const (
	columnBits = iota
	columnRest
	columnFields
)

const (
	firstMean = 3 << 4    // initial mean length of the numbers of a column in bits, in 16ths
	maxPlain  = 128 << 10 // largest number of classes: the limit of a zstd block
	maxClass  = 2 * 32
)

// symbols is a [rangecoder.Sink] for the bodies of [Raw] and [Zstd].
type symbols struct {
	column  int // of the next number
	reading bool
	packed  bool // reading: the body is of Zstd
	err     error

	numbers []number // writing: all numbers in order
	sorted  []number // by column
	last    int      // index of the number of the latest surprising bit
	quiet   uint32   // writing: bits since then; reading: bits until the next one

	columns []column
	class   []byte
	low     bitReader
	out     codec.Writer
	buf     []byte
	zip     zstd.Encoder
	unzip   zstd.Decoder
	weight  uint64 // reading Zstd: share of a class in the block, in 256ths of a bit
	read    uint64 // reading Zstd: see Position
}

// number is a number of a body.
type number struct {
	column int32
	v      int32
}

// column is the state of a column.
type column struct {
	mean    int32 // Raw: of the lengths of the numbers so far, in 16ths
	count   int32 // Zstd, writing: numbers
	at, end int32 // Zstd: position of the next number; reading: end of its numbers
	low     int   // Zstd, reading: next bit
}

// order returns the order of the next number.
func (c *column) order() uint { return uint(max(c.mean-4, 0)) >> 4 }

// observe updates the mean with a number of n bits.
func (c *column) observe(n int) { c.mean += (int32(n)<<4 - c.mean) >> 3 }

// reset prepares for a body.
func (s *symbols) reset(columns int) {
	s.column, s.err, s.quiet, s.last, s.read = columnRest, nil, 0, 0, 0
	s.columns = grow(s.columns[:0], columns)
}

// forget sets the columns to their state at the start of a body.
func (s *symbols) forget() {
	for i := range s.columns {
		s.columns[i] = column{mean: firstMean}
	}
}

// write starts a body.
func (s *symbols) write(columns int) {
	s.reset(columns)
	s.reading = false
	s.numbers = append(s.numbers[:0], number{})
}

// Bit implements [rangecoder.Sink].
func (s *symbols) Bit(a, b *rangecoder.Chance, bit uint32) uint32 {
	likely := (uint32(a.P) + uint32(b.P)) >> 16
	switch {
	case s.reading:
		if bit = likely; s.quiet == 0 {
			bit ^= 1
			s.quiet = s.gap()
		} else {
			s.quiet--
		}
	case bit == likely:
		s.quiet++
	default:
		s.numbers[s.last].v = int32(s.quiet)
		s.last, s.quiet = len(s.numbers), 0
		s.numbers = append(s.numbers, number{})
	}
	if bit != 0 {
		a.One()
		if a != b {
			b.One()
		}
	} else {
		a.Zero()
		if a != b {
			b.Zero()
		}
	}
	return bit
}

// Number implements [rangecoder.Sink].
func (s *symbols) Number(_, _ *rangecoder.Row, _ *rangecoder.Lot, _ *rangecoder.Chance, v int32) int32 {
	if s.reading {
		return s.get(s.column)
	}
	s.numbers = append(s.numbers, number{int32(s.column), v})
	return v
}

// finish appends the smaller of the two bodies to dst and returns its coder.
func (s *symbols) finish(dst []byte) ([]byte, Coder) {
	s.numbers[s.last].v = int32(s.quiet)
	raw := s.appendRaw(dst)
	block := s.pack()
	if low := s.buf; block != nil && len(block)+len(low)+codec.UvarintLen(uint64(len(block))) < len(raw)-len(dst) {
		dst = codec.AppendUvarint(dst, uint64(len(block)))
		return append(append(dst, block...), low...), Zstd
	}
	return raw, Raw
}

// appendRaw appends a body of [Raw].
func (s *symbols) appendRaw(dst []byte) []byte {
	s.out.Reset(dst)
	s.forget()
	for _, x := range s.numbers {
		v := zigzag(x.v)
		if x.column == columnBits {
			v = uint32(x.v)
		}
		c := &s.columns[x.column]
		c.count++
		order := c.order()
		q := uint64(v)>>order + 1
		l := uint(bits.Len64(q)) - 1
		s.out.Bits(1<<l, l+1)
		s.out.Bits(q, l)
		s.out.Bits(uint64(v), order)
		c.observe(bits.Len32(v))
	}
	return s.out.Bytes()
}

// pack returns the compressed classes of a body of [Zstd], or nil if they are too many or do not become shorter. buf gets the
// bits.
func (s *symbols) pack() []byte {
	counts := len(s.columns) - 1
	if counts+len(s.numbers) > maxPlain {
		return nil
	}
	s.class = s.class[:0]
	s.out.Reset(s.buf[:0])
	at := int32(0)
	for i := range s.columns {
		c := &s.columns[i]
		if i < counts {
			s.put(c.count)
		}
		c.at, at = at, at+c.count
	}
	s.sorted = grow(s.sorted[:0], len(s.numbers))
	for _, x := range s.numbers {
		c := &s.columns[x.column]
		s.sorted[c.at] = x
		c.at++
	}
	for _, x := range s.sorted {
		s.put(x.v)
	}
	s.buf = s.out.Bytes()
	return s.zip.Block(s.class)
}

// put writes a number: its class and its bits.
func (s *symbols) put(v int32) {
	size, sign := uint32(v), 0
	if v < 0 {
		size, sign = -size, 1
	}
	n := bits.Len32(size)
	if n == 0 {
		s.class = append(s.class, 0)
		return
	}
	s.out.Bits(uint64(size), uint(n-1))
	s.class = append(s.class, byte(2*n-1+sign))
}

// open starts to read a body.
func (s *symbols) open(src []byte, c Coder, columns int) error {
	s.reset(columns)
	s.forget()
	s.reading, s.packed = true, c == Zstd
	s.low = bitReader{src: src}
	if s.packed {
		if err := s.unpack(src); err != nil {
			return err
		}
	}
	s.quiet = s.gap()
	return s.err
}

// unpack decompresses the classes of a body of [Zstd] and finds the columns.
func (s *symbols) unpack(src []byte) error {
	var r codec.ByteReader
	r.Reset(src)
	n := r.Uvarint()
	if n > uint64(len(src)) {
		return fmt.Errorf("%w: zstd block of %d bytes in %d", codec.ErrShort, n, len(src))
	}
	block := r.Next(int(n))
	if err := r.Err(); err != nil {
		return fmt.Errorf("%w: zstd block", err)
	}
	if len(block) >= maxPlain {
		return fmt.Errorf("%w: zstd block of %d bytes", codec.ErrTooLarge, len(block))
	}
	var err error
	if s.class, err = s.unzip.Block(block, maxPlain); err != nil {
		return fmt.Errorf("%w: zstd: %v", codec.ErrMalformed, err)
	}
	s.low = bitReader{src: r.Next(r.Len())}
	s.weight = uint64(8*costScale*(len(src)-len(s.low.src))) / uint64(max(len(s.class), 1))
	counts := len(s.columns) - 1
	all := int32(len(s.class))
	head := column{end: min(int32(counts), all)}
	at := int32(counts)
	for i := range s.columns {
		n := all - at
		if i < counts {
			n = s.take(&head)
		}
		if s.err == nil && (n < 0 || n > all-at) {
			s.err = fmt.Errorf("%w: column of %d numbers", codec.ErrMalformed, n)
		}
		if s.err != nil {
			return s.err
		}
		s.columns[i].at, s.columns[i].end = at, at+n
		at += n
	}
	low := head.low
	for i := range s.columns {
		c := &s.columns[i]
		c.low = low
		for _, class := range s.class[c.at:c.end] {
			low += max(int(class+1)/2-1, 0)
		}
	}
	if rest := 8*len(s.low.src) - low; rest < 0 {
		return codec.ErrShort
	} else if rest >= 8 || s.low.bits(low, uint(rest)) != 0 {
		return fmt.Errorf("%w: bytes after the last number", codec.ErrMalformed)
	}
	return nil
}

// take reads the next number of a column of [Zstd].
func (s *symbols) take(c *column) int32 {
	if c.at == c.end {
		s.fail(codec.ErrShort)
		return 0
	}
	class := s.class[c.at]
	c.at++
	s.read += s.weight
	if class == 0 {
		return 0
	}
	if class > maxClass {
		s.fail(fmt.Errorf("%w: class %d", codec.ErrMalformed, class))
		return 0
	}
	n := uint(class+1)/2 - 1
	size := 1<<n | uint32(s.low.bits(c.low, n))
	c.low += int(n)
	s.read += uint64(n) * costScale
	if class&1 == 0 {
		return -int32(size)
	}
	return int32(size)
}

// get reads the next number of a column; those of [columnBits] are not negative.
func (s *symbols) get(at int) int32 {
	c := &s.columns[at]
	if s.err != nil {
		return 0
	}
	if s.packed {
		return s.take(c)
	}
	order := c.order()
	r := &s.low
	l := uint(bits.TrailingZeros64(r.peek(r.at)))
	if l > 32 {
		s.fail(codec.ErrShort)
		return 0
	}
	q := 1<<l | r.bits(r.at+int(l)+1, l)
	r.at += 2*int(l) + 1
	v := (q-1)<<order | r.bits(r.at, order)
	r.at += int(order)
	switch {
	case r.at > 8*len(r.src):
		s.fail(codec.ErrShort)
		return 0
	case v > math.MaxUint32:
		s.fail(fmt.Errorf("%w: number of more than 32 bits", codec.ErrMalformed))
		return 0
	}
	c.observe(bits.Len64(v))
	if at == columnBits {
		return int32(v)
	}
	return unzigzag(uint32(v))
}

// gap reads the number of bits until the next surprising one.
func (s *symbols) gap() uint32 {
	n := s.get(columnBits)
	if n < 0 {
		s.fail(fmt.Errorf("%w: %d bits", codec.ErrMalformed, n))
		return 0
	}
	return uint32(n)
}

// fail sets err unless an earlier error is set.
func (s *symbols) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// Over implements [rangecoder.Sink].
func (s *symbols) Over() bool { return s.err != nil }

// End implements [rangecoder.Sink].
func (s *symbols) End() error {
	left := s.quiet != 0
	for i := range s.columns {
		left = left || s.columns[i].at != s.columns[i].end
	}
	if !s.packed {
		rest := 8*len(s.low.src) - s.low.at
		left = left || rest >= 8 || s.low.bits(s.low.at, uint(max(rest, 0))) != 0
	}
	if s.err == nil && left {
		s.err = fmt.Errorf("%w: data after the last entity", codec.ErrMalformed)
	}
	return s.err
}

// Position implements [rangecoder.Sink]. Each class counts the same share of the zstd block.
func (s *symbols) Position() uint64 {
	if !s.packed {
		return uint64(s.low.at) * costScale
	}
	return s.read
}

// bitReader reads bits at any position. Bits past the end are 0.
type bitReader struct {
	src []byte
	at  int // next bit of Raw
}

// peek returns at least the next 56 bits.
func (r *bitReader) peek(at int) uint64 {
	i := at >> 3
	if i+8 <= len(r.src) {
		return binary.LittleEndian.Uint64(r.src[i:]) >> (at & 7)
	}
	var v uint64
	for k := i; k < len(r.src); k++ {
		v |= uint64(r.src[k]) << (8 * (k - i))
	}
	return v >> (at & 7)
}

// bits returns n bits, n ≤ 32.
func (r *bitReader) bits(at int, n uint) uint64 {
	return r.peek(at) & (1<<n - 1)
}

// zigzag maps 0, −1, 1, −2, 2 … to 0, 1, 2, 3, 4 ….
func zigzag(v int32) uint32   { return uint32(v)<<1 ^ uint32(v>>31) }
func unzigzag(v uint32) int32 { return int32(v>>1) ^ -int32(v&1) }
