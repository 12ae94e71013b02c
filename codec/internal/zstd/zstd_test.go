package zstd_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	other "github.com/klauspost/compress/zstd"

	"github.com/tactusgo/tactus/codec/internal/zstd"
)

const most = 128 << 10

// theirs are another library's compressors and decompressor.
type theirs struct {
	levels []*other.Encoder
	dec    *other.Decoder
}

// block compresses what is not too short for it, and returns the block without its header.
func (x *theirs) block(t testing.TB, level int, plain []byte) []byte {
	t.Helper()
	frame := x.levels[level%len(x.levels)].EncodeAll(plain, nil)
	var h other.Header
	if err := h.Decode(frame); err != nil {
		t.Fatal(err)
	}
	const lastCompressed = 2<<1 | 1 // the library also calls a block of one repeated byte compressed
	if frame[h.HeaderSize]&7 != lastCompressed {
		return nil
	}
	return frame[h.HeaderSize+3:]
}

// framed puts the headers back.
func framed(block []byte) []byte {
	head := len(block)<<3 | 5
	return append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3, byte(head), byte(head >> 8), byte(head >> 16)}, block...)
}

// prose is text that repeats itself, in which some bytes are met more often than others.
func prose(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for b.Len() < n {
		if b.Len() > 8 && r.IntN(4) == 0 {
			from := r.IntN(b.Len() - 4)
			b.WriteString(b.String()[from:min(b.Len(), from+3+r.IntN(1+r.IntN(200)))])
			continue
		}
		b.WriteByte(byte(min(r.ExpFloat64()*float64(2+seed%20), 255)))
	}
	return []byte(b.String()[:n])
}

// another is another library.
var another = sync.OnceValue(func() *theirs {
	x := &theirs{}
	for l := other.SpeedFastest; l <= other.SpeedBestCompression; l++ {
		e, err := other.NewWriter(nil, other.WithEncoderConcurrency(1), other.WithEncoderCRC(false), other.WithAllLitEntropyCompression(true), other.WithEncoderLevel(l))
		if err != nil {
			panic(err)
		}
		x.levels = append(x.levels, e)
	}
	x.dec, _ = other.NewReader(nil, other.WithDecoderConcurrency(1), other.WithDecoderMaxMemory(most))
	return x
})

// Blocks of another library are decoded, although memory has to grow for them.
func TestBlock(t *testing.T) {
	var d zstd.Decoder
	read := 0
	for seed := range uint64(300) {
		plain := prose(seed, 32+int(seed*seed*7)%(most-32))
		if seed%8 == 0 {
			plain = prose(seed, 32+int(seed))
		}
		block := another().block(t, int(seed), plain)
		if block == nil {
			continue
		}
		got, err := d.Block(block, most)
		if err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("seed %d: %d bytes of %d, %v", seed, len(got), len(plain), err)
		}
		if _, err := d.Block(block, len(plain)-1); err == nil {
			t.Fatalf("seed %d: more than allowed", seed)
		}
		read++
	}
	if read < 200 {
		t.Errorf("%d blocks only", read)
	}
}

func TestBlockDoesNotAllocate(t *testing.T) {
	var d zstd.Decoder
	blocks := [][]byte{another().block(t, 0, prose(3, 5000)), another().block(t, 1, prose(2, 300))}
	read := func() {
		for _, b := range blocks {
			if _, err := d.Block(b, most); err != nil {
				t.Fatal(err)
			}
		}
	}
	read()
	if n := testing.AllocsPerRun(100, read); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzBlock checks that every block that another library decodes is decoded here to the same bytes.
func FuzzBlock(f *testing.F) {
	var ours zstd.Decoder
	f.Fuzz(func(t *testing.T, block []byte) {
		if len(block) == 0 || len(block) >= most {
			return
		}
		want, bad := another().dec.DecodeAll(framed(block), nil)
		if bad != nil {
			return // it wants more bytes in some places than there have to be
		}
		got, err := ours.Block(block, most)
		if err != nil && err.Error() == "an offset of zero" {
			return // it takes it for one
		}
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%x, want %x: %v", got, want, err)
		}
	})
}

// FuzzPlain checks that compressed bytes decompress to the original, and that a part of a block is refused.
func FuzzPlain(f *testing.F) {
	var d zstd.Decoder
	f.Fuzz(func(t *testing.T, level uint8, plain []byte) {
		if len(plain) < 8 || len(plain) > most {
			return
		}
		block := another().block(t, int(level), plain)
		if block == nil {
			return
		}
		if got, err := d.Block(block, most); err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("%x, want %x: %v", got, plain, err)
		}
		// A shortened block may be valid by chance. Then the other library must read the same bytes from it.
		block = block[:len(block)-1]
		if got, err := d.Block(block, most); err == nil {
			if want, bad := another().dec.DecodeAll(framed(block), nil); bad != nil || !bytes.Equal(got, want) {
				t.Fatalf("a block that was cut was read as %x, want %x: %v", got, want, bad)
			}
		}
	})
}
