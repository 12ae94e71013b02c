package schema

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"
	"unsafe"
)

// rounds returns n with TACTUS_LONG, as at night, otherwise a tenth of n.
func rounds(n int) int {
	if os.Getenv("TACTUS_LONG") == "" {
		return n / 10
	}
	return n
}

// eachVector calls f for tables of one vector each, of both float kinds.
func eachVector(t *testing.T, f func(t *testing.T, table *Table, fd *Field, p unsafe.Pointer)) {
	eachVectorThat(t, func(*Field) bool { return true }, f)
}

// eachVectorThat leaves out the forms that a property is not defined for.
func eachVectorThat(t *testing.T, has func(*Field) bool, f func(t *testing.T, table *Table, fd *Field, p unsafe.Pointer)) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[num[[2]float32]](), reflect.TypeFor[num[[2]float64]](), reflect.TypeFor[num[[3]float32]](),
		reflect.TypeFor[num[[3]float64]](), reflect.TypeFor[num[[4]float32]](), reflect.TypeFor[num[[4]float64]](),
	} {
		form, bits := "unit", []int{2, 3, 5, 8, 10, 15, 20}
		if typ.Field(0).Type.Len() == 4 {
			form, bits = "quat", []int{4, 5, 7, 9, 12, 16, 20}
		}
		for _, b := range bits {
			tag := fmt.Sprintf("%s %d", form, b)
			table, err := Compile(typ, Fields{"V": tag})
			if err != nil {
				t.Fatal(err)
			}
			if !has(&table.Fields[0]) {
				continue
			}
			t.Run(fmt.Sprintf("%v %s", typ.Field(0).Type, tag), func(t *testing.T) {
				v := reflect.New(typ)
				f(t, table, &table.Fields[0], v.UnsafePointer())
			})
		}
	}
}

// drawVector stores a direction, often one near an axis, a diagonal or where two
// components are equal but for rounding.
func drawVector(rng *rand.Rand, f *Field, p unsafe.Pointer) {
	var v vector
	for i := range f.Len {
		switch rng.IntN(4) {
		case 0:
			v[i] = float64(rng.IntN(3) - 1)
		default:
			v[i] = rng.NormFloat64()
		}
	}
	for range rng.IntN(3) {
		i, k := rng.IntN(f.Len), rng.IntN(f.Len)
		v[i] = v[k] * (1 + (rng.Float64()-0.5)*math.Pow(10, -float64(rng.IntN(9))))
		if rng.IntN(2) == 0 {
			v[i] = -v[i]
		}
	}
	if rng.IntN(2) == 0 {
		v, _ = v.unit()
	}
	f.setVector(p, v)
}

// angleBetween returns the angle between two vectors, of rotations that of the rotation.
func (f *Field) angleBetween(u, v vector) float64 {
	u, _ = f.direction(u)
	v, _ = f.direction(v)
	d := 0.0
	if f.Form == FormQuat && u.dot(&v) < 0 {
		v = vector{-v[0], -v[1], -v[2], -v[3]}
	}
	for i := range u {
		d += (u[i] - v[i]) * (u[i] - v[i])
	}
	a := 2 * math.Asin(min(math.Sqrt(d)/2, 1))
	if f.Form == FormQuat {
		a *= 2
	}
	return a
}

func words4(table *Table, p unsafe.Pointer) (q [4]int32, clamped int) {
	clamped = table.Quantize(q[:], 0, p, 1)
	return q, clamped
}

// Any words are decoded to a valid vector, whose words then stay the same. Words that were made from a value never change.
func TestVectorsAreIdempotent(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	eachVector(t, func(t *testing.T, table *Table, f *Field, p unsafe.Pointer) {
		check := func(q [4]int32) {
			t.Helper()
			table.Dequantize(p, q[:], 0, 1)
			if v := f.vector(p); math.Abs(v.square()-1) > 1e-6 {
				t.Fatalf("%v gives %s", q, table.Format(0, p))
			}
			first, clamped := words4(table, p)
			if clamped != 0 {
				t.Fatalf("%v gives %s, which is clamped", q, table.Format(0, p))
			}
			for range 3 {
				table.Dequantize(p, first[:], 0, 1)
				second, _ := words4(table, p)
				if second != first {
					t.Fatalf("%v gives %v, which gives %v, %s", q, first, second, table.Format(0, p))
				}
			}
		}
		if f.Len == 2 && f.top < 1<<16 {
			for q := range f.top + 1 {
				table.Dequantize(p, []int32{q}, 0, 1)
				if back, _ := words4(table, p); back[0] != q {
					t.Fatalf("%d gives %d", q, back[0])
				}
			}
		}
		if f.Len == 3 && int(f.top) < rounds(400) {
			for a := range f.top + 2 {
				for b := range f.top + 2 {
					check([4]int32{a, b})
				}
			}
		}
		if f.Len == 4 && f.top < 1<<5 {
			for a := range f.top + 1 {
				for b := range f.top + 1 {
					for c := range f.top + 1 {
						check([4]int32{(a + b + c) & 3, a, b, c})
					}
				}
			}
		}
		for range rounds(5000) {
			check([4]int32{int32(rng.Uint32()), int32(rng.Uint32()), int32(rng.Uint32()), int32(rng.Uint32())})
			check([4]int32{rng.Int32N(f.top + 2), rng.Int32N(f.top + 2), rng.Int32N(f.top + 2), rng.Int32N(f.top + 2)})
		}
	})
}

