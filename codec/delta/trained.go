package delta

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/tactusgo/tactus/codec"
)

// Trained is what coders learned of a game's traffic: a prior of the range coder
// and, if it gains, a dictionary of zstd. Peers compare [Trained.Hash] and use it
// when they have the same, else what is built in. It does not change.
//
//	+---------------------------------------------------------------------+
//	| "tactustr" 8 B | version 1 B | schema u64                           |
//	| length varint, prior; 0 for none | length varint, dictionary or none |
//	| hash u64: FNV-1a of everything before                               |
//	+---------------------------------------------------------------------+
type Trained struct {
	prior      *Prior
	dictionary *Dictionary
	schema     uint64
	hash       uint64
}

const (
	trainedMagic   = "tactustr"
	trainedVersion = 1
	trainedTail    = 8
)

// NewTrained puts together what was learned of a layout's groups. Either may be
// nil.
func NewTrained(l *Layout, p *Prior, d *Dictionary) *Trained {
	t := &Trained{prior: p, dictionary: d, schema: l.hash()}
	b := t.Append(nil)
	t.hash = binary.LittleEndian.Uint64(b[len(b)-trainedTail:])
	return t
}

// Append appends the bytes of the file to dst, for [ParseTrained].
func (t *Trained) Append(dst []byte) []byte {
	at := len(dst)
	dst = append(append(dst, trainedMagic...), trainedVersion)
	dst = binary.LittleEndian.AppendUint64(dst, t.schema)
	var b []byte
	if t.prior != nil {
		b = t.prior.Append(nil)
	}
	dst = append(codec.AppendUvarint(dst, uint64(len(b))), b...)
	b = nil
	if t.dictionary != nil {
		b = t.dictionary.Bytes()
	}
	dst = append(codec.AppendUvarint(dst, uint64(len(b))), b...)
	return binary.LittleEndian.AppendUint64(dst, sumOf(dst[at:]))
}

// ParseTrained reads the bytes of a file.
//
// Errors: [codec.ErrShort], [codec.ErrMalformed] for what is no such file, for one
// of another version and for one that was damaged, [codec.ErrTooLarge].
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
	dict := nextBytes(&r)
	switch {
	case r.Err() != nil:
		return nil, r.Err()
	case r.Len() > 0:
		return nil, fmt.Errorf("%w: %d bytes left over", codec.ErrMalformed, r.Len())
	case sumOf(b[:len(b)-trainedTail]) != t.hash:
		return nil, fmt.Errorf("%w: its hash is another", codec.ErrMalformed)
	}
	var err error
	if len(prior) > 0 {
		if t.prior, err = ParsePrior(prior); err != nil {
			return nil, err
		}
	}
	if len(dict) > 0 {
		if t.dictionary, err = NewDictionary(dict); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// nextBytes reads bytes behind their length.
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

// Hash returns a number that two of them share only if they are the same; 0 for
// nil, which stands for what is built in.
func (t *Trained) Hash() uint64 {
	if t == nil {
		return 0
	}
	return t.hash
}

// Fits reports whether it was trained on groups of the layout.
func (t *Trained) Fits(l *Layout) bool { return t != nil && t.schema == l.hash() }

// Model returns the model of a layout with what was learned, or with what is built
// in where that does not fit the layout or t is nil.
func (t *Trained) Model(l *Layout) *Model {
	if !t.Fits(l) {
		return NewModel(l, nil)
	}
	return NewModel(l, t.prior).WithDictionary(t.dictionary)
}
