package schema

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"
)

type num[T any] struct{ V T }

// kinds returns tables of one field each. Together they cover every kernel.
func kinds(t testing.TB) map[string]*Table {
	tables := map[string]*Table{}
	add := func(name string, typ reflect.Type, tags ...string) {
		for _, text := range tags {
			table, err := Compile(typ, Fields{"V": text})
			if err != nil {
				t.Fatal(err)
			}
			tables[name+" "+text] = table
		}
	}
	add("bool", reflect.TypeFor[num[bool]](), "hold")
	add("int8", reflect.TypeFor[num[int8]](), "-1..1", "-128..127", "-100..100 step 7", "-128..127 angle", "raw", "enum 2", "enum 128")
	add("uint8", reflect.TypeFor[num[uint8]](), "3..9", "enum 5", "0..255", "0..255 step 16 angle", "10..19 angle", "raw")
	add("int16", reflect.TypeFor[num[int16]](), "-300..300 step 100", "-1800..1799 step 5 angle", "raw")
	add("uint16", reflect.TypeFor[num[uint16]](), "0..65535", "0..65535 step 256 angle", "raw")
	add("int32", reflect.TypeFor[num[int32]](), "-1000000..1000000 step 3", "-1073741823..1073741823", "raw")
	add("uint32", reflect.TypeFor[num[uint32]](), "4000000000..4294967295", "raw", "ref", "enum 2147483647")
	add("int64", reflect.TypeFor[num[int64]](), "-9007199254740991..9007199254740991 step 100000000", "raw")
	add("uint64", reflect.TypeFor[num[uint64]](), "0..1000000000000 step 1000", "raw", "enum 9")
	add("float32", reflect.TypeFor[num[float32]](), "-512..512 step 0.01", "0..1 step 0.3", "-3.3..-1.1 step 0.1",
		"0..359.5 step 0.5 angle", "-3.14..3.13 step 0.01 angle", "0..1023 step 0.0002", "raw", "degrees 170", "degrees 0.5", "degrees 0.7")
	add("float64", reflect.TypeFor[num[float64]](), "-512..512 step 0.01", "0..214748 step 0.0001", "-180..179.9 step 0.1 angle", "raw", "degrees 0.001")
	return tables
}

// eachKind calls f for every table with a component to use.
func eachKind(t *testing.T, f func(t *testing.T, table *Table, fd *Field, p unsafe.Pointer)) {
	eachKindThat(t, func(*Field) bool { return true }, f)
}

// eachKindThat leaves out the kinds that a property is not defined for.
func eachKindThat(t *testing.T, has func(*Field) bool, f func(t *testing.T, table *Table, fd *Field, p unsafe.Pointer)) {
	for name, table := range kinds(t) {
		if !has(&table.Fields[0]) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			v := reflect.New(table.Type)
			f(t, table, &table.Fields[0], v.UnsafePointer())
		})
	}
}

// draw stores a random value: mostly in the range, else anything.
func draw(rng *rand.Rand, f *Field, p unsafe.Pointer) {
	switch {
	case f.Kind == reflect.Bool:
		f.store(p, rng.Uint64()&1)
	case f.Raw || rng.IntN(8) == 0:
		f.store(p, rng.Uint64()>>rng.IntN(64))
	default:
		span := f.Max - f.Min
		f.store(p, f.bits(min(max(f.base+(rng.Float64()*1.2-0.1)*span, f.typeMin()), f.typeMax())))
	}
}

func (f *Field) typeMin() float64 {
	if isFloat(f.Kind) {
		return -math.MaxFloat32
	}
	lo, _ := integerRange(f.Kind)
	return lo
}

func (f *Field) typeMax() float64 {
	if isFloat(f.Kind) {
		return math.MaxFloat32
	}
	_, hi := integerRange(f.Kind)
	return hi
}

func quantizeOne(table *Table, p unsafe.Pointer) (q [2]int32, clamped int) {
	clamped = table.Quantize(q[:], 0, p, 1)
	return q, clamped
}

