package schema

import (
	"math"
	"unsafe"
)

// An offset is the difference of two values of a component, which can be scaled and applied to a third value. It is a number
// for a number, the short way for an angle, and a rotation vector (axis times angle) for a direction or a rotation. Use offsets
// for drawing only: sines differ between CPUs, so peers would compute different states.

// Offsets returns the number of floats of an offset of the component. Fields that [Table.Lerp] holds, that the server
// decides, or that are in lists have no offset.
func (t *Table) Offsets() int {
	n := 0
	for i := range t.Fields {
		n += t.Fields[i].offsetLen()
	}
	return n
}

// Offset writes the offset from the component at from to the component at to. dst has [Table.Offsets] floats. Values that
// are not finite have the offset 0.
func (t *Table) Offset(dst []float64, from, to unsafe.Pointer) {
	at := 0
	for i := range t.Fields {
		f := &t.Fields[i]
		n := f.offsetLen()
		if n > 0 {
			offset(f, dst[at:at+n], from, to)
		}
		at += n
	}
}

func offset(f *Field, dst []float64, from, to unsafe.Pointer) {
	clear(dst)
	if f.Form == FormUnit || f.Form == FormQuat {
		x, ok := f.direction(f.vector(from))
		y, fine := f.direction(f.vector(to))
		if ok && fine && x != y {
			f.rotationVector(dst, &x, &y)
		}
		return
	}
	d := f.number(f.load(to)) - f.number(f.load(from))
	if f.Angle {
		d = f.shortest(d)
	}
	if d-d == 0 {
		dst[0] = d
	}
}

// rotationVector writes the rotation vector that rotates x to y. In the plane it is one angle.
func (s *space) rotationVector(dst []float64, x, y *vector) {
	if s.dims == 2 {
		dst[0] = math.Atan2(x[0]*y[1]-x[1]*y[0], x.dot(y))
		return
	}
	var axis vector
	half, cos := 1.0, x.dot(y)
	if s.rotation {
		inverse := vector{-x[0], -x[1], -x[2], x[3]}
		axis = multiply(y, &inverse)
		half, cos = 2, axis[3]
		axis[3] = 0
		if cos < 0 { // the same rotation, the short way
			axis, cos = vector{-axis[0], -axis[1], -axis[2]}, -cos
		}
	} else {
		axis = cross(x, y)
	}
	sin := math.Sqrt(axis.square())
	if sin == 0 {
		if cos >= 0 {
			return
		}
		axis = perpendicular(x) // opposite directions: any perpendicular axis will do
		sin = math.Sqrt(axis.square())
		cos = -1e300
	}
	turn := half * math.Atan2(sin, cos) / sin
	for i := range dst {
		dst[i] = axis[i] * turn
	}
}

// Shift moves the component at p by part times offset. Values that leave their range stay at its end; integers are rounded.
func (t *Table) Shift(p unsafe.Pointer, offset []float64, part float64) {
	at := 0
	for i := range t.Fields {
		f := &t.Fields[i]
		switch n := f.offsetLen(); n {
		case 1:
			if d := offset[at] * part; d != 0 {
				shift(f, p, d)
			}
			at++
		case 3:
			if v := (vector{offset[at] * part, offset[at+1] * part, offset[at+2] * part}); v != (vector{}) {
				rotate(f, p, v)
			}
			at += 3
		}
	}
}

func shift(f *Field, p unsafe.Pointer, d float64) {
	if f.Form == FormUnit {
		x, _ := f.direction(f.vector(p))
		sin, cos := math.Sincos(d)
		f.setVector(p, vector{x[0]*cos - x[1]*sin, x[0]*sin + x[1]*cos})
		return
	}
	v := f.number(f.load(p)) + d
	if !isFloat(f.Kind) {
		v = math.Floor(v + 0.5)
	}
	f.store(p, f.bits(f.nearest(v)))
}

// rotate rotates a direction in space, or a rotation, by the rotation vector v.
func rotate(f *Field, p unsafe.Pointer, v vector) {
	x, _ := f.direction(f.vector(p))
	angle := math.Sqrt(v.square())
	sin, cos := math.Sincos(angle / 2)
	q := vector{v[0] / angle * sin, v[1] / angle * sin, v[2] / angle * sin, cos}
	x = multiply(&q, &x)
	if f.Form == FormUnit {
		q[0], q[1], q[2] = -q[0], -q[1], -q[2]
		x = multiply(&x, &q)
		x[3] = 0
	}
	if u, ok := x.unit(); ok {
		f.setVector(p, u)
	}
}

// Extent returns the length of an offset in the unit of the fields; angles, directions and rotations are in radians. If
// some fields have an axis, other numbers count only while these fields and the angles are equal.
func (t *Table) Extent(offset []float64) float64 {
	all, placed, axes, at := 0.0, 0.0, false, 0
	for i := range t.Fields {
		f := &t.Fields[i]
		axes = axes || f.Axis > 0
		for range f.offsetLen() {
			d := offset[at]
			if f.Angle {
				d *= 2 * math.Pi / f.period
			}
			all += d * d
			if f.Axis > 0 || f.Angle || f.dims > 0 {
				placed += d * d
			}
			at++
		}
	}
	if axes && placed > 0 {
		return math.Sqrt(placed)
	}
	return math.Sqrt(all)
}

// multiply returns the product of two quaternions x, y, z, w: the rotation b followed by a.
func multiply(a, b *vector) vector {
	return vector{
		a[3]*b[0] + a[0]*b[3] + a[1]*b[2] - a[2]*b[1],
		a[3]*b[1] - a[0]*b[2] + a[1]*b[3] + a[2]*b[0],
		a[3]*b[2] + a[0]*b[1] - a[1]*b[0] + a[2]*b[3],
		a[3]*b[3] - a[0]*b[0] - a[1]*b[1] - a[2]*b[2],
	}
}

func cross(a, b *vector) vector {
	return vector{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// perpendicular returns a vector perpendicular to x.
func perpendicular(x *vector) vector {
	least := vector{1}
	if math.Abs(x[0]) > 0.5 {
		least = vector{0, 1}
	}
	return cross(x, &least)
}
