package delta

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/klauspost/compress/zstd"

	"github.com/tactusgo/tactus/codec"
)

// ErrDictionary is returned by [Decoder.Decode] for a block that was compressed
// with another dictionary than the [Model] has. It wraps [codec.ErrMalformed].
var ErrDictionary = fmt.Errorf("%w: compressed with another dictionary", codec.ErrMalformed)

// MaxDictionary is the largest size of a [Dictionary] in bytes.
const MaxDictionary = 64 << 10

// Dictionary is what zstd expects of the blocks of a game: it makes small ones
// smaller. Both sides must have the same one. It does not change and may be
// shared.
type Dictionary struct {
	zstd []byte
	id   byte
	hash uint64
}

const (
	dictionaryMagic = "\x37\xa4\x30\xec"
	dictionaryHead  = len(dictionaryMagic) + 4
)

// NewDictionary returns the dictionary in b, in the format of zstd dictionaries.
// The id in it is replaced by one of 1 to 255 that follows from its hash.
//
// Errors: [codec.ErrMalformed] for what is no dictionary, [codec.ErrTooLarge]
// above [MaxDictionary].
func NewDictionary(b []byte) (*Dictionary, error) {
	switch {
	case len(b) > MaxDictionary:
		return nil, fmt.Errorf("%w: dictionary of %d bytes, at most %d", codec.ErrTooLarge, len(b), MaxDictionary)
	case len(b) < dictionaryHead || string(b[:len(dictionaryMagic)]) != dictionaryMagic:
		return nil, fmt.Errorf("%w: no zstd dictionary", codec.ErrMalformed)
	}
	d := &Dictionary{zstd: bytes.Clone(b)}
	h := fnv.New64a()
	h.Write(b[dictionaryHead:])
	d.hash = h.Sum64()
	d.id = byte(d.hash%255) + 1
	binary.LittleEndian.PutUint32(d.zstd[len(dictionaryMagic):], uint32(d.id))
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("%w: dictionary: %v", codec.ErrMalformed, err)
	}
	return d, nil
}

// check reports whether zstd takes the dictionary, in both directions.
func (d *Dictionary) check() error {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderDict(d.zstd), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	defer enc.Close()
	dec, err := zstd.NewReader(nil, zstd.WithDecoderDicts(d.zstd), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	dec.Close()
	return nil
}

// Bytes returns the dictionary in the format of zstd. They are to be read only.
func (d *Dictionary) Bytes() []byte { return d.zstd }

// Hash tells dictionaries apart: 64-bit FNV-1a of what follows the id. Peers
// compare it before either uses the dictionary.
func (d *Dictionary) Hash() uint64 { return d.hash }

// WithDictionary returns the same model with a dictionary, nil for none.
func (m *Model) WithDictionary(d *Dictionary) *Model {
	with := *m
	with.dictionary = d
	return &with
}