// A dequantized value quantizes to the same words again, for all words.
func TestQuantizationIsIdempotent(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	eachKind(t, func(t *testing.T, table *Table, f *Field, p unsafe.Pointer) {
		for i := range 5000 {
			q := [2]int32{int32(rng.Uint32()), int32(rng.Uint32())}
			if !f.Raw {
				q = [2]int32{int32(rng.Int64N(int64(f.count)))}
				if i < 2 {
					q[0] = f.top * int32(i)
				}
			}
			table.Dequantize(p, q[:], 0, 1)
			first, clamped := quantizeOne(table, p)
			if clamped != 0 {
				t.Fatalf("%v gives %s, which is clamped", q, table.Format(0, p))
			}
			if !f.Raw && first != q {
				t.Fatalf("%v gives %s, which gives %v", q, table.Format(0, p), first)
			}
			table.Dequantize(p, first[:], 0, 1)
			if second, _ := quantizeOne(table, p); second != first {
				t.Fatalf("%v gives %s, which gives %v", first, table.Format(0, p), second)
			}
		}
	})
}

// A value in the range comes back within half a step, or within one step if the range is not a whole number of steps.
func TestQuantizationError(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	eachKind(t, func(t *testing.T, table *Table, f *Field, p unsafe.Pointer) {
		for range 5000 {
			draw(rng, f, p)
			before := f.number(f.load(p))
			bits := f.load(p)
			lo, hi, step := f.base, f.Max, f.grain
			q, clamped := quantizeOne(table, p)
			if !f.Raw && (q[0] < 0 || q[0] > f.top) {
				t.Fatalf("%v gives word %d of %v", before, q[0], f.count)
			}
			table.Dequantize(p, q[:], 0, 1)
			after := f.number(f.load(p))
			switch {
			case f.Raw:
				if finite := !math.IsNaN(before) && !math.IsInf(before, 0); finite != (clamped == 0) || finite && f.load(p) != bits {
					t.Fatalf("raw %v comes back as %v, clamped %d", before, after, clamped)
				}
			case f.Angle:
				if math.Abs(before) > 1e6 || math.IsNaN(before) {
					continue
				}
				if d := math.Abs(f.shortest(after - before)); d > step*0.5001+spacing(f.Kind, f.hi) || clamped != 0 {
					t.Fatalf("%v comes back as %v, clamped %d", before, after, clamped)
				}
			case before >= lo && before <= hi:
				grid := f.at(f.top)
				most := step * 0.5001
				if before > grid {
					most = step
				}
				if isFloat(f.Kind) {
					most += spacing(f.Kind, max(math.Abs(f.Min), math.Abs(f.Max)))
				}
				if math.Abs(after-before) > most || clamped != 0 {
					t.Fatalf("%v comes back as %v, clamped %d", before, after, clamped)
				}
			case before < lo-step || before > hi+step || math.IsNaN(before):
				if clamped != 1 || after != f.number(f.bits(lo)) && q[0] != f.top && q[0] != f.restWord {
					t.Fatalf("%v comes back as %v, clamped %d", before, after, clamped)
				}
			}
		}
	})
}

// The order of values is the order of their words.
func TestQuantizationIsMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	ordered := func(f *Field) bool { return !f.Raw && !f.Angle }
	eachKindThat(t, ordered, func(t *testing.T, table *Table, f *Field, p unsafe.Pointer) {
		for range 5000 {
			draw(rng, f, p)
			x := f.number(f.load(p))
			a, _ := quantizeOne(table, p)
			draw(rng, f, p)
			y := f.number(f.load(p))
			b, _ := quantizeOne(table, p)
			if x < y && a[0] > b[0] || x > y && a[0] < b[0] {
				t.Fatalf("%v gives %d, %v gives %d", x, a[0], y, b[0])
			}
		}
	})
}

func TestClampedValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		tag     string
		v       float64
		want    float64
		clamped int
	}{
		{"-10..10 step 1", 11, 10, 1},
		{"-10..10 step 1", -10.6, -10, 1},
		{"-10..10 step 1", 10.4, 10, 0},
		{"-10..10 step 1", inf, 10, 1},
		{"-10..10 step 1", -inf, -10, 1},
		{"-10..10 step 1", nan, 0, 1},
		{"5..10 step 1", nan, 5, 1},
		{"-10..-5 step 1", nan, -5, 1},
		{"0..10 step 4", 10, 8, 0},
		{"0..10 step 4", 13, 8, 1},
		{"0..359 step 1 angle", 365, 5, 0},
		{"0..359 step 1 angle", -1, 359, 0},
		{"0..359 step 1 angle", 359.6, 0, 0},
		{"0..359 step 1 angle", -359*1000 - 1000, 0, 0},
		{"0..359 step 1 angle", inf, 0, 1},
		{"90..449 step 1 angle", nan, 90, 1},
		{"raw", nan, 0, 1},
		{"raw", inf, math.MaxFloat64, 1},
		{"raw", -inf, -math.MaxFloat64, 1},
		{"raw", 1e300, 1e300, 0},
	} {
		table := compile[num[float64]](t, Fields{"V": c.tag})
		v := num[float64]{c.v}
		q, clamped := quantizeOne(table, unsafe.Pointer(&v))
		table.Dequantize(unsafe.Pointer(&v), q[:], 0, 1)
		if v.V != c.want || clamped != c.clamped {
			t.Errorf("%v in %s: %v, clamped %d, want %v, %d", c.v, c.tag, v.V, clamped, c.want, c.clamped)
		}
	}
	v := num[float32]{float32(math.Inf(-1))}
	compile[num[float32]](t, Fields{"V": "raw"}).Snap(unsafe.Pointer(&v))
	if v.V != -math.MaxFloat32 {
		t.Errorf("raw −Inf becomes %v", v.V)
	}
}

// Words from the wire may be anything.
func TestDequantizeStaysInRange(t *testing.T) {
	eachKind(t, func(t *testing.T, table *Table, f *Field, p unsafe.Pointer) {
		for _, a := range []int32{math.MinInt32, -1, 0, 1, math.MaxInt32, 0x7f800000, 0x7fc00001} {
			for _, b := range []int32{0, -1, 0x7ff00000, -1 << 20, 0x7ff80000} {
				table.Dequantize(p, []int32{a, b}, 0, 1)
				if !f.valid(f.load(p)) {
					t.Errorf("words %d %d give %s", a, b, table.Format(0, p))
				}
			}
		}
	})
}

func TestFirstClamped(t *testing.T) {
	table := compile[slot](t, nil)
	rows := []slot{{1, 2}, {500, 99}, {3, 100}, {501, 4}}
	if row, field := table.FirstClamped(unsafe.Pointer(&rows[0]), len(rows)); row != 2 || field != 1 {
		t.Errorf("row %d, field %d, want 2, 1", row, field)
	}
	if row, field := table.FirstClamped(unsafe.Pointer(&rows[0]), 2); row != -1 || field != -1 {
		t.Errorf("row %d, field %d, want none", row, field)
	}
}

func TestShortWordsPanic(t *testing.T) {
	table := compile[slot](t, nil)
	rows := make([]slot, 3)
	for name, f := range map[string]func(){
		"short":   func() { table.Quantize(make([]int32, 5), 2, unsafe.Pointer(&rows[0]), 3) },
		"overlap": func() { table.Quantize(make([]int32, 9), 1, unsafe.Pointer(&rows[0]), 3) },
		"source":  func() { table.Dequantize(unsafe.Pointer(&rows[0]), make([]int32, 1), 2, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// The order of operations is pinned by values that a fused multiply-add, or a
// multiplication by 1/step, would round otherwise.
func TestQuantizationIsPinned(t *testing.T) {
	table := compile[num[float64]](t, Fields{"V": "-512..512 step 0.01"})
	f := &table.Fields[0]
	rng := rand.New(rand.NewPCG(19, 20))
	sum, fused := uint64(14695981039346656037), 0
	for range 2000 {
		q := int32(rng.IntN(102401))
		v := num[float64]{}
		table.Dequantize(unsafe.Pointer(&v), []int32{q}, 1, 1)
		if v.V != math.FMA(float64(q), f.Step, f.Min) {
			fused++
		}
		sum = (sum ^ math.Float64bits(v.V)) * 1099511628211
	}
	if fused == 0 {
		t.Error("a fused multiply-add would give the same results, so this test shows nothing")
	}
	if sum != 0x13f01450912dd790 {
		t.Errorf("results have the sum %#x", sum)
	}
}
