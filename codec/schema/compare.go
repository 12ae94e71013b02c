package schema

import (
	"math"
	"reflect"
	"unsafe"
)

// Compare returns the index in Fields of the first field in which the components
// at a and b differ by more than its tolerance, or −1. Angles compare the short way
// round, directions and rotations by the angle between them, lists and texts by what
// is in them; a NaN differs from everything. Where a tolerance is not 0, floats in a
// range are allowed the rounding of their type on top: two neighbours on the wire
// are equal by the default tolerance.
func (t *Table) Compare(a, b unsafe.Pointer) int {
	_, field := t.CompareColumn(a, b, 1)
	return field
}

// CompareColumn compares n components at a with those at b, as [Table.Compare]
// does, and returns the first row that differs and its first field that does, or
// −1, −1. Rows are Size bytes apart.
func (t *Table) CompareColumn(a, b unsafe.Pointer, n int) (row, field int) {
	row, field = n, -1
	for i := range t.Fields {
		f := &t.Fields[i]
		if k := compareRows(f, a, b, t.Size, row); k < row {
			row, field = k, i
		}
	}
	if field < 0 {
		row = -1
	}
	return row, field
}

// compareRows returns the first of n rows that differs, or n.
func compareRows(f *Field, a, b unsafe.Pointer, size uintptr, n int) int {
	switch {
	case f.in != nil || f.Form == FormUnit || f.Form == FormQuat || f.Form == FormText || f.Angle && isFloat(f.Kind):
		for i := range n {
			if f.differs(unsafe.Add(a, uintptr(i)*size), unsafe.Add(b, uintptr(i)*size)) {
				return i
			}
		}
		return n
	case f.Kind == reflect.Float32:
		return floatsDiffer[float32](f, a, b, size, n)
	case f.Kind == reflect.Float64:
		return floatsDiffer[float64](f, a, b, size, n)
	}
	return integersDiffer(f, a, b, size, n)
}

// floatsDiffer leaves its kernel for what is not simply near, so that the kernel
// has no call in its loop.
func floatsDiffer[T float32 | float64](f *Field, a, b unsafe.Pointer, size uintptr, n int) int {
	for i := 0; ; i++ {
		i += floatsApart[T](a, b, f.Offset+uintptr(i)*size, size, n-i, f.within)
		if i == n {
			return n
		}
		at := uintptr(i) * size
		if f.differ(f.load(unsafe.Add(a, at)), f.load(unsafe.Add(b, at))) {
			return i
		}
	}
}

// floatsApart returns the first row in which two floats are not within of each
// other, as equal infinities are not, or n.
func floatsApart[T float32 | float64](a, b unsafe.Pointer, off, size uintptr, n int, within float64) int {
	for i := range n {
		d := float64(*(*T)(unsafe.Add(a, off))) - float64(*(*T)(unsafe.Add(b, off)))
		if !(math.Abs(d) <= within) {
			return i
		}
		off += size
	}
	return n
}

// tolerance is how far two values may differ and still compare equal.
type tolerance struct {
	within float64 // Tolerance in the unit of memory, with room for rounding; of vectors the chord
	slack  uint64  // of integers: within in whole numbers, all ones if that is more than 63 bits
	cycle  uint64  // of integers: period
	mask   uint64  // bits that flags may have; of other integers all
}

// wholes settles what the kernels take in whole numbers.
func (t *tolerance) wholes(period float64) {
	t.slack, t.cycle = math.MaxUint64, uint64(period)
	if t.within < math.MaxInt64 {
		t.slack = uint64(t.within)
	}
}

// Distance is how far the components at a and b are apart, in the unit of their
// fields: the length of the difference of what [Table.Lerp] moves, each number one
// direction, angles the short way, and these, directions and rotations in radians.
// Where fields have an axis, of the numbers only they count. What is held, what is in
// lists, what the server decides, and what is not finite does not count.
func (t *Table) Distance(a, b unsafe.Pointer) float64 {
	placed := false
	for i := range t.Fields {
		placed = placed || t.Fields[i].Axis > 0
	}
	sum := 0.0
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.offsets() == 0 || placed && f.Axis == 0 && !f.Angle && f.dims == 0 {
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

// Differs reports whether one field, given by its index in Fields, differs in the
// components at a and b by more than its tolerance, as in [Table.Compare].
func (t *Table) Differs(field int, a, b unsafe.Pointer) bool {
	return compareRows(&t.Fields[field], a, b, t.Size, 1) == 0
}

// Apart is how far the values of one field, given by its index in Fields, are apart in
// the components at a and b, in the field's unit: angles the short way, directions and
// rotations by the angle between them in radians. It reports false for what is no
// number: bools, enums, flags, refs and texts, and what is not finite.
func (t *Table) Apart(field int, a, b unsafe.Pointer) (distance float64, number bool) {
	f := &t.Fields[field]
	switch f.Form {
	case FormEnum, FormFlags, FormRef, FormText:
		return 0, false
	}
	if f.Kind == reflect.Bool || f.in != nil && (!f.in.there(a) || !f.in.there(b)) {
		return 0, false
	}
	d := math.Abs(t.apart(field, a, b))
	return d, d-d == 0
}
