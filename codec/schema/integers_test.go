package schema

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"
	"unsafe"
)

// padded has its integer off the beginning, and rows wider than it.
type padded[T any] struct {
	Before uint8 `net:"-"`
	V      T
	After  [3]uint8 `net:"-"`
}

// integerForms are tags for the values from lo to hi of a type, which are at least
// 256: every kernel with each of the ranges, steps and tolerances that it tells apart.
func integerForms[T integer](lo, hi float64) (tags []string) {
	type span struct{ lo, hi, step float64 }
	third := math.Floor(hi / 3)
	for _, s := range []span{
		{lo, hi, 1}, {lo, hi, 2}, {lo, hi, math.Ldexp(1, 8*int(unsafe.Sizeof(T(0)))-6)}, // a whole turn of the type
		{0, 63, 1}, {0, 56, 8}, {max(lo, -16), max(lo, -16) + 31, 1}, {2, 3, 1}, // powers of two
		{0, 99, 1}, {0, 95, 5}, {max(lo, -50), max(lo, -50) + 98, 3}, {lo, hi - 1, 1}, {third, 2*third - 1, 1}, // others
	} {
		for _, words := range []string{"", " step " + decimal(s.step)} {
			for _, tol := range []float64{-1, 0, 1, 2.5, math.Floor((s.hi-s.lo)/2) - 1, (s.hi - s.lo) / 2, math.Floor(s.hi/2) + 1, 1e19} {
				tag := decimal(s.lo) + ".." + decimal(s.hi) + words
				if tol >= 0 {
					tag += " tol " + decimal(tol)
				}
				tags = append(tags, tag, tag+" angle", tag+" angle hold")
			}
		}
	}
	return append(tags, "raw", "raw tol 1", "raw tol 9e18", "raw tol 1e19", "0..7 step 0.25 fixed 4", "0..7 step 0.25 fixed 4 angle", "enum 5", "flags 6")
}

// The column kernels agree with the general function, and that one with the definition, for any contents of memory.
func TestIntegerColumns(t *testing.T) {
	t.Run("int8", integerColumns[int8])
	t.Run("uint8", integerColumns[uint8])
	t.Run("int16", integerColumns[int16])
	t.Run("uint16", integerColumns[uint16])
	t.Run("int32", integerColumns[int32])
	t.Run("uint32", integerColumns[uint32])
	t.Run("int64", integerColumns[int64])
	t.Run("uint64", integerColumns[uint64])
}

func integerColumns[T integer](t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	lo, hi := integerRange(compile[num[T]](t, Fields{"V": "raw"}).Fields[0].Kind)
	tested := 0
	for _, tag := range integerForms[T](lo, hi) {
		table, err := Compile(reflect.TypeFor[padded[T]](), Fields{"V": tag})
		if errors.Is(err, ErrTag) {
			continue // more values than a word has, a step longer than the range
		}
		if err != nil {
			t.Fatal(err)
		}
		tested++
		// Tags come in threes and eights: every fifth still meets all of what they say. TACTUS_LONG asks for the rest.
		if os.Getenv("TACTUS_LONG") == "" && tested%5 != 0 {
			continue
		}
		a, b := integerPairs[T](rng, &table.Fields[0])
		compareIntegers(t, tag, table, a, b)
		for _, at := range []float64{0.5, 1e-300, math.Nextafter(1, 0), rng.Float64()} {
			lerpAll(t, tag, table, a, b, at)
		}
	}
	if tested < 250 {
		t.Errorf("only %d tags", tested)
	}
}

