package compression

import (
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/tactusgo/tactus/codec"
	decoder "github.com/tactusgo/tactus/codec/internal/zstd"
)

// encoder compresses everything in the process, one slice after the other, so that many of them need little memory.
var encoder struct {
	once sync.Once
	*zstd.Encoder
}

// newEncoder creates the encoder. Programs that only decompress do not link it.
func newEncoder() {
	var err error
	encoder.Encoder, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(window))
	if err != nil {
		panic(err) // the options are constants
	}
}

// window is how far back a frame refers to its data, in bytes.
const window = 4 << 20

// Compress returns data, at least one byte, as a frame. Several goroutines may call it.
func Compress(data []byte) []byte {
	encoder.once.Do(newEncoder)
	return encoder.EncodeAll(data, nil)
}

// Decompress returns the data of the output of [Compress], which may be untrusted. The error wraps [codec.ErrTooLarge] if the data
// have more than max bytes, otherwise [codec.ErrMalformed].
func Decompress(b []byte, max int) ([]byte, error) {
	var d decoder.Decoder
	data, err := d.Frame(b, max)
	switch {
	case errors.Is(err, decoder.ErrSize):
		return nil, fmt.Errorf("%w: more than %d bytes", codec.ErrTooLarge, max)
	case err != nil:
		return nil, fmt.Errorf("%w: not a zstd frame with a checksum: %w", codec.ErrMalformed, err)
	}
	return data, nil
}
