package delta

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/internal/zstd"
)

// maxPlain is the largest size in bytes of data before compression: the limit of a zstd block.
const maxPlain = 128 << 10

// inflater decompresses blocks to at most [maxPlain] bytes. The zero value is ready to use.
type inflater struct{ zstd.Decoder }

// inflate decompresses a block. The result is valid until the next call.
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

// ErrDictionary means that a block was compressed with a different dictionary than that of the [Model]. [Decoder.Decode]
// returns it. It wraps [codec.ErrMalformed].
var ErrDictionary = fmt.Errorf("%w: compressed with a different dictionary", codec.ErrMalformed)

// MaxDictionary is the largest size of a [Dictionary] in bytes.
const MaxDictionary = 64 << 10

// Dictionary is a zstd dictionary for the blocks of a game, which makes small blocks smaller. Both sides must use the same
// dictionary. It never changes and can be shared.
type Dictionary struct {
	raw  []byte
	read *zstd.Dictionary
	id   byte
	hash uint64
}

// zstd returns the zstd dictionary, or nil if d is nil.
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

// NewDictionary returns the dictionary in b, in the zstd dictionary format. It replaces the id by one of 1 to 255, derived
// from the hash.
//
// Errors are [codec.ErrMalformed] for invalid dictionaries and [codec.ErrTooLarge] above [MaxDictionary].
func NewDictionary(b []byte) (*Dictionary, error) {
	switch {
	case len(b) > MaxDictionary:
		return nil, fmt.Errorf("%w: dictionary of %d bytes, at most %d", codec.ErrTooLarge, len(b), MaxDictionary)
	case len(b) < dictionaryHead || string(b[:len(dictionaryMagic)]) != dictionaryMagic:
		return nil, fmt.Errorf("%w: not a zstd dictionary", codec.ErrMalformed)
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

// Bytes returns the dictionary in the zstd format. Do not modify it.
func (d *Dictionary) Bytes() []byte { return d.raw }

// Hash returns the 64-bit FNV-1a hash of the bytes after the id. Peers compare it before they use the dictionary.
func (d *Dictionary) Hash() uint64 { return d.hash }

// WithDictionary returns a copy of the model with a dictionary; nil means none.
func (m *Model) WithDictionary(d *Dictionary) *Model {
	with := *m
	with.dictionary = d
	return &with
}
