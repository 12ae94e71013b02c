package delta

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/internal/zstd"
)

// maxPlain is the largest size of what is compressed, in bytes: what a block of zstd can hold.
const maxPlain = 128 << 10

// inflater decompresses. The zero value is ready. It holds at most [maxPlain] of
// what it decompressed, whatever it is given.
type inflater struct{ zstd.Decoder }

// inflate decompresses a block. What it returns is valid until the next call.
func (d *inflater) inflate(block []byte, dict *Dictionary) ([]byte, error) {
	if len(block) >= maxPlain {
		return nil, fmt.Errorf("%w: zstd block of %d bytes", codec.ErrTooLarge, len(block))
	}
	out, err := d.Block(block, dict.zstd(), maxPlain)
	if err != nil {
		return nil, fmt.Errorf("%w: zstd: %v", codec.ErrMalformed, err)
	}
	return out, nil
}

// ErrDictionary is returned by [Decoder.Decode] for a block that was compressed
// with another dictionary than the [Model] has. It wraps [codec.ErrMalformed].
var ErrDictionary = fmt.Errorf("%w: compressed with another dictionary", codec.ErrMalformed)

// MaxDictionary is the largest size of a [Dictionary] in bytes.
const MaxDictionary = 64 << 10

// Dictionary is what zstd expects of the blocks of a game: it makes small ones
// smaller. Both sides must have the same one. It does not change and may be
// shared.
type Dictionary struct {
	raw  []byte
	read *zstd.Dictionary
	id   byte
	hash uint64
}

// zstd returns nil for no dictionary.
func (d *Dictionary) zstd() *zstd.Dictionary {
	if d == nil {
		return nil
	}
	return d.read
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
	d := &Dictionary{raw: bytes.Clone(b)}
	h := fnv.New64a()
	h.Write(b[dictionaryHead:])
	d.hash = h.Sum64()
	d.id = byte(d.hash%255) + 1
	binary.LittleEndian.PutUint32(d.raw[len(dictionaryMagic):], uint32(d.id))
	var err error
	if d.read, err = zstd.NewDictionary(d.raw); err != nil {
		return nil, fmt.Errorf("%w: dictionary: %v", codec.ErrMalformed, err)
	}
	return d, nil
}

// Bytes returns the dictionary in the format of zstd. They are to be read only.
func (d *Dictionary) Bytes() []byte { return d.raw }

// Hash tells dictionaries apart: 64-bit FNV-1a of what follows the id. Peers
// compare it before either uses the dictionary.
func (d *Dictionary) Hash() uint64 { return d.hash }

// WithDictionary returns the same model with a dictionary, nil for none.
func (m *Model) WithDictionary(d *Dictionary) *Model {
	with := *m
	with.dictionary = d
	return &with
}
