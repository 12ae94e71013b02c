package schema

import (
	"math"
	"unsafe"
)

// Hermite is [Table.Lerp] but for the fields that are an axis: these go on the cubic
// Hermite curve from a to b that leaves and arrives with the speeds at va and vb,
// components of table v, whose rate fields are changes a second. a and b are seconds
// apart.
//
// A curve between two values of an axis never leaves what lies between them, and never
// turns back: where the speeds would make it they are cut to the limit that Fritsch and
// Carlson, "Monotone Piecewise Cubic Interpolation" (1980), give. Each product is rounded
// before it is added, so that peers draw the same.
func (t *Table) Hermite(dst, a, b unsafe.Pointer, v *Table, va, vb unsafe.Pointer, seconds, f float64) {
	if !(f > 0 && f < 1 && seconds > 0) {
		t.Lerp(dst, a, b, f)
		return
	}
	var bent [3]float64 // by axis, as dst may be a or b
	for i := range t.Fields {
		fd := &t.Fields[i]
		if rate := v.rate(fd.Axis); rate != nil && fd.in == nil {
			scale := fd.scale * seconds / rate.scale
			bent[fd.Axis-1] = curve(fd.number(fd.load(a)), fd.number(fd.load(b)),
				rate.number(rate.load(va))*scale, rate.number(rate.load(vb))*scale, f)
		}
	}
	t.Lerp(dst, a, b, f)
	for i := range t.Fields {
		fd := &t.Fields[i]
		if rate := v.rate(fd.Axis); rate == nil || fd.in != nil {
			continue
		}
		x := bent[fd.Axis-1]
		if x-x != 0 {
			continue // not finite: the line stands
		}
		if !isFloat(fd.Kind) {
			x = math.Floor(x + 0.5)
		}
		fd.store(dst, fd.bits(fd.nearest(x)))
	}
}

// rate is the field that is the speed along an axis, or nil.
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

// Rates reports whether v has a rate field for each axis of t, and t has an axis.
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

// curve is the value at f of the way from x to y; m and n are the slopes at the ends, in
// changes over all of the way.
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
	// Of the way: f·(m + f·((3 − 2m − n) + f·(m + n − 2))).
	c := float64(m+n) - 2
	b := 3 - float64(2*m) - n
	at := float64(f * (m + float64(f*(b+float64(f*c)))))
	return x + float64(d*min(max(at, 0), 1))
}

// Advance moves the fields at p that are an axis on by what the speeds at pv, a component
// of table v, make of a time. What leaves its range stays at the end of that.
func (t *Table) Advance(p unsafe.Pointer, v *Table, pv unsafe.Pointer, seconds float64) {
	for i := range t.Fields {
		f := &t.Fields[i]
		if rate := v.rate(f.Axis); rate != nil && f.in == nil {
			if d := rate.number(rate.load(pv)) * f.scale * seconds / rate.scale; d-d == 0 && d != 0 {
				f.shift(p, d)
			}
		}
	}
}
