package codec

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func noise(n int, values int) []byte {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(values)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.IntN(values))
	}
	return b
}

func TestFramesRoundTrip(t *testing.T) {
	c, d := NewCompressor(), NewDecompressor(1<<20)
	for _, n := range []int{0, 1, frameMin - 1, frameMin, 200, 255, 256, 1200, 70000, 1 << 20} {
		for _, values := range []int{1, 4, 256} {
			msg := noise(n, values)
			frame := c.Append([]byte("head"), msg)
			if len(frame) > 4+1+n {
				t.Errorf("%d bytes of %d values: frame of %d bytes", n, values, len(frame)-4)
			}
			if values == 1 && n >= 200 && len(frame) > n/2 {
				t.Errorf("%d equal bytes: frame of %d bytes", n, len(frame)-4)
			}
			got, err := d.Append([]byte("keep"), frame[4:])
			if err != nil || string(got[:4]) != "keep" || !bytes.Equal(got[4:], msg) {
				t.Errorf("%d bytes of %d values: %d bytes back, %v", n, values, len(got)-4, err)
			}
		}
	}
}

func TestDecompressorRefuses(t *testing.T) {
	d := NewDecompressor(1000)
	msg := bytes.Repeat([]byte("state "), 100)
	good := NewCompressor().Append(nil, msg)
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(true), zstd.WithSingleSegment(true))
	if err != nil {
		t.Fatal(err)
	}
	var stream bytes.Buffer
	enc.Reset(&stream)
	enc.Write(msg)
	enc.Flush() // so that the size is not known when the header is written
	enc.Write(msg)
	enc.Close()

	// A frame that states less than it holds; the size stands after the magic
	// number and the descriptor, two bytes less 256.
	liar := bytes.Clone(good)
	liar[6], liar[7] = 1, 0
	for _, c := range []struct {
		name  string
		frame []byte
		want  error
	}{
		{"nothing", nil, ErrShort},
		{"unknown kind", []byte{2, 1}, ErrMalformed},
		{"long raw", append([]byte{frameRaw}, make([]byte, 1001)...), ErrTooLarge},
		{"long zstd", NewCompressor().Append(nil, make([]byte, 1001)), ErrTooLarge},
		{"cut", good[:len(good)-1], ErrMalformed},
		{"cut header", good[:4], ErrMalformed},
		{"empty zstd", []byte{frameZstd}, ErrMalformed},
		{"two frames", append(bytes.Clone(good), good[1:]...), ErrMalformed},
		{"states less", liar, ErrMalformed},
		{"checksum", enc.EncodeAll(msg, []byte{frameZstd}), ErrMalformed},
		{"no size", append([]byte{frameZstd}, stream.Bytes()...), ErrMalformed},
		{"skippable", []byte{frameZstd, 0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 7}, ErrMalformed},
	} {
		dst := []byte("dst")
		got, err := d.Append(dst, c.frame)
		if !errors.Is(err, c.want) || string(got) != "dst" {
			t.Errorf("%s: %d bytes, %v, want %v", c.name, len(got), err, c.want)
		}
	}
	if _, err := d.Append(nil, good); err != nil {
		t.Errorf("after all that a good frame must open: %v", err)
	}
}

func TestDecompressorLimitIsInclusive(t *testing.T) {
	for _, n := range []int{100, 1000, 5000} {
		frame := NewCompressor().Append(nil, make([]byte, n))
		if got, err := NewDecompressor(n).Append(nil, frame); err != nil || len(got) != n {
			t.Errorf("%d bytes, limit %d: %d bytes, %v", n, n, len(got), err)
		}
		if _, err := NewDecompressor(n-1).Append(nil, frame); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%d bytes, limit %d: %v", n, n-1, err)
		}
	}
}

// 64 MiB of zeros are a few kilobytes on the wire. A frame that states its size is
// refused for nothing; one that lies costs what it states, and what zstd spends on
// the block in which it notices.
func TestBombIsRefusedWithinTheLimit(t *testing.T) {
	const limit = 1 << 20
	bomb := NewCompressor().Append(nil, make([]byte, 64<<20))
	if len(bomb) > 64<<10 {
		t.Fatalf("the bomb is %d bytes", len(bomb))
	}
	// The same bomb with a stated size of 1 MiB: four bytes after the magic
	// number and the descriptor.
	liar := bytes.Clone(bomb)
	copy(liar[6:], []byte{0, 0, 0x10, 0})
	d := NewDecompressor(limit)
	if _, err := d.Append(nil, NewCompressor().Append(nil, make([]byte, 1000))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		frame []byte
		want  error
		most  uint64
	}{{"honest", bomb, ErrTooLarge, 4 << 10}, {"liar", liar, ErrMalformed, 4 * limit}} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := d.Append(nil, c.frame)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > c.most {
			t.Errorf("%s: %d bytes allocated", c.name, used)
		}
	}
}

func TestFramesAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("zstd's pools drop buffers at random under the race detector")
	}
	c, d := NewCompressor(), NewDecompressor(4096)
	for _, msg := range [][]byte{noise(40, 256), noise(1200, 4), noise(1200, 256)} {
		frame, out := make([]byte, 0, 2048), make([]byte, 0, 2048)
		if n := testing.AllocsPerRun(100, func() {
			frame = c.Append(frame[:0], msg)
			var err error
			if out, err = d.Append(out[:0], frame); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%d bytes: %v allocations", len(msg), n)
		}
	}
}

func FuzzDecompressor(f *testing.F) {
	const limit = 4096
	c, d := NewCompressor(), NewDecompressor(limit)
	f.Fuzz(func(t *testing.T, frame []byte) {
		msg, err := d.Append(nil, frame)
		if err != nil {
			return
		}
		if len(msg) > limit {
			t.Fatalf("%d bytes, limit %d", len(msg), limit)
		}
		back, err := d.Append(nil, c.Append(nil, msg))
		if err != nil || !bytes.Equal(back, msg) {
			t.Fatalf("%d bytes back of %d: %v", len(back), len(msg), err)
		}
	})
}
