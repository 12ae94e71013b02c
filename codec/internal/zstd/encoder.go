//go:build !js || tactus_zstd

package zstd

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
)

const (
	compressed = 2<<1 | 1 // of a block's header: compressed, last block
	least      = 32       // smallest length in bytes to compress without a dictionary
)

// Encoder compresses blocks. The zero value is ready to use. It has one compressor without a dictionary and one for the
// latest dictionary.
type Encoder struct {
	plain, with *zstd.Encoder
	dictionary  *Dictionary
	out         []byte
}

func (e *Encoder) encoder(dict *Dictionary) *zstd.Encoder {
	if dict == nil {
		if e.plain == nil {
			e.plain = newEncoder(nil)
		}
		return e.plain
	}
	if e.dictionary != dict {
		e.with, e.dictionary = newEncoder(dict), dict
	}
	return e.with
}

// Block compresses up to 128 KiB with dict, which may be nil. It returns nil if the result is not shorter. The result is
// valid until the next call.
func (e *Encoder) Block(plain []byte, dict *Dictionary) []byte {
	if dict == nil && len(plain) < least {
		return nil
	}
	e.out = e.encoder(dict).EncodeAll(plain, e.out[:0])
	// The frame header (section 3.1.1.1): magic, descriptor, dictionary id, content size.
	at := 4 + 1
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
	if len(e.out) < at+3 || e.out[at]&7 != compressed {
		return nil
	}
	if block := e.out[at+3:]; len(block) < len(plain) {
		return block
	}
	return nil
}

func newEncoder(dict *Dictionary) *zstd.Encoder {
	options := []zstd.EOption{
		zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false),
		zstd.WithSingleSegment(true),
		zstd.WithAllLitEntropyCompression(true),
		zstd.WithLowerEncoderMem(true),
	}
	if dict != nil {
		options = append(options, zstd.WithEncoderDict(dict.raw))
	}
	enc, err := zstd.NewWriter(nil, options...)
	if err != nil {
		panic(fmt.Sprintf("zstd: the library rejects constant options: %v", err))
	}
	return enc
}

// check reports whether the compressor accepts the dictionary.
func (d *Dictionary) check() error {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderDict(d.raw), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	return enc.Close()
}

// BuildDictionary makes a dictionary from sample blocks. history is the content that blocks can copy from.
func BuildDictionary(id uint32, samples [][]byte, history []byte) ([]byte, error) {
	return zstd.BuildDict(zstd.BuildDictOptions{
		ID: id, Contents: samples, History: history, Offsets: [3]int{1, 4, 8}, Level: zstd.SpeedFastest,
	})
}
