package save_test

import (
	"testing"

	"github.com/tactusgo/tactus/codec/compression"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/save"
)

type (
	spot struct {
		X, Y, Z float32 `net:"raw"`
	}
	turn struct {
		Yaw uint16 `net:"raw"`
	}
	hits struct {
		Left int16 `net:"raw"`
	}
	fuse struct{ Ticks uint32 }
)

type bodyRow struct {
	Owner components.Owner
	Spot  spot
	Turn  turn
	Hits  hits
	Fuse  fuse
}

func bodies() *ecs.Protocol {
	p := ecs.NewProtocol("bodies/1")
	ecs.Replicate[spot](p, 0)
	ecs.Replicate[turn](p, 0)
	ecs.Replicate[hits](p, 0)
	ecs.Local[fuse](p, 0)
	return p
}

// BenchmarkSave has the parts of a save of 10,000 entities: only capture is between two ticks.
func BenchmarkSave(b *testing.B) {
	s, err := systems.NewServer(transport(), bodies(), systems.ServerConfig{})
	if err != nil {
		b.Fatal(err)
	}
	r := ecs.NewRand(1, 1)
	for range 10_000 {
		ecs.Spawn(s.World(), bodyRow{Spot: spot{r.Float32(), r.Float32(), r.Float32()}, Turn: turn{uint16(r.IntN(1 << 16))}, Hits: hits{int16(r.IntN(100))}, Fuse: fuse{uint32(r.IntN(60))}})
	}
	data, err := s.Save()()
	if err != nil {
		b.Fatal(err)
	}
	packed := compression.Compress(data)
	b.Run("capture", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Save()
		}
	})
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Save()(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("compress", func(b *testing.B) {
		for b.Loop() {
			compression.Compress(data)
		}
		b.ReportMetric(float64(len(data)), "bytes")
		b.ReportMetric(float64(len(packed)), "compressed-bytes")
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			data, err := compression.Decompress(packed, save.MaxSize)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := systems.NewServer(transport(), bodies(), systems.ServerConfig{Load: data}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
