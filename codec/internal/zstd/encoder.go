//go:build !js || tactus_zstd

package zstd

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
)

const (
	compressed = 2<<1 | 1 // of a block's header: compressed, last block
	least      = 32       // smallest length in bytes to compress
)

// Encoder compresses blocks. The zero value is ready to use.
type Encoder struct {
	encoder *zstd.Encoder
	out     []byte
}

// Block compresses up to 128 KiB. It returns nil if the result is not shorter. The result is valid until the next call.
func (e *Encoder) Block(plain []byte) []byte {
	if len(plain) < least {
		return nil
	}
	if e.encoder == nil {
		e.encoder = newEncoder()
	}
	e.out = e.encoder.EncodeAll(plain, e.out[:0])
	// The frame header (section 3.1.1.1): magic, descriptor, content size.
	at := 4 + 1
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

func newEncoder() *zstd.Encoder {
	enc, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false),
		zstd.WithSingleSegment(true),
		zstd.WithAllLitEntropyCompression(true),
		zstd.WithLowerEncoderMem(true),
	)
	if err != nil {
		panic(fmt.Sprintf("zstd: the library rejects constant options: %v", err))
	}
	return enc
}
