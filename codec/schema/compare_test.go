package schema

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

func at[T any](v *T) unsafe.Pointer { return unsafe.Pointer(v) }

func TestCompareTolerance(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		tag  string
		a, b float64
		same bool
	}{
		{"-512..512 step 0.01", 1, 1.0099, true},
		{"-512..512 step 0.01", 1, 1.0101, false},
		{"-512..512 step 0.01 tol 0", 1, 1, true},
		{"-512..512 step 0.01 tol 0", 1, 1.000001, false},
		{"-512..512 step 0.01 tol 2", -1, 1, true},
		{"-512..512 step 0.01 tol 2", -1.1, 1, false},
		{"-512..512 step 0.01", nan, 1, false},
		{"-512..512 step 0.01", nan, nan, false},
		{"-512..512 step 0.01", inf, inf, true},
		{"-512..512 step 0.01", inf, 512, false},
		{"raw", 0, math.Copysign(0, -1), true},
		{"raw", 1, math.Nextafter(1, 2), false},
		{"raw tol 0.5", 1, 1.5, true},
		{"0..359 step 1 angle", 0, 359, true},
		{"0..359 step 1 angle", 359.5, 0.2, true},
		{"0..359 step 1 angle", 0, 358.5, false},
		{"0..359 step 1 angle", 0, 180, false},
		{"0..359 step 1 angle", 725, 5, true},
		{"0..359 step 1 angle tol 90", 45, 315, true},
	} {
		table := compile[num[float64]](t, Fields{"V": c.tag})
		a, b := num[float64]{c.a}, num[float64]{c.b}
		for range 2 {
			if got := table.Compare(at(&a), at(&b)); (got < 0) != c.same {
				t.Errorf("%s: %v and %v: %d", c.tag, a.V, b.V, got)
			}
			a, b = b, a
		}
	}
}

func TestCompareIntegers(t *testing.T) {
	big := compile[num[uint64]](t, Fields{"V": "raw"})
	a, b := num[uint64]{1 << 63}, num[uint64]{1<<63 + 1}
	if big.Compare(at(&a), at(&b)) != 0 || big.Compare(at(&a), at(&a)) != -1 {
		t.Error("raw uint64")
	}
	wide := compile[num[int64]](t, Fields{"V": "raw tol 1"})
	lo, hi := num[int64]{math.MinInt64}, num[int64]{math.MaxInt64}
	if wide.Compare(at(&lo), at(&hi)) != 0 || wide.Compare(at(&hi), at(&lo)) != 0 {
		t.Error("the ends of int64 are not neighbours")
	}
	turn := compile[num[uint16]](t, Fields{"V": "0..65535 step 256 angle"})
	x, y := num[uint16]{65500}, num[uint16]{100}
	z := num[uint16]{400}
	if turn.Compare(at(&x), at(&y)) != -1 || turn.Compare(at(&y), at(&x)) != -1 || turn.Compare(at(&x), at(&z)) != 0 {
		t.Error("angle of integers")
	}
	count := compile[num[int8]](t, Fields{"V": "-9..9"})
	m, n := num[int8]{-1}, num[int8]{0}
	if count.Compare(at(&m), at(&n)) != 0 {
		t.Error("an integer without a step compares exactly")
	}
}

func TestCompareNamesTheFirstField(t *testing.T) {
	table := compile[everything](t, nil)
	var a, b everything
	b.cache, b.Scrap.Item, b.Depth = 5, 6, 1.5
	if k := table.Compare(at(&a), at(&b)); k != -1 {
		t.Errorf("differs in %s", table.Fields[k].Path)
	}
	b.Alive, b.Key[1] = true, 3
	if k := table.Compare(at(&a), at(&b)); k < 0 || table.Fields[k].Path != "Alive" {
		t.Errorf("field %d", k)
	}
}

