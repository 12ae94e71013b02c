package schema

import (
	"testing"
	"unsafe"
)

type bench struct {
	X, Y  float32 `net:"-512..512 step 0.01"`
	Aim   uint16  `net:"0..65535 step 256 angle"`
	Alive bool
}

const benchRows = 1024

func benchData(b *testing.B) (*Table, []bench, []int32) {
	table := compile[bench](b, nil)
	rows := make([]bench, benchRows)
	for i := range rows {
		rows[i] = bench{float32(i%1000) - 499.7, float32(i%700) / 3, uint16(i * 77 % 65000), i%3 == 0}
	}
	b.ReportAllocs()
	return table, rows, make([]int32, benchRows*table.Words)
}

func perRow(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
}

func BenchmarkQuantize(b *testing.B) {
	table, rows, words := benchData(b)
	b.Run("table", func(b *testing.B) {
		for b.Loop() {
			table.Quantize(words, table.Words, unsafe.Pointer(&rows[0]), len(rows))
		}
		perRow(b)
	})
	b.Run("byhand", func(b *testing.B) {
		clamped := 0
		for b.Loop() {
			for i := range rows {
				r, w := &rows[i], words[i*4:i*4+4]
				w[0] = byHand(r.X, &clamped)
				w[1] = byHand(r.Y, &clamped)
				w[2] = int32((uint32(r.Aim) + 128) >> 8 & 255)
				w[3] = 0
				if r.Alive {
					w[3] = 1
				}
			}
		}
		perRow(b)
	})
}

// byHand is what one would write for a single field.
func byHand(v float32, clamped *int) int32 {
	x := (float64(v) + 512) / 0.01
	if x >= -0.5 && x < 102400.5 {
		return int32(x + 0.5)
	}
	*clamped++
	if x >= 0 {
		return 102400
	}
	return 0
}

func BenchmarkDequantize(b *testing.B) {
	table, rows, words := benchData(b)
	table.Quantize(words, table.Words, unsafe.Pointer(&rows[0]), len(rows))
	b.Run("table", func(b *testing.B) {
		for b.Loop() {
			table.Dequantize(unsafe.Pointer(&rows[0]), words, table.Words, len(rows))
		}
		perRow(b)
	})
	b.Run("byhand", func(b *testing.B) {
		for b.Loop() {
			for i := range rows {
				r, w := &rows[i], words[i*4:i*4+4]
				r.X = float32(-512 + float64(float64(min(max(w[0], 0), 102400))*0.01))
				r.Y = float32(-512 + float64(float64(min(max(w[1], 0), 102400))*0.01))
				r.Aim = uint16(min(max(w[2], 0), 255)) << 8
				r.Alive = w[3] > 0
			}
		}
		perRow(b)
	})
}

func BenchmarkCompare(b *testing.B) {
	table, rows, _ := benchData(b)
	for b.Loop() {
		for i := range rows {
			table.Compare(unsafe.Pointer(&rows[i]), unsafe.Pointer(&rows[i]))
		}
	}
	perRow(b)
}

func BenchmarkHash64(b *testing.B) {
	table, rows, _ := benchData(b)
	for b.Loop() {
		for i := range rows {
			table.Hash64(unsafe.Pointer(&rows[i]))
		}
	}
	perRow(b)
}
