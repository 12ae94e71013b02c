package codec

import (
	"math/rand/v2"
	"testing"
)

// benchPacket is 100 entities of two components; most move, a tenth stand still, a
// few are new or gone.
func benchPacket() *packet {
	rng := rand.New(rand.NewPCG(1, 1))
	p := newPacket(4, 2)
	id := uint32(0)
	for range 100 {
		id += 1 + rng.Uint32N(3)
		e := Entity{ID: id, Op: OpDelta, Age: 3, Mask: 0b11, Cur: make([]int32, 6), Base: make([]int32, 6)}
		for i := range e.Cur {
			e.Base[i] = int32(rng.IntN(16000))
			e.Cur[i] = e.Base[i]
		}
		switch r := rng.IntN(100); {
		case r < 10:
			e.Op = OpSame
		case r < 13:
			e.Op, e.Age, e.Base = OpFull, 0, nil
		case r < 15:
			e = Entity{ID: id, Op: OpGone}
		default:
			e.Cur[0] += int32(rng.IntN(100)) - 50
			e.Cur[1] += int32(rng.IntN(100)) - 50
			if r > 80 {
				e.Cur[4]++
			}
		}
		p.add(e)
	}
	return p
}

func BenchmarkEncode(b *testing.B) {
	p := benchPacket()
	var enc Encoder
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = enc.Append(buf[:0], p.layout, p.ents)
	}
	b.ReportMetric(float64(len(buf)), "bytes")
	b.ReportMetric(float64(len(NewCompressor().Append(nil, buf))), "framed-bytes")
}

func BenchmarkDecode(b *testing.B) {
	p := benchPacket()
	buf := new(Encoder).Append(nil, p.layout, p.ents)
	rec := make(map[uint32][]int32)
	for _, e := range p.ents {
		rec[e.ID] = e.Base
	}
	var dec Decoder
	b.ReportAllocs()
	for b.Loop() {
		err := dec.Decode(buf, p.layout,
			func(id, _ uint32) (uint64, []int32, bool) { return 0b11, rec[id], true },
			func(*Entity) error { return nil })
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFrame(b *testing.B) {
	p := benchPacket()
	buf := new(Encoder).Append(nil, p.layout, p.ents)
	c, d := NewCompressor(), NewDecompressor(4096)
	frame := c.Append(nil, buf)
	out := make([]byte, 0, 4096)
	b.Run("compress", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			frame = c.Append(frame[:0], buf)
		}
	})
	b.Run("decompress", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out, _ = d.Append(out[:0], frame)
		}
	})
}
