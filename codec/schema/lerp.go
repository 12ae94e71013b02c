package schema

import (
	"math"
	"unsafe"
)

// Lerp writes the interpolation between the components at a and b to dst: a for f ≤ 0, b for f ≥ 1. Floats, and integers
// with a step, are interpolated linearly; integers are rounded. Angles, directions and rotations go the short way. Hold
// fields keep the value of a until f reaches 1, and so do lists whose lengths differ. Fields that are not replicated stay
// unchanged in dst. dst may be a or b.
func (t *Table) Lerp(dst, a, b unsafe.Pointer, f float64) {
	if !(f > 0) {
		b = a
	} else if f >= 1 {
		a = b
	}
	// Go backward: the count of a list comes before its elements, which need the old count if dst is a or b.
	for i := len(t.Fields) - 1; i >= 0; i-- {
		t.Fields[i].lerp(dst, a, b, f)
	}
}

// lerp is Lerp for one field.
func (f *Field) lerp(dst, a, b unsafe.Pointer, at float64) {
	switch {
	case !f.in.exists(a):
		f.clear(dst)
	case f.Form == FormText:
		f.copyText(dst, a)
	case f.Hold || a == b || !f.in.sameLength(a, b):
		f.Copy(dst, a)
	case f.Form == FormUnit || f.Form == FormQuat:
		x, y := f.vector(a), f.vector(b)
		if x != y {
			x = f.nlerp(x, y, at)
		}
		f.setVector(dst, x)
	default:
		from, to := f.load(a), f.load(b)
		if from != to { // equal integers stay, even if float64 cannot represent them
			v := f.between(f.number(from), f.number(to), at)
			if !isFloat(f.Kind) {
				v = math.Floor(v + 0.5)
			}
			if f.Angle {
				v = f.wrap(v)
			}
			from = f.bits(v)
		}
		f.store(dst, from)
	}
}

// Hermite is [Table.Lerp] with cubic Hermite curves for the axis fields. A curve goes from a to b and has the speeds of va
// and vb at its ends. va and vb are components of table v, whose rate fields are changes per second. seconds is the time
// between a and b.
//
// A curve stays between its two values and never turns back: speeds are limited as in Fritsch and Carlson, "Monotone
// Piecewise Cubic Interpolation" (1980). Each product is rounded before it is added, so that all peers get the same result.
func (t *Table) Hermite(dst, a, b unsafe.Pointer, v *Table, va, vb unsafe.Pointer, seconds, f float64) {
	if !(f > 0 && f < 1 && seconds > 0) {
		t.Lerp(dst, a, b, f)
		return
	}
	var curved [3]float64 // by axis; computed first, because dst may be a or b
	for i := range t.Fields {
		fd := &t.Fields[i]
		if rate := v.rate(fd.Axis); rate != nil && fd.in == nil {
			curved[fd.Axis-1] = curve(fd.number(fd.load(a)), fd.number(fd.load(b)),
				rate.number(rate.load(va))*seconds, rate.number(rate.load(vb))*seconds, f)
		}
	}
	t.Lerp(dst, a, b, f)
	for i := range t.Fields {
		fd := &t.Fields[i]
		if rate := v.rate(fd.Axis); rate == nil || fd.in != nil {
			continue
		}
		x := curved[fd.Axis-1]
		if x-x != 0 {
			continue // not finite: keep the linear interpolation
		}
		if !isFloat(fd.Kind) {
			x = math.Floor(x + 0.5)
		}
		fd.store(dst, fd.bits(fd.nearest(x)))
	}
}

// rate returns the field that is the speed along an axis, or nil.
func (t *Table) rate(axis uint8) *Field {
	if axis == 0 {
		return nil
	}
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Rate == axis && f.in == nil {
			return f
		}
	}
	return nil
}

// Rates reports whether t has an axis field and v has a rate field for each axis of t.
func (t *Table) Rates(v *Table) bool {
	any := false
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Axis > 0 {
			if v.rate(f.Axis) == nil {
				return false
			}
			any = true
		}
	}
	return any
}

// curve returns the value at f on the curve from x to y. m and n are the slopes at the ends, as changes over the whole
// interval.
func curve(x, y, m, n, f float64) float64 {
	d := y - x
	if d == 0 {
		return x
	}
	m, n = max(m/d, 0), max(n/d, 0)
	if s := float64(m*m) + float64(n*n); s > 9 {
		s = 3 / math.Sqrt(s)
		m, n = float64(m*s), float64(n*s)
	}
	// The share of the way: f·(m + f·((3 − 2m − n) + f·(m + n − 2))).
	c := float64(m+n) - 2
	b := 3 - float64(2*m) - n
	at := float64(f * (m + float64(f*(b+float64(f*c)))))
	return x + float64(d*min(max(at, 0), 1))
}

// Advance moves the axis fields of the component at p by their speeds times seconds. pv is a component of table v, which
// has the rate fields. Values that leave their range stay at its end.
func (t *Table) Advance(p unsafe.Pointer, v *Table, pv unsafe.Pointer, seconds float64) {
	for i := range t.Fields {
		f := &t.Fields[i]
		if rate := v.rate(f.Axis); rate != nil && f.in == nil {
			if d := rate.number(rate.load(pv)) * seconds; d-d == 0 && d != 0 {
				shift(f, p, d)
			}
		}
	}
}