// Quantizing moves a direction by at most half of the default tolerance, in space
// by at most 0.6 and a rotation by at most 0.7 of it, and again by nothing.
func TestVectorsComeBackNear(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	eachVector(t, func(t *testing.T, table *Table, f *Field, p unsafe.Pointer) {
		var store [4]float64
		q := unsafe.Pointer(&store)
		worst := 0.0
		for range rounds(20000) {
			drawVector(rng, f, p)
			v := f.vector(p)
			first, _ := words4(table, p)
			table.Dequantize(q, first[:], 0, 1)
			if second, _ := words4(table, q); second != first {
				t.Fatalf("%v gives %v, which gives %v", v, first, second)
			}
			if v == (vector{}) {
				continue
			}
			if d := f.angleBetween(v, f.vector(q)); d > worst {
				worst = d
			}
			if table.Compare(p, q) != -1 {
				t.Fatalf("%v is not its quantized %s", v, table.Format(0, q))
			}
		}
		most := f.Tolerance * []float64{2: 0.5, 3: 0.6, 4: 0.7}[f.Len]
		if worst > most*1.001+1e-6 {
			t.Errorf("off by %v, tolerance %v", worst, f.Tolerance)
		}
	})
}

// A word further is within the tolerance.
func TestVectorNeighboursAreEqual(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 46))
	eachVector(t, func(t *testing.T, table *Table, f *Field, p unsafe.Pointer) {
		var store [4]float64
		q := unsafe.Pointer(&store)
		for range rounds(3000) {
			drawVector(rng, f, p)
			w, _ := words4(table, p)
			table.Dequantize(p, w[:], 0, 1)
			k := rng.IntN(f.Words)
			if f.Form == FormQuat {
				k = 1 + rng.IntN(3)
			}
			if w[k] == f.top {
				continue
			}
			w[k]++
			table.Dequantize(q, w[:], 0, 1)
			if back, _ := words4(table, q); back != w {
				continue // no words that a value has
			}
			if table.Compare(p, q) != -1 {
				t.Fatalf("%s and %s are neighbours, %v apart, tolerance %v", table.Format(0, p), table.Format(0, q), f.angleBetween(f.vector(p), f.vector(q)), f.Tolerance)
			}
		}
	})
}

// Turning on, the word counts on.
func TestPlaneIsMonotone(t *testing.T) {
	table := compile[num[[2]float64]](t, Fields{"V": "unit 12"})
	last := int32(0)
	for i := range 100000 {
		y, x := math.Sincos(2 * math.Pi * (float64(i) + 0.5) / 100000)
		v := num[[2]float64]{[2]float64{x, y}}
		q, _ := words4(table, at(&v))
		if q[0] < last && !(q[0] == 0 && i > 99000) {
			t.Fatalf("%v gives %d after %d", v.V, q[0], last)
		}
		last = q[0]
	}
}

func TestAxesAreExact(t *testing.T) {
	for bits := 2; bits <= maxVectorBits; bits++ {
		plane := compile[num[[2]float32]](t, Fields{"V": fmt.Sprint("unit ", bits)})
		space := compile[num[[3]float32]](t, Fields{"V": fmt.Sprint("unit ", bits)})
		for i := range 3 {
			for _, s := range []float32{-1, 1} {
				var v num[[3]float32]
				v.V[i] = s
				want := v
				space.Snap(at(&v))
				if v != want {
					t.Errorf("%d bits: %v comes back as %v", bits, want.V, v.V)
				}
				if w := (num[[2]float32]{[2]float32(v.V[:2])}); i < 2 {
					plane.Snap(at(&w))
					if w.V != [2]float32(want.V[:2]) {
						t.Errorf("%d bits: %v comes back as %v", bits, want.V[:2], w.V)
					}
				}
			}
		}
	}
}

