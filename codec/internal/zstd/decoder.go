package zstd

import "errors"

// Errors of a block or a frame: bytes that no compressor produces, and sizes above the limit of the caller.
var (
	errCorrupt = errors.New("corrupt")
	errOffset  = errors.New("an offset of zero")
	ErrSize    = errors.New("too large")
)

// Decoder decompresses blocks and frames. The zero value is ready to use. It keeps memory of the size of the largest block or
// frame so far and allocates nothing else. It is not safe for concurrent use.
type Decoder struct {
	in       []byte // the block and padding
	own      []byte // memory for literals that are compressed in the block
	literals []byte // remaining literals
	out      []byte
	huffman  huffman
	tables   [3]table

	// The state that a block leaves to the next one of its frame. Nil: none yet.
	code    *huffman
	last    [3]*table
	offsets [3]int
}

// begin prepares for the first block of a frame.
func (d *Decoder) begin() {
	d.out, d.code, d.last, d.offsets = d.out[:0], nil, [3]*table{}, [3]int{1, 4, 8}
}

// padding is the number of zero bytes after the input, so that eight bytes can be loaded at any position.
const padding = 8

func padded(dst, src []byte) []byte {
	var zeros [padding]byte
	return append(append(dst[:0], src...), zeros[:]...)
}

// Block decompresses the only block of a frame, without its header (section 3.1.1.3). It returns an error before it produces
// more than most bytes. The result is valid until the next call.
func (d *Decoder) Block(block []byte, most int) ([]byte, error) {
	d.begin()
	if err := d.block(block, most); err != nil {
		return nil, err
	}
	return d.out, nil
}

// block appends the content of a block to the output, which gets at most most bytes.
func (d *Decoder) block(block []byte, most int) error {
	d.in = padded(d.in, block)
	at, err := d.readLiterals(len(block), most)
	if err != nil {
		return err
	}
	if at == len(block) {
		return errCorrupt
	}
	// The number of sequences (section 3.1.1.3.2.1).
	n := int(d.in[at])
	at++
	switch {
	case n == 255:
		n = 0x7f00 + int(d.in[at]) + int(d.in[at+1])<<8
		at += 2
	case n >= 128:
		n = (n-128)<<8 | int(d.in[at])
		at++
	}
	if n > 0 {
		err = d.sequences(at, len(block), n, most)
	} else if at != len(block) {
		err = errCorrupt
	}
	if err != nil {
		return err
	}
	if len(d.out)+len(d.literals) > most {
		return ErrSize
	}
	d.out = append(d.out, d.literals...)
	return nil
}

// sequences executes n sequences, whose tables start at byte at (sections 3.1.1.3.2 and 3.1.1.4).
func (d *Decoder) sequences(at, end, n, most int) error {
	if at >= end {
		return errCorrupt
	}
	modes := d.in[at]
	if at++; modes&3 != 0 {
		return errCorrupt
	}
	var use [3]*table
	for k := range use {
		var err error
		if use[k], at, err = d.choose(k, modes>>(6-2*k)&3, at, end); err != nil {
			return err
		}
	}
	var r reader
	if !r.reset(d.in, at, end) {
		return errCorrupt
	}
	offsets := d.offsets
	ll, of, ml := use[literal], use[offset], use[match]
	l, o, m := r.readBits(ll.log), r.readBits(of.log), r.readBits(ml.log)
	for {
		x, y, z := &ll.states[l], &of.states[o], &ml.states[m]
		far := 1<<y.symbol | int(r.readBits(int(y.symbol)))
		mk, lk := &matchLengths[z.symbol], &literalLengths[x.symbol]
		more := r.readBits(int(mk.bits + lk.bits))
		length := int(mk.base) + int(more>>lk.bits)
		fresh := int(lk.base) + int(more&(1<<lk.bits-1))
		if far = resolve(&offsets, far, fresh); r.at < r.from || fresh > len(d.literals) {
			return errCorrupt
		}
		if far == 0 {
			return errOffset
		}
		if len(d.out)+fresh+length > most {
			return ErrSize
		}
		d.out = append(d.out, d.literals[:fresh]...)
		d.literals = d.literals[fresh:]
		if far > len(d.out) {
			return errCorrupt
		}
		d.repeat(far, length)
		if n--; n == 0 {
			break
		}
		states := r.readBits(int(x.bits + y.bits + z.bits))
		o = uint32(y.next) + states&(1<<y.bits-1)
		states >>= y.bits
		m = uint32(z.next) + states&(1<<z.bits-1)
		l = uint32(x.next) + states>>z.bits
	}
	if r.at != r.from {
		return errCorrupt
	}
	d.offsets = offsets
	return nil
}

// resolve returns the offset for an offset value, or 0 if it is invalid, and updates the recent offsets (section 3.1.1.5).
func resolve(last *[3]int, value, fresh int) int {
	if value > 3 {
		last[2], last[1], last[0] = last[1], last[0], value-3
		return last[0]
	}
	if fresh == 0 {
		value++
	}
	switch value {
	case 2:
		last[0], last[1] = last[1], last[0]
	case 3:
		last[0], last[1], last[2] = last[2], last[0], last[1]
	case 4:
		last[0], last[1], last[2] = last[0]-1, last[0], last[1]
	}
	return last[0]
}

// repeat appends n bytes copied from far bytes back in the output.
func (d *Decoder) repeat(far, n int) {
	for n > 0 { // the copy may overlap its source: then the available length doubles in each round
		from := d.out[len(d.out)-far:]
		from = from[:min(n, len(from))]
		d.out = append(d.out, from...)
		n -= len(from)
		far += len(from)
	}
}
