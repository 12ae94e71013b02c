package schema

import (
	"math"
	"reflect"
	"testing"
	"unsafe"
)

func TestExtent(t *testing.T) {
	type pose struct {
		X, Y    float32 `net:"-100..100 step 0.01"`
		Heading float32 `net:"0..359 step 1 angle"`
		Lamp    uint8   `net:"0..9 hold"`
		On      bool
	}
	type placed struct {
		X     float32 `net:"-100..100 step 0.01 axis x"`
		Y     float32 `net:"-100..100 step 0.01 axis y"`
		Speed float32 `net:"-100..100 step 0.01"`
		Yaw   float32 `net:"degrees 0.5"`
	}
	check := func(what string, v any, a, b unsafe.Pointer, want float64) {
		t.Helper()
		table, err := Compile(reflect.TypeOf(v), nil)
		if err != nil {
			t.Fatal(err)
		}
		offset := make([]float64, table.Offsets())
		for _, pair := range [][2]unsafe.Pointer{{a, b}, {b, a}} {
			table.Offset(offset, pair[0], pair[1])
			if d := table.Extent(offset); math.Abs(d-want) > 1e-6 {
				t.Errorf("%s: %v, not %v", what, d, want)
			}
		}
		table.Offset(offset, a, a)
		if d := table.Extent(offset); d != 0 {
			t.Errorf("%s: %v to itself", what, d)
		}
	}
	a, b := pose{X: 1, Y: 1, Lamp: 2}, pose{X: 4, Y: 5, Lamp: 7, On: true}
	check("in the plane", a, unsafe.Pointer(&a), unsafe.Pointer(&b), 5)
	b = pose{X: 1, Y: 1, Heading: 352}
	check("the short way", a, unsafe.Pointer(&a), unsafe.Pointer(&b), 8*math.Pi/180)
	b = pose{X: float32(math.NaN()), Y: 3}
	check("not a number", a, unsafe.Pointer(&a), unsafe.Pointer(&b), 2)
	p, q := placed{X: 3, Speed: 9}, placed{Y: 4}
	check("of the numbers axes alone", p, unsafe.Pointer(&p), unsafe.Pointer(&q), 5)
	p, q = placed{Speed: 9}, placed{}
	check("no axis differs", p, unsafe.Pointer(&p), unsafe.Pointer(&q), 9)
	p, q = placed{Yaw: 3}, placed{Yaw: 357, Speed: 9}
	check("a turn on the spot", p, unsafe.Pointer(&p), unsafe.Pointer(&q), 6*math.Pi/180)
}
