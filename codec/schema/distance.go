package schema

import (
	"math"
	"unsafe"
)

// Distance is how far the components at a and b are apart, in the unit of their
// fields: the length of the difference of what [Table.Lerp] moves, each number one
// direction, angles the short way, and these, directions and rotations in radians.
// Where fields have an axis, of the numbers only they count. What is held, what is in
// lists, and what is not finite does not count.
func (t *Table) Distance(a, b unsafe.Pointer) float64 {
	placed := false
	for i := range t.Fields {
		placed = placed || t.Fields[i].Axis > 0
	}
	sum := 0.0
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.offsets() == 0 || placed && f.plain() && f.Axis == 0 {
			continue
		}
		d := t.apart(i, a, b)
		if f.Angle {
			d *= 2 * math.Pi * f.scale / f.period
		}
		if d-d == 0 {
			sum += d * d
		}
	}
	return math.Sqrt(sum)
}

// plain reports whether a field is a number, and neither an angle nor a direction or
// rotation.
func (f *Field) plain() bool { return !f.Angle && f.Form != FormUnit && f.Form != FormQuat }

// apart is the difference of two values of a field, in its unit.
func (t *Table) apart(field int, a, b unsafe.Pointer) float64 {
	f := &t.Fields[field]
	if f.Form == FormUnit || f.Form == FormQuat {
		x, y := f.vector(a), f.vector(b)
		dot := x.dot(&y)
		if f.Form == FormQuat {
			return 2 * math.Acos(min(math.Abs(dot), 1))
		}
		return math.Acos(max(min(dot, 1), -1))
	}
	d := f.number(f.load(b)) - f.number(f.load(a))
	if f.Angle {
		d = f.turn(d)
	}
	if f.scale > 0 {
		d /= f.scale
	}
	return d
}
