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
		if k := f.compareRows(a, b, t.Size, row); k < row {
			row, field = k, i
		}
	}
	if field < 0 {
		row = -1
	}
	return row, field
}

// compareRows returns the first of n rows that differs, or n.
func (f *Field) compareRows(a, b unsafe.Pointer, size uintptr, n int) int {
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
	return f.integersDiffer(a, b, size, n)
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

// differs compares the field in the components at a and b. Where lists differ in
// length it is their count that says so.
func (f *Field) differs(a, b unsafe.Pointer) bool {
	switch {
	case f.in != nil && (!f.in.there(a) || !f.in.there(b)):
		return false
	case f.Form == FormUnit || f.Form == FormQuat:
		return f.vectorsDiffer(f.vector(a), f.vector(b))
	case f.Form == FormText:
		return string(f.text(a)) != string(f.text(b))
	}
	return f.differ(f.load(a), f.load(b))
}

// differ compares two numbers.
func (f *Field) differ(a, b uint64) bool {
	if isFloat(f.Kind) {
		x, y := f.number(a), f.number(b)
		if x == y {
			return false
		}
		d := x - y
		if f.Angle {
			d = f.turn(d)
		}
		return !(math.Abs(d) <= f.within)
	}
	if a &= f.mask; a == b&f.mask {
		return false
	}
	b &= f.mask
	// Unsigned subtraction is exact for all integers, once the larger is known.
	d, less := a-b, a < b
	if isSigned(f.Kind) {
		less = int64(a) < int64(b)
	}
	if less {
		d = b - a
	}
	if f.Angle {
		d %= f.cycle
		d = min(d, f.cycle-d)
	}
	return d > f.slack
}