// integerPairs are all pairs of values where something changes, and random ones:
// anything, values in the range, and neighbours.
func integerPairs[T integer](rng *rand.Rand, f *Field) (a, b []padded[T]) {
	base, half, cycle, slack := T(int64(f.base)), T(f.cycle/2), T(f.cycle), T(f.slack)
	var zero T
	top := ^zero
	if top < 0 {
		top = T(uint64(math.MaxUint64) >> (65 - 8*unsafe.Sizeof(zero)))
	}
	var edges []T
	for _, e := range []T{zero, base, top, top / 2, top/2 + 1, ^top, half, base + half, cycle, base + cycle, slack, base + slack} {
		edges = append(edges, e-1, e, e+1)
	}
	pair := func(x, y T) { a, b = append(a, padded[T]{V: x}), append(b, padded[T]{V: y}) }
	for _, x := range edges {
		for _, y := range edges {
			pair(x, y)
		}
	}
	span := uint64((f.Max-f.Min)*f.scale) + 1
	for range 200 {
		x := T(rng.Uint64() >> rng.IntN(64))
		in := base + T(rng.Uint64N(max(span, 1)))
		pair(x, T(rng.Uint64()))
		pair(x, in)
		pair(in, base+T(rng.Uint64N(max(span, 1))))
		pair(in, in+T(rng.IntN(9)-4))
		pair(in, in+half+T(rng.IntN(3)-1))
		pair(in, in+slack+T(rng.IntN(3)-1))
	}
	return a, b
}

func compareIntegers[T integer](t *testing.T, tag string, table *Table, a, b []padded[T]) {
	f, want := &table.Fields[0], -1
	for i := range a {
		p, q := at(&a[i]), at(&b[i])
		general := f.differs(p, q)
		if general != farApart(f, f.load(p), f.load(q)) {
			t.Fatalf("%s: %v and %v: %v", tag, a[i].V, b[i].V, general)
		}
		if got := compareRows(f, p, q, table.Size, 1) == 0; got != general {
			t.Fatalf("%s: %v and %v: the kernel says %v", tag, a[i].V, b[i].V, got)
		}
		if general && want < 0 {
			want = i
		}
	}
	if row, _ := table.CompareColumn(at(&a[0]), at(&b[0]), len(a)); row != want {
		t.Fatalf("%s: row %d, want %d", tag, row, want)
	}
}

// farApart is what differ stands for, in numbers of any size.
func farApart(f *Field, x, y uint64) bool {
	whole := func(v uint64) *big.Int {
		if isSigned(f.Kind) {
			return big.NewInt(int64(v))
		}
		return new(big.Int).SetUint64(v & f.mask)
	}
	d := new(big.Int).Sub(whole(x), whole(y))
	d.Abs(d)
	if f.Angle {
		turn, _ := big.NewFloat(f.period).Int(nil)
		d.Mod(d, turn)
		if other := new(big.Int).Sub(turn, d); other.Cmp(d) < 0 {
			d = other
		}
	}
	return f.within < math.MaxInt64 && new(big.Float).SetInt(d).Cmp(big.NewFloat(f.within)) > 0
}

func lerpAll[T integer](t *testing.T, tag string, table *Table, a, b []padded[T], way float64) {
	f, n := &table.Fields[0], len(a)
	got, want := make([]padded[T], n), make([]padded[T], n)
	if f.Hold {
		copy(want, a)
	} else {
		lerpNumbers[T](f, at(&want[0]), at(&a[0]), at(&b[0]), table.Size, n, way)
	}
	check := func(how string) {
		for i := range got {
			if got[i].V != want[i].V {
				t.Fatalf("%s, %s: at %v from %v to %v: %v, want %v", tag, how, way, a[i].V, b[i].V, got[i].V, want[i].V)
			}
		}
	}
	table.LerpColumn(at(&got[0]), at(&a[0]), at(&b[0]), n, way)
	check("column")
	clear(got)
	for i := range got {
		table.Lerp(at(&got[i]), at(&a[i]), at(&b[i]), way)
	}
	check("rows")
	copy(got, a)
	table.LerpColumn(at(&got[0]), at(&got[0]), at(&b[0]), n, way)
	check("over a")
	copy(got, b)
	table.LerpColumn(at(&got[0]), at(&a[0]), at(&got[0]), n, way)
	check("over b")
}
