package whole

import (
	"math"
	"testing"
)

// Differences of rotations, and the words of rotations, agree with trigonometry.
func TestRotations(t *testing.T) {
	about := func(angle float64) Rotation {
		return Rotation{int64(One * math.Sin(angle/2)), 0, 0, int64(One * math.Cos(angle/2))}
	}
	for _, step := range []float64{0, 0.01, -0.2, 0.7} {
		for _, n := range []int{1, 2, 6, 30} {
			p, q, want := about(0.3), about(0.3+step), about(0.3+step*float64(n+1))
			got := Extrapolate(&p, &q, n)
			dot := 0.0
			for i := range got {
				dot += float64(got[i]) * float64(want[i]) / One / One
			}
			if math.Abs(math.Abs(dot)-1) > 1e-5*float64(1+n*n) {
				t.Errorf("%d steps of %g: %v, want %v", n, step, got, want)
			}
		}
	}
	for bits := 4; bits <= 20; bits++ {
		g := NewQuatGrid(bits)
		top := int32(g.top)
		for missing := range int32(4) {
			for _, w := range [][]int32{{missing, top / 2, top / 3, top / 5 * 4}, {missing, top * 2 / 5, top/2 + 1, top * 3 / 5}} {
				r := g.Rotation(w)
				a, b, c := g.Words(&r, missing)
				for i, v := range []int32{a, b, c} {
					if d := v - w[i+1]; d < -1 || d > 1 {
						t.Errorf("%d bits: %v became %d %d %d", bits, w, a, b, c)
					}
				}
			}
		}
	}
}

func TestToward(t *testing.T) {
	for _, length := range []int32{0, 1, 100, 1280, 1 << 20, 1 << 24} {
		for turn := range uint64(1000) {
			turn *= 1 << 32 / 1000
			x, y := Toward(length, uint32(turn))
			sin, cos := math.Sincos(float64(turn) * (2 * math.Pi / (1 << 32)))
			if dx, dy := math.Abs(float64(x)-float64(length)*cos), math.Abs(float64(y)-float64(length)*sin); max(dx, dy) > 1.5 || length < 1<<16 && max(dx, dy) > 0.51 {
				t.Errorf("%d toward %d: %d, %d", length, turn, x, y)
			}
		}
	}
	for i, want := range [][2]int32{{1280, 0}, {905, 905}, {0, 1280}, {-905, 905}, {-1280, 0}, {-905, -905}, {0, -1280}, {905, -905}} {
		if x, y := Toward(1280, uint32(i)<<29); x != want[0] || y != want[1] {
			t.Errorf("%d eighths: %d, %d", i, x, y)
		}
	}
}
