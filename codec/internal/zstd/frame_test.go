package zstd_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	other "github.com/klauspost/compress/zstd"

	"github.com/tactusgo/tactus/codec/internal/zstd"
)

// frames returns another library's compressors of frames, by their level.
func frames(t testing.TB) (levels []*other.Encoder) {
	t.Helper()
	for l := other.SpeedFastest; l <= other.SpeedBestCompression; l++ {
		e, err := other.NewWriter(nil, other.WithEncoderConcurrency(1), other.WithEncoderLevel(l))
		if err != nil {
			t.Fatal(err)
		}
		levels = append(levels, e)
	}
	return levels
}

// Frames of another library are decoded, with one block and with many, of all block types. Damage is detected.
func TestFrame(t *testing.T) {
	noise := make([]byte, 300<<10)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	mixed := bytes.Join([][]byte{prose(1, 200<<10), noise, make([]byte, 400<<10), prose(1, 300<<10)}, nil)
	plain := [][]byte{{7}, prose(2, 40), prose(3, 5000), prose(4, 700<<10), noise, make([]byte, 1<<20), mixed}
	for n := range 200 {
		plain = append(plain, prose(uint64(n), 1+n*n))
	}
	var d zstd.Decoder
	for level, e := range frames(t) {
		for _, p := range plain {
			b := e.EncodeAll(p, nil)
			var streamed bytes.Buffer
			e.Reset(&streamed)
			if _, err := e.Write(p); err != nil || e.Close() != nil {
				t.Fatal(err)
			}
			for _, b := range [][]byte{b, streamed.Bytes()} {
				if got, err := d.Frame(b, len(p)); err != nil || !bytes.Equal(got, p) {
					t.Fatalf("level %d, %d bytes: %d, %v", level, len(p), len(got), err)
				}
				if _, err := d.Frame(b, len(p)-1); !errors.Is(err, zstd.ErrSize) {
					t.Fatalf("level %d: %d bytes were read, %d are allowed: %v", level, len(p), len(p)-1, err)
				}
			}
			for range 4 {
				damaged := bytes.Clone(b)
				damaged[r.IntN(len(b))] ^= 1 << r.IntN(8)
				if got, err := d.Frame(damaged, len(p)); err == nil && !bytes.Equal(got, p) {
					t.Fatalf("level %d, %d bytes: damage was not noticed", level, len(p))
				}
				if _, err := d.Frame(b[:r.IntN(len(b))], len(p)); err == nil {
					t.Fatalf("level %d, %d bytes: a part was read", level, len(p))
				}
			}
		}
	}
}

// FuzzFrame checks that every frame with a checksum that another library decodes is decoded here to the same bytes.
func FuzzFrame(f *testing.F) {
	const most = 1 << 20
	for _, e := range frames(f) {
		f.Add(e.EncodeAll(prose(5, 300), nil))
	}
	theirs, err := other.NewReader(nil, other.WithDecoderConcurrency(1), other.WithDecoderMaxMemory(most))
	if err != nil {
		f.Fatal(err)
	}
	var ours zstd.Decoder
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := ours.Frame(b, most)
		if len(got) > most {
			t.Fatalf("%d bytes", len(got))
		}
		var h other.Header
		if h.Decode(b) != nil || h.Skippable || !h.HasCheckSum || h.DictionaryID != 0 {
			if err == nil {
				t.Fatalf("%x was read, without a checksum", got)
			}
			return
		}
		want, bad := theirs.DecodeAll(b, nil)
		if bad != nil || len(want) == 0 || err != nil && err.Error() == "an offset of zero" {
			return
		}
		if err != nil {
			// The library also reads frames one after the other.
			if more := bytes.Count(b, []byte("\x28\xb5\x2f\xfd")) > 1 || bytes.Contains(b, []byte("\x2a\x4d\x18")); more {
				return
			}
		}
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%x, want %x: %v", got, want, err)
		}
	})
}
