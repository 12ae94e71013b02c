package schema

import (
	"math"
	"unsafe"
)

// Compare returns the index in Fields of the first field in which the components
// at a and b differ by more than its tolerance, or −1. Angles compare the short way
// round; a NaN differs from everything. Where a tolerance is not 0, floats in a
// range are allowed the rounding of their type on top: two neighbours on the wire
// are equal by the default tolerance.
func (t *Table) Compare(a, b unsafe.Pointer) int {
	for i := range t.Fields {
		if f := &t.Fields[i]; f.differ(f.load(a), f.load(b)) {
			return i
		}
	}
	return -1
}

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
	if a == b {
		return false
	}
	// Unsigned subtraction is exact for all integers, once the larger is known.
	d, less := a-b, a < b
	if isSigned(f.Kind) {
		less = int64(a) < int64(b)
	}
	if less {
		d = b - a
	}
	if f.Angle {
		d %= uint64(f.period)
		d = min(d, uint64(f.period)-d)
	}
	return f.within < math.MaxInt64 && d > uint64(f.within)
}
