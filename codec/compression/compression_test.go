package compression_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/compression"
)

// Data of at most the limit come back. Frames with more are refused, whether they declare their size or not.
func TestLimit(t *testing.T) {
	const limit = 1 << 20
	fits, exceeds := bytes.Repeat([]byte("tactus "), limit/7), make([]byte, limit+1)
	if data, err := compression.Decompress(compression.Compress(fits), limit); err != nil || !bytes.Equal(data, fits) {
		t.Errorf("%d bytes of %d: %v", len(data), len(fits), err)
	}
	var undeclared bytes.Buffer
	w, err := zstd.NewWriter(&undeclared, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(limit/4))
	if err != nil {
		t.Fatal(err)
	}
	for range 16 {
		w.Write(exceeds)
	}
	w.Close()
	for _, b := range [][]byte{compression.Compress(exceeds), undeclared.Bytes()} {
		if data, err := compression.Decompress(b, limit); !errors.Is(err, codec.ErrTooLarge) {
			t.Errorf("a frame of %d bytes: %d bytes, %v", len(b), len(data), err)
		}
	}
}

// A frame without a checksum is refused, since damage would go unnoticed.
func TestChecksumIsRequired(t *testing.T) {
	unchecked, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(false))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compression.Decompress(unchecked.EncodeAll([]byte("data"), nil), 100); !errors.Is(err, codec.ErrMalformed) {
		t.Error(err)
	}
}

func FuzzDecompress(f *testing.F) {
	const limit = 1 << 20
	f.Add(compression.Compress([]byte("a")))
	f.Add(compression.Compress([]byte(strings.Repeat("abc", 100))))
	f.Fuzz(func(t *testing.T, b []byte) {
		data, err := compression.Decompress(b, limit)
		if err != nil && !errors.Is(err, codec.ErrMalformed) && !errors.Is(err, codec.ErrTooLarge) || len(data) > limit {
			t.Fatalf("%d bytes, %v", len(data), err)
		}
	})
}
