package schema

import (
	"math"
	"reflect"
	"unsafe"
)

// Lerp writes to dst what lies between the components at a and b: a for f ≤ 0, b
// for f ≥ 1. Floats, and integers with a step, go in a straight line, integers
// rounded; angles go the short way; hold fields stay at a until f reaches 1. Fields
// that are not replicated stay as they are in dst, which may be a or b.
func (t *Table) Lerp(dst, a, b unsafe.Pointer, f float64) {
	for i := range t.Fields {
		fd := &t.Fields[i]
		from, to := fd.load(a), fd.load(b)
		switch {
		case f >= 1:
			from = to
		case f > 0 && !fd.Hold && from != to:
			from = fd.between(from, to, f)
		}
		fd.store(dst, from)
	}
}

// between returns the bits of the value at 0 < f < 1 of the way.
func (f *Field) between(from, to uint64, at float64) uint64 {
	x, y := f.number(from), f.number(to)
	d := y - x
	if f.Angle {
		d = f.turn(d)
	}
	v := float64(x + float64(d*at))
	if math.IsInf(d, 0) {
		// The two are so far apart that their difference is not a float.
		v = float64(x*(1-at)) + float64(y*at)
	}
	if !isFloat(f.Kind) {
		v = math.Floor(v + 0.5)
	}
	if f.Angle {
		v = f.wrap(v)
	}
	return f.bits(v)
}

// Snap gives the component at p the values that a receiver will see: quantized
// and back. It is done to inputs before they are applied locally, so that both
// sides apply the same.
func (t *Table) Snap(p unsafe.Pointer) {
	var q [2]int32
	for i := range t.Fields {
		f := &t.Fields[i]
		f.quantize(q[:], 0, 0, p, 0, 1)
		f.dequantize(p, q[:], 0, 0, 0, 1)
	}
}

// ClearEdges sets the edge fields of the component at p to 0 or, where the range
// excludes it, to the value closest to 0: what a repeated input presses.
func (t *Table) ClearEdges(p unsafe.Pointer) {
	for i := range t.Fields {
		f := &t.Fields[i]
		if !f.Edge {
			continue
		}
		if f.Kind == reflect.Bool || f.Raw {
			f.store(p, 0)
		} else {
			f.store(p, f.bits(f.rest))
		}
	}
}