// With the default tolerance, a quantized value equals the original, and neighbouring values on the wire are equal.
func TestQuantizedComparesEqual(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	tolerant := func(f *Field) bool { return !f.Raw && f.Tolerance > 0 }
	eachKindThat(t, tolerant, func(t *testing.T, table *Table, f *Field, p unsafe.Pointer) {
		store := make([]uint64, 1)
		q := unsafe.Pointer(&store[0])
		for range 2000 {
			lo, hi := f.base, f.Max
			f.store(p, f.bits(min(lo+rng.Float64()*(hi-lo), hi)))
			if !isFloat(f.Kind) {
				f.store(p, f.bits(math.Floor(f.number(f.load(p)))))
			}
			f.store(q, f.load(p))
			table.Snap(q)
			if table.Compare(p, q) != -1 {
				t.Fatalf("%s is not its quantized %s", table.Format(0, p), table.Format(0, q))
			}
			w := rng.Int32N(f.top)
			table.Dequantize(p, []int32{w}, 1, 1)
			table.Dequantize(q, []int32{w + 1}, 1, 1)
			if table.Compare(p, q) != -1 {
				t.Fatalf("%s and %s are neighbours", table.Format(0, p), table.Format(0, q))
			}
		}
	})
}

func TestHash64(t *testing.T) {
	table := compile[everything](t, nil)
	var a, b everything
	b.cache, b.Scrap.Count = 1, 2
	// All bytes of b are set, then each field again: only the padding differs.
	for i, p := 0, (*[unsafe.Sizeof(b)]byte)(at(&b)); i < len(p); i++ {
		p[i] = 0xff
	}
	for i := range table.Fields {
		table.Fields[i].store(at(&b), 0)
	}
	b.Pos.X, b.Exact = float32(math.Copysign(0, -1)), math.Copysign(0, -1)
	if table.Hash64(at(&a)) != table.Hash64(at(&b)) {
		t.Error("padding, fields that are not replicated or the sign of 0 change the hash")
	}
	a.Rough, b.Rough = float32(math.NaN()), math.Float32frombits(0x7fc12345)
	if table.Hash64(at(&a)) != table.Hash64(at(&b)) {
		t.Error("the bits of a NaN change the hash")
	}
	a.Rough = 0
	seen := map[uint64]string{table.Hash64(at(&a)): "nothing"}
	for i := range table.Fields {
		f := &table.Fields[i]
		c := a
		f.store(at(&c), 1)
		h := table.Hash64(at(&c))
		if other, ok := seen[h]; ok {
			t.Errorf("1 in %s hashes like %s", f.Path, other)
		}
		seen[h] = f.Path
	}
	if h := table.Hash64(at(&a)); h != 0x3bf304e9a7d4a106 {
		t.Errorf("hash %#x: recordings of other versions would not match", h)
	}
	one := compile[num[int8]](t, Fields{"V": "0..1"})
	two := compile[num[int8]](t, Fields{"V": "0..2"})
	v := num[int8]{1}
	if one.Hash64(at(&v)) == two.Hash64(at(&v)) {
		t.Error("components of two kinds hash alike")
	}
}

// The hashes of neighbouring states differ in about half of their bits.
func TestHash64Avalanche(t *testing.T) {
	table := compile[num[uint64]](t, Fields{"V": "raw"})
	rng := rand.New(rand.NewPCG(23, 24))
	flips, n := 0, 0
	for range 200 {
		v := num[uint64]{rng.Uint64() >> rng.IntN(64)}
		h := table.Hash64(at(&v))
		for bit := range 64 {
			w := num[uint64]{v.V ^ 1<<bit}
			for d := h ^ table.Hash64(at(&w)); d != 0; d &= d - 1 {
				flips++
			}
			n += 64
		}
	}
	if share := float64(flips) / float64(n); math.Abs(share-0.5) > 0.01 {
		t.Errorf("%.3f of the bits change", share)
	}
}

// A tolerance of 0 allows no difference at all, not even by the rounding of a type.
func TestNoToleranceForgivesNoRounding(t *testing.T) {
	table := compile[num[float64]](t, Fields{"V": "-512..512 step 0.01 tol 0"})
	a, b := num[float64]{1}, num[float64]{math.Nextafter(1, 2)}
	if table.Compare(at(&a), at(&b)) != 0 {
		t.Error("neighbours are equal")
	}
	raw := compile[num[float32]](t, Fields{"V": "raw tol 0.25"})
	c, d := num[float32]{1}, num[float32]{math.Nextafter32(1.25, 2)}
	if raw.Compare(at(&c), at(&d)) != 0 {
		t.Error("a tolerance without a range has no rounding on top")
	}
}
