package delta

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/tactusgo/tactus/codec"
)

// Prior is what a [Model] expects before it has seen any value, instead of what
// is built in. Peers must use the same: [Prior.Hash] tells. A Prior does not
// change and may be shared.
type Prior struct {
	layout uint64 // hash of the layout that it is for
	start  []chance
	hash   uint64
}

// priorVersion changes with the contexts of the range coder.
const priorVersion = 1

// Hash returns a number that two priors share only if they are the same, 0 for
// nil, which is the built-in one.
func (p *Prior) Hash() uint64 {
	if p == nil {
		return 0
	}
	return p.hash
}

// Fits reports whether the prior is for the layout. One that is not has no effect
// on a [Model].
func (p *Prior) Fits(l *Layout) bool {
	return p != nil && p.layout == l.hash() && len(p.start) == NewModel(l, nil).size()
}

// fill sets the start of a model if the prior is for its layout.
func (p *Prior) fill(m *Model) {
	if p != nil && p.layout == m.layout.hash() && len(p.start) == len(m.start) {
		copy(m.start, p.start)
	}
}

func (m *Model) size() int { return len(m.start) }

// Append appends the prior to dst, for [ParsePrior]:
//
//	version u8 | hash of the layout u64 | contexts uvarint | 3 bytes for each: chance u16, seen u8
//
// Numbers of fixed size are little endian.
func (p *Prior) Append(dst []byte) []byte {
	dst = append(dst, priorVersion)
	dst = binary.LittleEndian.AppendUint64(dst, p.layout)
	dst = codec.AppendUvarint(dst, uint64(len(p.start)))
	for _, c := range p.start {
		dst = append(binary.LittleEndian.AppendUint16(dst, c.p), byte(c.n))
	}
	return dst
}

// ParsePrior reads what [Prior.Append] wrote. It keeps nothing of src.
//
// Errors: [codec.ErrShort] and [codec.ErrMalformed].
func ParsePrior(src []byte) (*Prior, error) {
	var r codec.ByteReader
	r.Reset(src)
	version := r.Byte()
	layout := r.Uint64()
	n := r.Uvarint()
	switch {
	case r.Err() != nil:
		return nil, fmt.Errorf("prior: %w", r.Err())
	case version != priorVersion:
		return nil, fmt.Errorf("%w: prior of version %d, not %d: train it again", codec.ErrMalformed, version, priorVersion)
	case n > uint64(r.Len())/3:
		return nil, fmt.Errorf("prior: %w", codec.ErrShort)
	case 3*int(n) != r.Len():
		return nil, fmt.Errorf("%w: prior with bytes left over", codec.ErrMalformed)
	}
	p := &Prior{layout: layout, start: make([]chance, n)}
	for i := range p.start {
		c := chance{p: r.Uint16(), n: uint16(r.Byte())}
		if c.p == 0 || c.n > mostSeen {
			return nil, fmt.Errorf("%w: prior: context %d", codec.ErrMalformed, i)
		}
		p.start[i] = c
	}
	p.seal()
	return p, nil
}

// seal sets the hash.
func (p *Prior) seal() {
	h := fnv.New64a()
	h.Write(p.Append(nil))
	p.hash = h.Sum64()
}

// hash tells layouts apart whose contexts mean different things.
func (l *Layout) hash() uint64 {
	if l.sum != 0 {
		return l.sum
	}
	return hashLines(l.lines(), l.raw)
}

// lines returns the lines of the tables, "" for none.
func (l *Layout) lines() []string {
	lines := make([]string, len(l.tables))
	for i, t := range l.tables {
		if t != nil {
			lines[i] = t.Line()
		}
	}
	return lines
}

func hashLines(lines []string, raw bool) uint64 {
	h := fnv.New64a()
	for _, line := range lines {
		fmt.Fprintf(h, "%s\n", line)
	}
	fmt.Fprintf(h, "%t", raw)
	return h.Sum64()
}
