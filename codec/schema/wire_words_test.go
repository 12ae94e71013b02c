package schema

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"
)

// wireKinds has a field of each form whose words docs/spec/wire-format.md explains.
type wireKinds struct {
	Grid  float64    `net:"-512..512 step 0.01"`
	Turn  float64    `net:"degrees 0.7"`
	Line  float64    `net:"0..100 step 0.25 lines"`
	Plane [2]float64 `net:"unit 10"`
	Space [3]float64 `net:"unit 9"`
	Spin  [4]float64 `net:"quat 9"`
	Flags uint64     `net:"flags 40"`
	Raw   int16      `net:"raw"`
	Wide  uint64     `net:"raw"`
	N     uint8      `net:"count"`
	Text  [6]byte    `net:"text"`
}

// Words have the meaning that the document gives them.
func TestWireWordsAreTheDocuments(t *testing.T) {
	table, err := Compile(reflect.TypeFor[wireKinds](), nil)
	if err != nil {
		t.Fatal(err)
	}
	if table.Words != 1+1+2+1+2+4+2+1+2+3 {
		t.Fatalf("%d words", table.Words)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		w := make([]int32, table.Words)
		for i := range w {
			w[i] = int32(rng.Uint64() & (1<<table.WordBits(i) - 1))
		}
		turns := math.Round(360 / 0.7)
		w[0], w[1], w[2] = rng.Int32N(102401), rng.Int32N(int32(turns)), rng.Int32N(401)
		for _, i := range []int{5, 6} {
			w[i] = rng.Int32N(511) // 2·half + 1 of them
		}
		copy(w[16:], []int32{5, 'a' | 'b'<<8 | 'c'<<16 | 'd'<<24, 'e'})
		w[13] = int32(int16(w[13]))
		var got wireKinds
		table.Dequantize(unsafe.Pointer(&got), w, table.Words, 1)
		want := wireKinds{
			Grid: -512 + float64(w[0])*0.01, Turn: float64(w[1]) * 360 / turns, Line: float64(w[2]) * 0.25,
			Plane: wirePlane(w[4], 10), Space: wireSpace(w[5], w[6], 9), Spin: wireSpin(w[7:11], 9),
			Flags: uint64(uint32(w[11])) | uint64(uint32(w[12]))<<32, Raw: int16(w[13]),
			N: 5, Text: [6]byte{'a', 'b', 'c', 'd', 'e'},
		}
		want.Wide = uint64(uint32(w[14])) | uint64(uint32(w[15]))<<32
		near := func(a, b []float64) {
			for i := range a {
				if math.Abs(a[i]-b[i]) > 1e-9 {
					t.Fatalf("%v: %v, not %v", w, a, b)
				}
			}
		}
		near([]float64{got.Grid, got.Turn, got.Line}, []float64{want.Grid, want.Turn, want.Line})
		near(got.Plane[:], want.Plane[:])
		near(got.Space[:], want.Space[:])
		near(got.Spin[:], want.Spin[:])
		if got.Flags != want.Flags || got.Raw != want.Raw || got.Wide != want.Wide || got.N != want.N || got.Text != want.Text {
			t.Fatalf("%v: %+v, not %+v", w, got, want)
		}
	}
}

func wirePlane(word int32, bits int) [2]float64 {
	quarter := int32(1) << (bits - 2)
	k, y := word/quarter, float64(word%quarter)
	x := float64(quarter) - y
	for range k {
		x, y = -y, x
	}
	l := math.Hypot(x, y)
	return [2]float64{x / l, y / l}
}

func wireSpace(a, b int32, bits int) [3]float64 {
	half := float64(int32(1)<<(bits-1) - 1)
	x, y := float64(a)-half, float64(b)-half
	z := half - math.Abs(x) - math.Abs(y)
	if z < 0 {
		x, y = math.Copysign(half-math.Abs(y), x), math.Copysign(half-math.Abs(x), y)
	}
	l := math.Sqrt(x*x + y*y + z*z)
	return [3]float64{x / l, y / l, z / l}
}

func wireSpin(w []int32, bits int) (r [4]float64) {
	top := float64(int32(1)<<bits - 1)
	sum, k := 0.0, 1
	for i := range r {
		if i != int(w[0]) {
			r[i] = (float64(w[k])/top - 0.5) * math.Sqrt2
			sum += r[i] * r[i]
			k++
		}
	}
	r[w[0]] = math.Sqrt(max(0, 1-sum))
	if sum > 1 {
		for i := range r {
			r[i] /= math.Sqrt(sum)
		}
	}
	return r
}
