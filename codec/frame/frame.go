package frame

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/tactusgo/tactus/codec"
)

// encoder compresses everything in the process, one slice after the other, so that many of them need little memory.
var encoder struct {
	once sync.Once
	*zstd.Encoder
}

// newEncoder creates the encoder. Programs that only decompress do not link it.
func newEncoder() {
	var err error
	encoder.Encoder, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(maxWindow/2))
	if err != nil {
		panic(err) // the options are constants
	}
}

// maxWindow is the largest window of a frame in bytes: the memory that decompressing takes beside the data.
const maxWindow = 8 << 20

// Compress returns data, at least one byte, as a frame. Several goroutines may call it.
func Compress(data []byte) []byte {
	encoder.once.Do(newEncoder)
	return encoder.EncodeAll(data, nil)
}

// Decompress returns the data of the output of [Compress], which may be untrusted. The error wraps [codec.ErrTooLarge] if the data
// have more than max bytes, otherwise [codec.ErrMalformed].
func Decompress(b []byte, max int) ([]byte, error) {
	var h zstd.Header
	if err := h.Decode(b); err != nil || h.Skippable || !h.HasCheckSum {
		return nil, fmt.Errorf("%w: not a zstd frame with a checksum", codec.ErrMalformed)
	}
	d, err := zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(uint64(max)), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", codec.ErrMalformed, err)
	}
	defer d.Close()
	data, err := io.ReadAll(io.LimitReader(d, int64(max)+1))
	switch {
	case len(data) > max || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return nil, fmt.Errorf("%w: more than %d bytes", codec.ErrTooLarge, max)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", codec.ErrMalformed, err)
	}
	return data, nil
}
