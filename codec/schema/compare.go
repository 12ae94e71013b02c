package schema

import (
	"math"
	"reflect"
	"unsafe"
)

// Compare returns the index in Fields of the first field in which the components at a and b differ by more than its
// tolerance, or −1. Angles are compared the short way round, directions and rotations by the angle between them, lists and
// texts by their contents. A NaN differs from every value. A tolerance above 0 allows for the rounding of floats in a
// range, so neighbouring encoded values are equal with the default tolerance.
func (t *Table) Compare(a, b unsafe.Pointer) int {
	for i := range t.Fields {
		if t.Fields[i].differs(a, b) {
			return i
		}
	}
	return -1
}

// tolerance is the largest difference at which values compare equal.
type tolerance struct {
	within float64 // Tolerance plus rounding; for vectors the length of the chord
	slack  uint64  // for integers: within as an integer, all ones above 63 bits
	cycle  uint64  // for integers: the period of an angle
	mask   uint64  // defined flags; all ones for other integers
}

// setIntegers sets the integer forms of within and period.
func (t *tolerance) setIntegers(period float64) {
	t.slack, t.cycle = math.MaxUint64, uint64(period)
	if t.within < math.MaxInt64 {
		t.slack = uint64(t.within)
	}
}

// difference returns the signed difference of a field in its unit, or the angle between directions or rotations.
func (t *Table) difference(field int, a, b unsafe.Pointer) float64 {
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
		d = f.shortest(d)
	}
	return d
}

// Differs reports whether one field differs between the components at a and b by more than its tolerance, as in
// [Table.Compare]. field is an index in Fields.
func (t *Table) Differs(field int, a, b unsafe.Pointer) bool {
	return t.Fields[field].differs(a, b)
}

// Apart returns the distance between the values of one field in the components at a and b, in the unit of the field. field
// is an index in Fields. Angles count the short way round; directions and rotations give the angle between them in radians.
// number is false for bools, enums, flags, refs and texts, and for values that are not finite.
func (t *Table) Apart(field int, a, b unsafe.Pointer) (distance float64, number bool) {
	f := &t.Fields[field]
	switch f.Form {
	case FormEnum, FormFlags, FormRef, FormText:
		return 0, false
	}
	if f.Kind == reflect.Bool || f.in != nil && (!f.in.exists(a) || !f.in.exists(b)) {
		return 0, false
	}
	d := math.Abs(t.difference(field, a, b))
	return d, d-d == 0
}