func TestVectorDefaults(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	eachVector(t, func(t *testing.T, table *Table, f *Field, p unsafe.Pointer) {
		want := vector{}
		want[f.axis] = 1
		for _, v := range []vector{{}, {nan}, {1, nan}, {inf, 1}, {1, -inf}} {
			f.setVector(p, v)
			if _, clamped := words4(table, p); clamped != 1 {
				t.Errorf("%v is not counted", v)
			}
			var store [4]float64
			q := unsafe.Pointer(&store)
			raw := table.AppendRaw(nil, p)
			if _, err := table.ReadRaw(raw, q); err != nil || f.vector(q) != want {
				t.Errorf("%v arrives raw as %s, %v", v, table.Format(0, q), err)
			}
			if same := table.Compare(p, q) == -1; same != (v == vector{}) {
				t.Errorf("%v compares with the default: %v", v, same)
			}
			if v == (vector{}) && table.Hash64(p) != table.Hash64(q) {
				t.Error("zero hashes otherwise than its default")
			}
			table.Snap(p)
			if d := f.angleBetween(f.vector(p), want); d > f.Tolerance {
				t.Errorf("%v comes back as %s", v, table.Format(0, p))
			}
		}
		// Lengths far from 1 are directions all the same.
		for _, scale := range []float64{1e-30, 1e-3, 10, 1e30} {
			f.setVector(p, vector{0, scale})
			_, clamped := words4(table, p)
			table.Snap(p)
			if d := f.angleBetween(f.vector(p), vector{0, 1}); clamped != 0 || d > f.Tolerance {
				t.Errorf("at length %v: %s, clamped %d", scale, table.Format(0, p), clamped)
			}
		}
		// Nearly of length 1: bit by bit.
		v := vector{0, round(f.Kind, 1.3)}
		f.setVector(p, v)
		var store [4]float64
		q := unsafe.Pointer(&store)
		if _, err := table.ReadRaw(table.AppendRaw(nil, p), q); err != nil || f.vector(q) != v {
			t.Errorf("%v arrives as %s, %v", v, table.Format(0, q), err)
		}
	})
	tiny := num[[3]float64]{[3]float64{0, 0, -5e-324}}
	huge := num[[3]float64]{[3]float64{0, 0, -math.MaxFloat64}}
	table := compile[num[[3]float64]](t, Fields{"V": "unit 8"})
	for _, v := range []num[[3]float64]{tiny, huge} {
		if table.Snap(at(&v)); v.V != [3]float64{0, 0, -1} {
			t.Errorf("%v", v)
		}
	}
}

// q and −q are one rotation: in words, in comparing and in hashing.
func TestQuatSigns(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 48))
	eachVectorThat(t, func(f *Field) bool { return f.Form == FormQuat }, func(t *testing.T, table *Table, f *Field, p unsafe.Pointer) {
		var store [4]float64
		q := unsafe.Pointer(&store)
		for range rounds(3000) {
			drawVector(rng, f, p)
			v := f.vector(p)
			f.setVector(q, vector{-v[0], -v[1], -v[2], -v[3]})
			a, _ := words4(table, p)
			b, _ := words4(table, q)
			if a != b || table.Compare(p, q) != -1 || table.Hash64(p) != table.Hash64(q) {
				t.Fatalf("%v: words %v and %v", v, a, b)
			}
			table.Snap(q)
			v = f.vector(q)
			if missing := a[0]; v[missing] <= 0 {
				t.Fatalf("%s lacks its sign", table.Format(0, q))
			}
		}
	})
}

func TestVectorTolerance(t *testing.T) {
	turn := func(a float64) num[[4]float64] {
		s, c := math.Sincos(a / 2)
		return num[[4]float64]{[4]float64{0, s, 0, c}}
	}
	quat := compile[num[[4]float64]](t, Fields{"V": "quat 9 tol 0.2"})
	dir := compile[num[[2]float64]](t, Fields{"V": "unit 9 tol 0.2"})
	all := compile[num[[2]float64]](t, Fields{"V": "unit 9 tol 4"})
	exact := compile[num[[2]float64]](t, Fields{"V": "unit 9 tol 0"})
	for _, d := range []float64{0.19, -0.19, 0.21, -0.21} {
		near := math.Abs(d) < 0.2
		a, b := turn(3), turn(3+d)
		if (quat.Compare(at(&a), at(&b)) < 0) != near {
			t.Errorf("rotations %v apart", d)
		}
		s, c := math.Sincos(d)
		x, y := num[[2]float64]{[2]float64{3, 0}}, num[[2]float64]{[2]float64{c, s}}
		if (dir.Compare(at(&x), at(&y)) < 0) != near || all.Compare(at(&x), at(&y)) >= 0 || exact.Compare(at(&x), at(&y)) < 0 {
			t.Errorf("directions %v apart", d)
		}
	}
	a, b := num[[2]float64]{[2]float64{1, 0}}, num[[2]float64]{[2]float64{-1, 0}}
	if all.Compare(at(&a), at(&b)) >= 0 || exact.Compare(at(&a), at(&a)) >= 0 {
		t.Error("the ends of tolerance")
	}
}

