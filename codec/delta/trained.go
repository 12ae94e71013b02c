package delta

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/internal/rangecoder"
)

// Trained is the result of training on the traffic of a game: the initial chances of the coders. Peers compare [Trained.Hash]. If
// the hashes are equal they use it, otherwise the built-in prior. It never changes. The file format is:
//
//	+---------------------------------------------------------------------+
//	| "tactustr" 8 B | version 1 B | schema u64                           |
//	| length varint, prior; 0 for none                                    |
//	| hash u64: FNV-1a of everything before                               |
//	+---------------------------------------------------------------------+
type Trained struct {
	prior  *Prior
	schema uint64
	hash   uint64
}

const (
	trainedMagic   = "tactustr"
	trainedVersion = 2
	trainedTail    = 8
)

// NewTrained returns the result of training for a layout. p may be nil.
func NewTrained(l *Layout, p *Prior) *Trained {
	t := &Trained{prior: p, schema: l.hash()}
	b := t.Append(nil)
	t.hash = binary.LittleEndian.Uint64(b[len(b)-trainedTail:])
	return t
}

// Append appends the bytes of the file to dst.
func (t *Trained) Append(dst []byte) []byte {
	at := len(dst)
	dst = append(append(dst, trainedMagic...), trainedVersion)
	dst = binary.LittleEndian.AppendUint64(dst, t.schema)
	var b []byte
	if t.prior != nil {
		b = t.prior.Append(nil)
	}
	dst = codec.AppendBytes(dst, b)
	return binary.LittleEndian.AppendUint64(dst, sumOf(dst[at:]))
}

// ParseTrained parses the bytes of a file written by [Trained.Append].
//
// Errors are [codec.ErrShort], [codec.ErrTooLarge], and [codec.ErrMalformed] for other files, other versions and damaged
// files.
func ParseTrained(b []byte) (*Trained, error) {
	t, err := parseTrained(b)
	if err != nil {
		return nil, fmt.Errorf("trained: %w", err)
	}
	return t, nil
}

func parseTrained(b []byte) (*Trained, error) {
	if len(b) < trainedTail {
		return nil, codec.ErrShort
	}
	var r codec.ByteReader
	r.Reset(b[:len(b)-trainedTail])
	if magic := r.Next(len(trainedMagic)); string(magic) != trainedMagic {
		return nil, fmt.Errorf("%w: it does not begin with %q", codec.ErrMalformed, trainedMagic)
	}
	if v := r.Byte(); v != trainedVersion {
		return nil, fmt.Errorf("%w: version %d, not %d: train it again", codec.ErrMalformed, v, trainedVersion)
	}
	t := &Trained{schema: r.Uint64(), hash: binary.LittleEndian.Uint64(b[len(b)-trainedTail:])}
	prior := nextBytes(&r)
	switch {
	case r.Err() != nil:
		return nil, r.Err()
	case r.Len() > 0:
		return nil, fmt.Errorf("%w: %d bytes left over", codec.ErrMalformed, r.Len())
	case sumOf(b[:len(b)-trainedTail]) != t.hash:
		return nil, fmt.Errorf("%w: the hash does not match: the file is damaged", codec.ErrMalformed)
	}
	if len(prior) > 0 {
		var err error
		if t.prior, err = ParsePrior(prior); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// nextBytes reads a length and so many bytes.
func nextBytes(r *codec.ByteReader) []byte {
	n := r.Uvarint()
	if n > uint64(r.Len()) {
		n = uint64(r.Len()) + 1
	}
	return r.Next(int(n))
}

func sumOf(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}

// Hash returns a number that identifies the contents. It is 0 for nil, which means the built-in prior.
func (t *Trained) Hash() uint64 {
	if t == nil {
		return 0
	}
	return t.hash
}

// Fits reports whether t was trained for the layout.
func (t *Trained) Fits(l *Layout) bool { return t != nil && t.schema == l.hash() }

// Model returns the model of a layout with the trained prior. If t is nil or does not fit the layout, it
// returns the built-in model.
func (t *Trained) Model(l *Layout) *Model {
	if !t.Fits(l) {
		return NewModel(l, nil)
	}
	return NewModel(l, t.prior)
}

// Prior has the initial chances of a [Model], which replace the built-in ones. Peers must use the same Prior; compare
// [Prior.Hash]. A Prior never changes and can be shared.
type Prior struct {
	layout uint64 // hash of its layout
	start  []chance
	hash   uint64
}

// NewPrior returns a prior for a layout. start has the chances of all contexts, as in [Model.Chances], and must not change afterwards.
func NewPrior(l *Layout, start []rangecoder.Chance) *Prior {
	p := &Prior{layout: l.hash(), start: start}
	p.setHash()
	return p
}

// priorVersion changes whenever the contexts of the range coder change.
const priorVersion = 2

// Hash returns a number that identifies the prior. It is 0 for nil, the built-in prior.
func (p *Prior) Hash() uint64 {
	if p == nil {
		return 0
	}
	return p.hash
}

// Fits reports whether the prior is for the layout. A [Model] ignores priors for other layouts.
func (p *Prior) Fits(l *Layout) bool {
	return p != nil && p.layout == l.hash() && len(p.start) == NewModel(l, nil).size()
}

// applyTo sets the initial chances of a model if the prior is for its layout.
func (p *Prior) applyTo(m *Model) {
	if p != nil && p.layout == m.layout.hash() && len(p.start) == len(m.start) {
		copy(m.start, p.start)
	}
}

func (m *Model) size() int { return len(m.start) }

// Append appends the prior to dst, for [ParsePrior]:
//
//	version u8 | hash of the layout u64 | contexts uvarint | 3 bytes for each: chance u16, N u8
//
// Numbers of fixed size are little endian.
func (p *Prior) Append(dst []byte) []byte {
	dst = append(dst, priorVersion)
	dst = binary.LittleEndian.AppendUint64(dst, p.layout)
	dst = codec.AppendUvarint(dst, uint64(len(p.start)))
	for _, c := range p.start {
		dst = append(binary.LittleEndian.AppendUint16(dst, c.P), byte(c.N))
	}
	return dst
}

// ParsePrior parses a prior written by [Prior.Append]. It does not keep src. Errors are [codec.ErrShort] and
// [codec.ErrMalformed].
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
		c := chance{P: r.Uint16(), N: uint16(r.Byte())}
		if c.P == 0 || c.N > rangecoder.MostSeen {
			return nil, fmt.Errorf("%w: prior: context %d", codec.ErrMalformed, i)
		}
		p.start[i] = c
	}
	p.setHash()
	return p, nil
}

// setHash sets the hash.
func (p *Prior) setHash() {
	h := fnv.New64a()
	h.Write(p.Append(nil))
	p.hash = h.Sum64()
}

// hash returns a hash that differs between layouts whose contexts have different meanings.
func (l *Layout) hash() uint64 {
	if l.sum != 0 {
		return l.sum
	}
	return hashLines(l.lines(), l.raw)
}

// lines returns the lines of the tables, "" for components without a table.
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
