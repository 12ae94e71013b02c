package schema

import (
	"testing"
	"time"
	"unsafe"
)

// body is a typical component: four floats in a range.
type body struct {
	X, Y   float32 `net:"-512..512 step 0.01"`
	VX, VY float32 `net:"-64..64 step 0.01"`
}

const bodies = 10_000

func bodyData(b *testing.B) (table *Table, from, out []body, words []int32) {
	table = compile[body](b, nil)
	from, out = make([]body, bodies), make([]body, bodies)
	for i := range from {
		x := float32(i%1000) - 499.7
		from[i] = body{x, x / 2, float32(i%77) - 38, float32(i % 13)}
	}
	return table, from, out, make([]int32, bodies*table.Words)
}

// versus reports how many times as long the table takes as what one would write by
// hand: the quotient of the fastest of many alternating runs.
func versus(b *testing.B, name string, table, hand func()) {
	b.Run(name, func(b *testing.B) {
		const never = time.Hour
		of := func(f func(), best time.Duration) time.Duration {
			start := time.Now()
			f()
			return min(best, time.Since(start))
		}
		x, y := never, never
		for b.Loop() {
			for range 10 {
				x, y = of(table, x), of(hand, y)
			}
		}
		b.ReportMetric(float64(x.Nanoseconds())/bodies, "ns/row")
		b.ReportMetric(float64(y.Nanoseconds())/bodies, "ns/row_by_hand")
		b.ReportMetric(float64(x)/float64(y), "ratio")
	})
}

func BenchmarkColumns(b *testing.B) {
	table, from, out, words := bodyData(b)
	clamped := 0
	p, r := unsafe.Pointer(&from[0]), unsafe.Pointer(&out[0])
	versus(b, "quantize_vs_hand", func() {
		clamped += table.Quantize(words, table.Words, p, bodies)
	}, func() { clamped += quantizeByHand(words, from) })
	versus(b, "dequantize_vs_hand", func() {
		table.Dequantize(r, words, table.Words, bodies)
	}, func() { dequantizeByHand(out, words) })
	if clamped != 0 {
		b.Fatalf("%d clamped", clamped)
	}
}

//go:noinline
func quantizeByHand(words []int32, rows []body) (clamped int) {
	for i := range rows {
		r, w := &rows[i], words[i*4:i*4+4]
		w[0] = toWord(r.X, -512, 0.01, 102400, &clamped)
		w[1] = toWord(r.Y, -512, 0.01, 102400, &clamped)
		w[2] = toWord(r.VX, -64, 0.01, 12800, &clamped)
		w[3] = toWord(r.VY, -64, 0.01, 12800, &clamped)
	}
	return clamped
}

func toWord(v float32, lo, step float64, top int32, clamped *int) int32 {
	x := (float64(v) - lo) / step
	if x >= -0.5 && x < float64(top)+0.5 {
		return int32(x + 0.5)
	}
	*clamped++
	if x >= 0 {
		return top
	}
	return 0
}

//go:noinline
func dequantizeByHand(rows []body, words []int32) {
	for i := range rows {
		r, w := &rows[i], words[i*4:i*4+4]
		r.X = float32(-512 + float64(float64(min(max(w[0], 0), 102400))*0.01))
		r.Y = float32(-512 + float64(float64(min(max(w[1], 0), 102400))*0.01))
		r.VX = float32(-64 + float64(float64(min(max(w[2], 0), 12800))*0.01))
		r.VY = float32(-64 + float64(float64(min(max(w[3], 0), 12800))*0.01))
	}
}

// BenchmarkRows runs the operations that work row by row.
func BenchmarkRows(b *testing.B) {
	table, from, _, _ := bodyData(b)
	for name, row := range map[string]func(p unsafe.Pointer){
		"compare": func(p unsafe.Pointer) { table.Compare(p, p) }, "hash": func(p unsafe.Pointer) { table.Hash64(p) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for i := range from {
					row(unsafe.Pointer(&from[i]))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/bodies, "ns/row")
		})
	}
}