func TestVectorLerp(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 50))
	eachVector(t, func(t *testing.T, table *Table, f *Field, p unsafe.Pointer) {
		var b, c [4]float64
		q, r := unsafe.Pointer(&b), unsafe.Pointer(&c)
		for range rounds(3000) {
			drawVector(rng, f, p)
			drawVector(rng, f, q)
			table.Snap(p)
			table.Snap(q)
			at := rng.Float64()
			table.Lerp(r, p, q, at)
			u, v, m := f.vector(p), f.vector(q), f.vector(r)
			if math.Abs(m.square()-1) > 2e-6 {
				t.Fatalf("between %v and %v: %v", u, v, m)
			}
			whole, first, second := f.angleBetween(u, v), f.angleBetween(u, m), f.angleBetween(m, v)
			if whole < 3 && math.Abs(first+second-whole) > 2e-3 {
				t.Fatalf("between %v and %v, %v apart: %v, %v from one and %v from the other", u, v, whole, m, first, second)
			}
			table.Lerp(r, p, q, 0.5)
			if m = f.vector(r); whole < 3 && math.Abs(f.angleBetween(u, m)-whole/2) > 2e-3 {
				t.Fatalf("half way from %v to %v: %v", u, v, m)
			}
		}
	})
	table := compile[num[[2]float64]](t, Fields{"V": "unit 9"})
	a, b, c := num[[2]float64]{[2]float64{1, 0}}, num[[2]float64]{[2]float64{-1, 0}}, num[[2]float64]{}
	if table.Lerp(at(&c), at(&a), at(&b), 0.5); c != a {
		t.Errorf("half way to the opposite: %v", c)
	}
	nan := num[[2]float64]{[2]float64{math.NaN(), 0}}
	if table.Lerp(at(&c), at(&a), at(&nan), 0.5); c != a {
		t.Errorf("half way to nowhere: %v", c)
	}
}

// The order of operations is pinned, as TestQuantizationIsPinned does for numbers.
func TestVectorsArePinned(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	sum := uint64(14695981039346656037)
	for _, tag := range []string{"unit 10", "quat 9"} {
		for range 3000 {
			v := num[[4]float64]{[4]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}}
			var words [4]int32
			var table *Table
			if tag == "quat 9" {
				table = compile[num[[4]float64]](t, Fields{"V": tag})
			} else {
				table = compile[num[[3]float64]](t, Fields{"V": tag})
			}
			table.Quantize(words[:], 0, at(&v), 1)
			table.Dequantize(at(&v), words[:], 0, 1)
			for i := range words {
				sum = (sum ^ uint64(uint32(words[i]))) * 1099511628211
				sum = (sum ^ math.Float64bits(v.V[i])) * 1099511628211
			}
		}
	}
	if sum != 0xee0f403022057e89 {
		t.Errorf("results have the sum %#x", sum)
	}
}

// The formula of the words is the one that recordings of rigid bodies use.
func TestQuatFormula(t *testing.T) {
	table := compile[num[[4]float64]](t, Fields{"V": "quat 9"})
	var v num[[4]float64]
	table.Dequantize(at(&v), []int32{3, 0, 255, 400}, 0, 1)
	for i, w := range []float64{0, 255, 400} {
		if want := (w/511 - 0.5) * math.Sqrt2; math.Abs(v.V[i]-want) > 1e-15 {
			t.Errorf("component %d: %v, want %v", i, v.V[i], want)
		}
	}
	table.Dequantize(at(&v), []int32{9, 511, 511, 0}, 0, 1)
	if want := math.Sqrt(1.0 / 3); math.Abs(v.V[0]-want) > 1e-15 || math.Abs(v.V[2]+want) > 1e-15 || v.V[3] != 0 {
		t.Errorf("garbage gives %v", v.V)
	}
}
