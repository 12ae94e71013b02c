package zstd_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	other "github.com/klauspost/compress/zstd"

	"github.com/tactusgo/tactus/codec/internal/zstd"
)

const most = 128 << 10

// theirs are another library's compressors and decompressor, by whether they have the dictionary.
type theirs struct {
	levels []*other.Encoder
	dec    *other.Decoder
	dict   *zstd.Dictionary
	id     byte
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

// decode puts the headers back.
func (x *theirs) decode(block []byte) ([]byte, error) {
	frame := append([]byte("\x28\xb5\x2f\xfd"), 0, 7<<3)
	if x.id != 0 {
		frame = append(frame[:4], 1, 7<<3, x.id)
	}
	head := len(block)<<3 | 5
	frame = append(frame, byte(head), byte(head>>8), byte(head>>16))
	return x.dec.DecodeAll(append(frame, block...), nil)
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

// ways returns both libraries without a dictionary, and with one.
var ways = sync.OnceValue(func() [2]*theirs {
	var samples [][]byte
	for i := range uint64(40) {
		samples = append(samples, prose(i%4, 400))
	}
	raw, err := other.BuildDict(other.BuildDictOptions{
		ID: 7, Contents: samples, History: prose(1, 2000), Offsets: [3]int{1, 4, 8}, Level: other.SpeedFastest,
	})
	if err != nil {
		panic(err)
	}
	dict, err := zstd.NewDictionary(raw)
	if err != nil {
		panic(err)
	}
	return [2]*theirs{with(nil, nil), with(raw, dict)}
})

func with(raw []byte, dict *zstd.Dictionary) *theirs {
	x := &theirs{dict: dict}
	out := []other.DOption{other.WithDecoderConcurrency(1), other.WithDecoderMaxMemory(most)}
	in := []other.EOption{other.WithEncoderConcurrency(1), other.WithEncoderCRC(false), other.WithAllLitEntropyCompression(true)}
	if raw != nil {
		x.id = raw[4]
		in, out = append(in, other.WithEncoderDict(raw)), append(out, other.WithDecoderDicts(raw))
	}
	for l := other.SpeedFastest; l <= other.SpeedBestCompression; l++ {
		e, err := other.NewWriter(nil, append(in, other.WithEncoderLevel(l))...)
		if err != nil {
			panic(err)
		}
		x.levels = append(x.levels, e)
	}
	x.dec, _ = other.NewReader(nil, out...)
	return x
}

// Blocks of another library are decoded, although memory has to grow for them.
func TestBlock(t *testing.T) {
	var d zstd.Decoder
	read := 0
	for _, way := range ways() {
		for seed := range uint64(200) {
			plain := prose(seed, 32+int(seed*seed*7)%(most-32))
			if seed%8 == 0 {
				plain = prose(seed, 32+int(seed))
			}
			block := way.block(t, int(seed), plain)
			if block == nil {
				continue
			}
			got, err := d.Block(block, way.dict, most)
			if err != nil || !bytes.Equal(got, plain) {
				t.Fatalf("seed %d, dictionary %v: %d bytes of %d, %v", seed, way.dict != nil, len(got), len(plain), err)
			}
			if _, err := d.Block(block, way.dict, len(plain)-1); err == nil {
				t.Fatalf("seed %d: more than allowed", seed)
			}
			read++
		}
	}
	if read < 300 {
		t.Errorf("%d blocks only", read)
	}
}

func TestBlockDoesNotAllocate(t *testing.T) {
	way := ways()[1]
	var d zstd.Decoder
	blocks := [][]byte{way.block(t, 0, prose(3, 5000)), way.block(t, 1, prose(2, 300))}
	read := func() {
		for _, b := range blocks {
			if _, err := d.Block(b, way.dict, most); err != nil {
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
	f.Fuzz(func(t *testing.T, dictionary bool, block []byte) {
		way := ways()[0]
		if dictionary {
			way = ways()[1]
		}
		if len(block) == 0 || len(block) >= most {
			return
		}
		want, bad := way.decode(block)
		if bad != nil {
			return // it wants more bytes in some places than there have to be
		}
		got, err := ours.Block(block, way.dict, most)
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
		for _, way := range ways() {
			block := way.block(t, int(level), plain)
			if block == nil {
				continue
			}
			if got, err := d.Block(block, way.dict, most); err != nil || !bytes.Equal(got, plain) {
				t.Fatalf("%x, want %x: %v", got, plain, err)
			}
			// A part of a block may be a block by chance: then it is to the other library, too.
			block = block[:len(block)-1]
			if got, err := d.Block(block, way.dict, most); err == nil {
				if want, bad := way.decode(block); bad != nil || !bytes.Equal(got, want) {
					t.Fatalf("a block that was cut was read as %x, want %x: %v", got, want, bad)
				}
			}
		}
	})
}

func TestNewDictionaryRefuses(t *testing.T) {
	var samples [][]byte
	for i := range uint64(10) {
		samples = append(samples, prose(i, 400))
	}
	raw, err := other.BuildDict(other.BuildDictOptions{ID: 7, Contents: samples, History: prose(1, 100), Offsets: [3]int{1, 4, 8}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := zstd.NewDictionary(raw); err != nil {
		t.Fatal(err)
	}
	for n := range len(raw) - 100 {
		if _, err := zstd.NewDictionary(raw[:n]); err == nil {
			t.Errorf("the first %d bytes were read", n)
		}
	}
	for _, far := range []uint32{0, 101, 1 << 31} {
		b := bytes.Clone(raw)
		binary.LittleEndian.PutUint32(b[len(b)-104:], far)
		if _, err := zstd.NewDictionary(b); err == nil {
			t.Errorf("an offset of %d was read", far)
		}
	}
}

func benchmark(b *testing.B, size int, dictionary int) {
	way := ways()[dictionary]
	block := way.block(b, 0, prose(3, size))
	b.Run("ours", func(b *testing.B) {
		var d zstd.Decoder
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for range b.N {
			if _, err := d.Block(block, way.dict, most); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("theirs", func(b *testing.B) {
		frame := append([]byte("\x28\xb5\x2f\xfd"), 0, 7<<3)
		if way.id != 0 {
			frame = append(frame[:4], 1, 7<<3, way.id)
		}
		head := len(block)<<3 | 5
		frame = append(frame, byte(head), byte(head>>8), byte(head>>16))
		frame = append(frame, block...)
		out := make([]byte, 0, most)
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for range b.N {
			if _, err := way.dec.DecodeAll(frame, out[:0]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkBlock300(b *testing.B)           { benchmark(b, 300, 0) }
func BenchmarkBlock300Dictionary(b *testing.B) { benchmark(b, 300, 1) }
func BenchmarkBlock5000(b *testing.B)          { benchmark(b, 5000, 0) }
