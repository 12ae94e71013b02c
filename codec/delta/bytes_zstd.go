package delta

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/klauspost/compress/zstd"

	"github.com/tactusgo/tactus/codec"
)

// A zstd frame of one block without its header: both sides know what would stand
// there. The header is put back for the decompressor as
//
//	+-------------------+----+--------+---------------+--------------+
//	| 28 b5 2f fd magic | 00 | 38     |               | block header |  without
//	| 28 b5 2f fd       | 01 | 38     | dictionary id | block header |  with a
//	+-------------------+----+--------+---------------+--------------+  dictionary
//
// 38 stands for a window of 128 KiB, the most that a block can hold. The block
// header says: last block, compressed, as long as what follows.

// maxPlain is the largest size of what is compressed, in bytes.
const maxPlain = 128 << 10

const (
	zstdMagic      = "\x28\xb5\x2f\xfd"
	zstdWindow     = 7 << 3
	zstdCompressed = 2<<1 | 1 // compressed, last block
	zstdLeast      = 32       // below this length zstd without a dictionary does not try
)

// deflater compresses. The zero value is ready. It has one compressor without a
// dictionary and one for the last dictionary that it was given.
type deflater struct {
	plain, with *zstd.Encoder
	dictionary  *Dictionary
	out         []byte
}

func (d *deflater) encoder(dict *Dictionary) *zstd.Encoder {
	if dict == nil {
		if d.plain == nil {
			d.plain = newZstdEncoder(nil)
		}
		return d.plain
	}
	if d.dictionary != dict {
		d.with, d.dictionary = newZstdEncoder(dict), dict
	}
	return d.with
}

// deflate compresses plain, and returns nil if it does not get shorter. What it
// returns is valid until the next call.
func (d *deflater) deflate(plain []byte, dict *Dictionary) []byte {
	if len(plain) > maxPlain || dict == nil && len(plain) < zstdLeast {
		return nil
	}
	d.out = d.encoder(dict).EncodeAll(plain, d.out[:0])
	// The frame header: magic, descriptor, dictionary id, content size.
	at := len(zstdMagic) + 1
	if dict != nil {
		at++
	}
	switch n := len(plain); {
	case n < 256:
		at++
	case n < 65536+256:
		at += 2
	default:
		at += 4
	}
	if len(d.out) < at+3 || d.out[at]&7 != zstdCompressed {
		return nil
	}
	if block := d.out[at+3:]; len(block) < len(plain) {
		return block
	}
	return nil
}

func newZstdEncoder(dict *Dictionary) *zstd.Encoder {
	options := []zstd.EOption{
		zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false),
		zstd.WithSingleSegment(true),
		zstd.WithAllLitEntropyCompression(true),
		zstd.WithLowerEncoderMem(true),
	}
	if dict != nil {
		options = append(options, zstd.WithEncoderDict(dict.zstd))
	}
	enc, err := zstd.NewWriter(nil, options...)
	if err != nil {
		panic(fmt.Sprintf("snapshot: zstd refuses constant options: %v", err))
	}
	return enc
}

// inflater decompresses. The zero value is ready. It holds at most [maxPlain] of
// what it decompressed, whatever it is given. It has one decompressor without a
// dictionary and one for the last dictionary that it was given.
type inflater struct {
	plain, with *zstd.Decoder
	dictionary  *Dictionary
	in, out     []byte
}

func (d *inflater) decoder(dict *Dictionary) *zstd.Decoder {
	if dict == nil {
		if d.plain == nil {
			d.plain = newZstdDecoder(nil)
		}
		return d.plain
	}
	if d.dictionary != dict {
		d.with, d.dictionary = newZstdDecoder(dict), dict
	}
	return d.with
}

// inflate decompresses a block. What it returns is valid until the next call.
func (d *inflater) inflate(block []byte, dict *Dictionary) ([]byte, error) {
	if len(block) >= maxPlain {
		return nil, fmt.Errorf("%w: zstd block of %d bytes", codec.ErrTooLarge, len(block))
	}
	dec := d.decoder(dict)
	d.in = append(d.in[:0], zstdMagic...)
	if dict == nil {
		d.in = append(d.in, 0, zstdWindow)
	} else {
		d.in = append(d.in, 1, zstdWindow, dict.id)
	}
	head := len(block)<<3 | zstdCompressed
	d.in = append(d.in, byte(head), byte(head>>8), byte(head>>16))
	d.in = append(d.in, block...)
	if d.out == nil {
		d.out = make([]byte, 0, 4<<10)
	}
	for {
		out, err := dec.DecodeAll(d.in, d.out[:0])
		switch {
		case err == nil:
			return out, nil
		case cap(d.out) >= maxPlain:
			return nil, fmt.Errorf("%w: zstd: %v", codec.ErrMalformed, err)
		}
		// It may have been the size: the capacity is what zstd stops at.
		d.out = make([]byte, 0, min(4*cap(d.out), maxPlain))
	}
}

func newZstdDecoder(dict *Dictionary) *zstd.Decoder {
	options := []zstd.DOption{
		zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxPlain),
		zstd.WithDecodeAllCapLimit(true),
	}
	if dict != nil {
		options = append(options, zstd.WithDecoderDicts(dict.zstd))
	}
	dec, err := zstd.NewReader(nil, options...)
	if err != nil {
		panic(fmt.Sprintf("snapshot: zstd refuses constant options: %v", err))
	}
	return dec
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
