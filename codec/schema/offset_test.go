package schema

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// Shifting a value by its offset to another one gives the other one, for every kind of field.
func TestOffsetLeadsFromOneToTheOther(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	eachKind(t, func(t *testing.T, table *Table, f *Field, p unsafe.Pointer) {
		if table.Offsets() == 0 || f.Raw {
			return
		}
		var b, c uint64
		q, r := unsafe.Pointer(&b), unsafe.Pointer(&c)
		offset := make([]float64, table.Offsets())
		for range 500 {
			draw(rng, f, p)
			draw(rng, f, q)
			table.Snap(p)
			table.Snap(q)
			c = b
			table.Offset(offset, q, p)
			table.Shift(r, offset, 1)
			if !f.valid(f.load(r)) || table.Compare(p, r) >= 0 {
				t.Fatalf("from %s by the offset to %s: %s", table.Format(0, q), table.Format(0, p), table.Format(0, r))
			}
		}
	})
}

type turning struct {
	Angle float64    `net:"0..359.5 step 0.5 angle"`
	Flat  [2]float64 `net:"unit 16"`
	Aim   [3]float64 `net:"unit 16"`
	Turn  [4]float64 `net:"quat 16"`
	Mode  uint8      `net:"enum 4"`
}

func TestOffsetsGoTheShortWay(t *testing.T) {
	table := compile[turning](t, nil)
	rng := rand.New(rand.NewPCG(7, 8))
	random := func(n int) (v [4]float64) {
		length := 0.0
		for i := range n {
			v[i] = rng.NormFloat64()
			length += v[i] * v[i]
		}
		for i := range v {
			v[i] /= math.Sqrt(length)
		}
		return v
	}
	drawn := func() (x turning) {
		x.Angle = 360 * rng.Float64()
		flat, aim := random(2), random(3)
		x.Flat, x.Aim, x.Turn = [2]float64(flat[:2]), [3]float64(aim[:3]), random(4)
		x.Mode = uint8(rng.IntN(4))
		return x
	}
	offset := make([]float64, table.Offsets())
	for range 2000 {
		a, b := drawn(), drawn()
		half, whole := a, a
		table.Offset(offset, at(&a), at(&b))
		table.Shift(at(&half), offset, 0.5)
		table.Shift(at(&whole), offset, 1)
		way := table.Extent(offset)
		table.Offset(offset, at(&a), at(&half))
		if first := table.Extent(offset); math.Abs(first-way/2) > 1e-6 {
			t.Fatalf("half of the way of %v is %v", way, first)
		}
		table.Offset(offset, at(&half), at(&b))
		if second := table.Extent(offset); math.Abs(second-way/2) > 1e-6 {
			t.Fatalf("after half of the way of %v there is %v left", way, second)
		}
		table.Offset(offset, at(&whole), at(&b))
		if left := table.Extent(offset); left > 1e-6 {
			t.Fatalf("the whole way of %v misses by %v", way, left)
		}
		if whole.Mode != a.Mode {
			t.Fatal("what is held was moved")
		}
		if most := 2 * math.Pi; way > most {
			t.Fatalf("%v is not the short way", way)
		}
	}
}

func TestOffsetBetweenOpposites(t *testing.T) {
	table := compile[turning](t, nil)
	a := turning{Flat: [2]float64{1, 0}, Aim: [3]float64{0, 0, 1}, Turn: [4]float64{0, 0, 0, 1}}
	b := turning{Angle: 180, Flat: [2]float64{-1, 0}, Aim: [3]float64{0, 0, -1}, Turn: [4]float64{1, 0, 0, 0}}
	offset := make([]float64, table.Offsets())
	table.Offset(offset, at(&a), at(&b))
	if got := table.Extent(offset); math.Abs(got-2*math.Pi) > 1e-9 {
		t.Errorf("four half turns have a length of %v", got)
	}
	table.Shift(at(&a), offset, 1)
	table.Offset(offset, at(&a), at(&b))
	if left := table.Extent(offset); left > 1e-6 {
		t.Errorf("%+v after a half turn, %v left", a, left)
	}
}

func TestOffsetOfWhatIsNotFinite(t *testing.T) {
	table := compile[num[float64]](t, Fields{"V": "raw"})
	a, b := num[float64]{math.NaN()}, num[float64]{1}
	offset := make([]float64, 1)
	table.Offset(offset, at(&a), at(&b))
	table.Shift(at(&b), offset, 1)
	if b.V != 1 {
		t.Errorf("%v", b.V)
	}
}
