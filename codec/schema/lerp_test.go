package schema

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

func lerp[T any](t *testing.T, tag string, a, b T, f float64) T {
	t.Helper()
	table := compile[num[T]](t, Fields{"V": tag})
	x, y, z := num[T]{a}, num[T]{b}, num[T]{}
	table.Lerp(at(&z), at(&x), at(&y), f)
	return z.V
}

func TestLerp(t *testing.T) {
	if v := lerp[float32](t, "-10..10 step 0.1", 1, 3, 0.25); v != 1.5 {
		t.Errorf("float: %v", v)
	}
	if v := lerp[float64](t, "raw", -math.MaxFloat64, math.MaxFloat64, 0.5); v != 0 {
		t.Errorf("far floats: %v", v)
	}
	if v := lerp[float32](t, "-10..10 step 0.1 hold", 1, 3, 0.99); v != 1 {
		t.Errorf("held float: %v", v)
	}
	if v := lerp[int16](t, "-10..10", 1, 9, 0.99); v != 1 {
		t.Errorf("integer without a step: %v", v)
	}
	if v := lerp[int16](t, "-10..10 step 1", -1, -9, 0.3); v != -3 {
		t.Errorf("integer with a step: %v", v)
	}
	if v := lerp(t, "hold", false, true, 0.99); v {
		t.Error("bool")
	}
	if v := lerp(t, "hold", false, true, 1); !v {
		t.Error("bool at the end")
	}
	if v := lerp[uint64](t, "raw", 5, 1<<63, 0.5); v != 5 {
		t.Errorf("raw integer: %v", v)
	}
	for _, f := range []float64{-1, 0, math.NaN()} {
		if v := lerp[float64](t, "raw", 5, 6, f); v != 5 {
			t.Errorf("at %v: %v", f, v)
		}
	}
	if v := lerp[float64](t, "raw", 5, 6, 2); v != 6 {
		t.Errorf("past the end: %v", v)
	}
}

func TestLerpAnglesGoTheShortWay(t *testing.T) {
	for _, c := range []struct{ a, b, f, want float64 }{
		{350, 10, 0.25, 355},
		{350, 10, 0.75, 5},
		{350, 10, 0.5, 0},
		{10, 350, 0.75, 355},
		{10, 100, 0.5, 55},
		{90, 270.5, 0.5, 0.25},
	} {
		if v := lerp(t, "0..359.5 step 0.5 angle", c.a, c.b, c.f); v != c.want {
			t.Errorf("from %v to %v: %v, want %v", c.a, c.b, v, c.want)
		}
	}
	if v := lerp[uint16](t, "0..65535 step 256 angle", 65000, 1000, 0.5); v != 232 {
		t.Errorf("uint16: %v", v)
	}
	if v := lerp[int8](t, "-128..127 angle", 127, -127, 0.5); v != -128 {
		t.Errorf("int8: %v", v)
	}
}

// A value between two valid values is valid, and no further from either than they are from each other.
func TestLerpStaysBetween(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	eachKind(t, func(t *testing.T, table *Table, f *Field, p unsafe.Pointer) {
		var b, c uint64
		q, r := unsafe.Pointer(&b), unsafe.Pointer(&c)
		for range 3000 {
			draw(rng, f, p)
			draw(rng, f, q)
			table.Snap(p)
			table.Snap(q)
			table.Lerp(r, p, q, rng.Float64())
			if !f.valid(f.load(r)) {
				t.Fatalf("between %s and %s: %s", table.Format(0, p), table.Format(0, q), table.Format(0, r))
			}
			x, y, z := f.number(f.load(p)), f.number(f.load(q)), f.number(f.load(r))
			if !f.Angle && (z < min(x, y) || z > max(x, y)) {
				t.Fatalf("between %v and %v: %v", x, y, z)
			}
			if whole := math.Abs(f.shortest(y - x)); f.Angle && math.Abs(f.shortest(z-x)) > whole+1+f.Step*1e-3 {
				t.Fatalf("between %v and %v: %v", x, y, z)
			}
		}
	})
}

func TestLerpInPlace(t *testing.T) {
	table := compile[everything](t, nil)
	a, b := everything{Pos: vec{0, 10}, Aim: 65280, cache: 3}, everything{Pos: vec{10, 20}, Aim: 512, cache: 4}
	table.Lerp(at(&b), at(&a), at(&b), 0.5)
	if b.Pos != (vec{5, 15}) || b.Aim != 128 || b.cache != 4 {
		t.Errorf("%+v", b)
	}
}

func TestInputs(t *testing.T) {
	type input struct {
		Stick  float32 `net:"-1..1 step 0.25"`
		Fire   bool    `net:"edge"`
		Crouch bool
		Weapon int8   `net:"1..5 edge"`
		Code   uint32 `net:"raw edge"`
	}
	table := compile[input](t, nil)
	in := input{Stick: 0.3, Fire: true, Crouch: true, Weapon: 9, Code: 7}
	table.Snap(at(&in))
	if in != (input{Stick: 0.25, Fire: true, Crouch: true, Weapon: 5, Code: 7}) {
		t.Errorf("snapped: %+v", in)
	}
	table.ClearEdges(at(&in))
	if in != (input{Stick: 0.25, Crouch: true, Weapon: 1}) {
		t.Errorf("repeated: %+v", in)
	}
}

func TestFormat(t *testing.T) {
	table := compile[everything](t, nil)
	v := everything{Pos: vec{X: 0.1}, Exact: 1e-7, Seed: math.MaxUint64, Tiny: -3, Alive: true}
	want := map[string]string{"Pos.X": "0.1", "Exact": "1e-07", "Seed": "18446744073709551615", "Tiny": "-3", "Alive": "true", "Fire": "false"}
	for i, f := range table.Fields {
		if w, ok := want[f.Path]; ok && table.Format(i, at(&v)) != w {
			t.Errorf("%s: %s, want %s", f.Path, table.Format(i, at(&v)), w)
		}
	}
}
