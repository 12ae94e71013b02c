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

type integer interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64
}

// integerForms are tags for the values from lo to hi of a type, which are at least
// 256: each of the ranges, steps and tolerances that it tells apart.
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
	return append(tags, "raw", "raw tol 1", "raw tol 9e18", "raw tol 1e19", "enum 5", "flags 6")
}

// Comparisons agree with the definition, and interpolation may write over its sources, for any contents of memory.
func TestIntegers(t *testing.T) {
	t.Run("int8", everyInteger[int8])
	t.Run("uint8", everyInteger[uint8])
	t.Run("int16", everyInteger[int16])
	t.Run("uint16", everyInteger[uint16])
	t.Run("int32", everyInteger[int32])
	t.Run("uint32", everyInteger[uint32])
	t.Run("int64", everyInteger[int64])
	t.Run("uint64", everyInteger[uint64])
}

func everyInteger[T integer](t *testing.T) {
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

// integerPairs returns all pairs of values where something changes, and random ones:
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
	span := uint64(f.Max-f.Min) + 1
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
	f := &table.Fields[0]
	for i := range a {
		p, q := at(&a[i]), at(&b[i])
		general := f.differs(p, q)
		if general != farApart(f, f.load(p), f.load(q)) {
			t.Fatalf("%s: %v and %v: %v", tag, a[i].V, b[i].V, general)
		}
		if got := table.Compare(p, q) == 0; got != general {
			t.Fatalf("%s: %v and %v: Compare says %v", tag, a[i].V, b[i].V, got)
		}
	}
}

// farApart computes what differ computes, with numbers of any size.
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
	for i := range a {
		var want padded[T]
		x, y := a[i], b[i]
		table.Lerp(at(&want), at(&a[i]), at(&b[i]), way)
		table.Lerp(at(&x), at(&x), at(&b[i]), way)
		table.Lerp(at(&y), at(&a[i]), at(&y), way)
		if x.V != want.V || y.V != want.V {
			t.Fatalf("%s: at %v from %v to %v: %v, over its sources %v and %v", tag, way, a[i].V, b[i].V, want.V, x.V, y.V)
		}
	}
}
