package schema

import (
	"math"
	"reflect"
	"unsafe"
)

// Lerp writes the interpolation between the components at a and b to dst: a for f ≤ 0, b for f ≥ 1. Floats, and integers
// with a step, are interpolated linearly; integers are rounded. Angles, directions and rotations go the short way. Hold
// fields keep the value of a until f reaches 1, and so do lists whose lengths differ. Fields that are not replicated stay
// unchanged in dst. dst may be a or b.
func (t *Table) Lerp(dst, a, b unsafe.Pointer, f float64) { t.LerpColumn(dst, a, b, 1, f) }

// LerpColumn is [Table.Lerp] for n components at each of dst, a and b, Size bytes apart. dst may equal a or b, but must not
// overlap them otherwise.
func (t *Table) LerpColumn(dst, a, b unsafe.Pointer, n int, f float64) {
	if !(f > 0) {
		b = a
	} else if f >= 1 {
		a = b
	}
	// Go backward: the count of a list comes before its elements, which need the old count if dst is a or b.
	for i := len(t.Fields) - 1; i >= 0; i-- {
		fd := &t.Fields[i]
		switch {
		case fd.in != nil || fd.Form == FormText:
			for k := range n {
				at := uintptr(k) * t.Size
				lerpElement(fd, unsafe.Add(dst, at), unsafe.Add(a, at), unsafe.Add(b, at), f)
			}
		case fd.Hold || a == b:
			fd.copyRows(dst, a, t.Size, n)
		default:
			lerpRows(fd, dst, a, b, t.Size, n, f)
		}
	}
}

// lerpElement is Lerp for one row of a text or of a field in a list.
func lerpElement(f *Field, dst, a, b unsafe.Pointer, at float64) {
	switch {
	case !f.in.exists(a):
		f.clear(dst)
	case f.Form == FormText:
		f.copyText(dst, a)
	case f.Hold || a == b || !f.in.sameLength(a, b):
		f.copyRows(dst, a, 0, 1)
	default:
		lerpRows(f, dst, a, b, 0, 1, at)
	}
}

// lerpRows interpolates n rows of a field that exists in all of them.
func lerpRows(f *Field, dst, a, b unsafe.Pointer, size uintptr, n int, at float64) {
	if f.Form == FormUnit || f.Form == FormQuat {
		for i := range n {
			row := uintptr(i) * size
			x, y := f.vector(unsafe.Add(a, row)), f.vector(unsafe.Add(b, row))
			if x != y {
				x = f.nlerp(x, y, at)
			}
			f.setVector(unsafe.Add(dst, row), x)
		}
		return
	}
	switch f.Kind {
	case reflect.Int8:
		lerpIntegers[int8](f, dst, a, b, size, n, at)
	case reflect.Uint8:
		lerpIntegers[uint8](f, dst, a, b, size, n, at)
	case reflect.Int16:
		lerpIntegers[int16](f, dst, a, b, size, n, at)
	case reflect.Uint16:
		lerpIntegers[uint16](f, dst, a, b, size, n, at)
	case reflect.Int32:
		lerpIntegers[int32](f, dst, a, b, size, n, at)
	case reflect.Uint32:
		lerpIntegers[uint32](f, dst, a, b, size, n, at)
	case reflect.Int64:
		lerpIntegers[int64](f, dst, a, b, size, n, at)
	case reflect.Uint64:
		lerpIntegers[uint64](f, dst, a, b, size, n, at)
	case reflect.Float32:
		lerpFloats[float32](f, dst, a, b, size, n, at)
	case reflect.Float64:
		lerpFloats[float64](f, dst, a, b, size, n, at)
	}
}

// lerpFloats interpolates n rows of floats. Values that are not finite and angles are left to lerpNumbers.
func lerpFloats[T float32 | float64](f *Field, dst, a, b unsafe.Pointer, size uintptr, n int, at float64) {
	if f.Angle {
		lerpNumbers[T](f, dst, a, b, size, n, at)
		return
	}
	for i := 0; ; i++ {
		i += lerpLine[T](dst, a, b, f.Offset+uintptr(i)*size, size, n-i, at)
		if i == n {
			return
		}
		row := uintptr(i) * size
		lerpNumbers[T](f, unsafe.Add(dst, row), unsafe.Add(a, row), unsafe.Add(b, row), 0, 1, at)
	}
}

// lerpLine interpolates up to the first result that is not finite, and returns the number of rows. It rounds the product
// before the sum.
func lerpLine[T float32 | float64](dst, a, b unsafe.Pointer, off, size uintptr, n int, at float64) int {
	for i := range n {
		x, y := float64(*(*T)(unsafe.Add(a, off))), float64(*(*T)(unsafe.Add(b, off)))
		v := float64(x + float64((y-x)*at))
		if v-v != 0 {
			return i
		}
		*(*T)(unsafe.Add(dst, off)) = T(v)
		off += size
	}
	return n
}

// lerpNumbers interpolates n rows of any numbers.
func lerpNumbers[T numeric](f *Field, dst, a, b unsafe.Pointer, size uintptr, n int, at float64) {
	off := f.Offset
	whole := !isFloat(f.Kind)
	for range n {
		from, to := *(*T)(unsafe.Add(a, off)), *(*T)(unsafe.Add(b, off))
		if from != to {
			v := f.between(float64(from), float64(to), at)
			if whole {
				v = math.Floor(v + 0.5)
			}
			if f.Angle {
				v = f.wrap(v)
			}
			from = T(v)
		}
		*(*T)(unsafe.Add(dst, off)) = from
		off += size
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
			scale := fd.scale * seconds / rate.scale
			curved[fd.Axis-1] = curve(fd.number(fd.load(a)), fd.number(fd.load(b)),
				rate.number(rate.load(va))*scale, rate.number(rate.load(vb))*scale, f)
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
			if d := rate.number(rate.load(pv)) * f.scale * seconds / rate.scale; d-d == 0 && d != 0 {
				shift(f, p, d)
			}
		}
	}
}
