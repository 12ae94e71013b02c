package schema

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"unsafe"
)

// A direction or a rotation is a vector of 2 to 4 floats of which the length means
// nothing. Everything here is made of sums, products, quotients and square roots,
// which every CPU rounds alike, and no product is left to be fused with a sum.
//
// vector is such a value; what a shorter one lacks is 0.
type vector [4]float64

// maxVectorBits bounds the bits of a vector's word: beyond, float32 cannot tell
// what they say.
const maxVectorBits = 20

// slack is how far the square of a length may be from 1 for a vector to count as
// one of length 1. It lets through whatever was divided by its length and rounded
// to float32, and a vector that is left as it is comes back bit by bit.
const slack = 1e-6

// vectorShapes says what can be a vector of a form.
func vectorShapes(form Form) string {
	if form == FormQuat {
		return "a struct or array of 4 floats of one type, x, y, z, w"
	}
	return "a struct or array of 2 or 3 floats of one type"
}

// newVector settles what tag t means for n floats of kind k.
func newVector(k reflect.Kind, n int, t tag) Field {
	f := Field{
		Kind: k, Form: t.form, Len: n, Hold: t.hold, spelling: t.String(), scale: 1,
		rawSize: n * size(k),
	}
	half := 2.0
	if t.form == FormQuat {
		f.asQuat(t.n)
		half = 4
	} else {
		f.asUnit(t.n)
	}
	if t.tolerant {
		f.Tolerance = t.tol
	}
	// Two vectors of length 1 with the angle α between them are 2·sin(α/2) apart;
	// between quaternions it is half the angle of the rotation.
	// No angle is above π.
	f.within = math.Inf(1)
	if f.Tolerance < math.Pi {
		f.within = 2 * math.Sin(f.Tolerance/half)
		if f.Tolerance > 0 {
			// Neighbours on the wire are a step apart up to the rounding of the type.
			f.within += 4 * spacing(k, 0.5)
		}
	}
	return f
}

// vector reads the floats of the component at p.
func (f *Field) vector(p unsafe.Pointer) (v vector) {
	p = unsafe.Add(p, f.Offset)
	if f.Kind == reflect.Float32 {
		return readVector[float32](p, f.Len)
	}
	return readVector[float64](p, f.Len)
}

func readVector[T float32 | float64](p unsafe.Pointer, n int) (v vector) {
	for i, x := range unsafe.Slice((*T)(p), n) {
		v[i&3] = float64(x)
	}
	return v
}

// setVector writes the floats of the component at p.
func (f *Field) setVector(p unsafe.Pointer, v vector) {
	p = unsafe.Add(p, f.Offset)
	if f.Kind == reflect.Float32 {
		writeVector[float32](p, f.Len, &v)
	} else {
		writeVector[float64](p, f.Len, &v)
	}
}

func writeVector[T float32 | float64](p unsafe.Pointer, n int, v *vector) {
	s := unsafe.Slice((*T)(p), n)
	for i := range s {
		s[i] = T(v[i&3])
	}
}

// square returns the square of the length.
func (v *vector) square() float64 {
	return float64(v[0]*v[0]) + float64(v[1]*v[1]) + float64(v[2]*v[2]) + float64(v[3]*v[3])
}

// dot returns the scalar product.
func (v *vector) dot(u *vector) float64 {
	return float64(v[0]*u[0]) + float64(v[1]*u[1]) + float64(v[2]*u[2]) + float64(v[3]*u[3])
}

// unit returns the vector of length 1 in the direction of v, or false when v has
// none: it is zero, infinite or not a number.
func (v vector) unit() (vector, bool) {
	s := v.square()
	if s > 1-slack && s < 1+slack {
		return v, true
	}
	if !(s > 1e-200 && s < 1e200) {
		// Squares of very large and very small numbers leave float64.
		m := 0.0
		for _, x := range v {
			m = max(m, math.Abs(x)) // NaN when x is
		}
		if !(m > 0 && m <= math.MaxFloat64) {
			return vector{}, false
		}
		for i := range v {
			v[i] /= m
		}
		s = v.square()
	}
	r := math.Sqrt(s)
	for i := range v {
		v[i] /= r
	}
	return v, true
}

// direction returns v at length 1, the default for the zero vector, and for one
// that is not finite the default and false.
func (f *Field) direction(v vector) (vector, bool) {
	u, ok := v.unit()
	if !ok {
		u = vector{}
		u[f.axis] = 1
	}
	return u, ok || v == vector{}
}

// vectorsDiffer is differ for vectors. The zero vector equals the default that it
// becomes on the wire; one that is not finite differs from everything.
func (f *Field) vectorsDiffer(x, y vector) bool {
	if x == y {
		return false
	}
	x, ok := f.direction(x)
	y, fine := f.direction(y)
	if !ok || !fine {
		return true
	}
	sign := 1.0
	if f.Form == FormQuat && x.dot(&y) < 0 {
		sign = -1
	}
	for i := range x {
		x[i] -= float64(sign * y[i])
	}
	return !(x.square() <= float64(f.within*f.within))
}

// toward returns the direction at 0 < at < 1 of the way from x to y, normalized;
// quaternions go the short way round. Where there is no way, because one of them
// has no direction or they are opposite, x stays until y is reached.
func (f *Field) toward(x, y vector, at float64) vector {
	u, ok := f.direction(x)
	v, fine := f.direction(y)
	if !ok || !fine {
		return x
	}
	if f.Form == FormQuat && u.dot(&v) < 0 {
		at = -at
	}
	keep := 1 - math.Abs(at)
	for i := range u {
		u[i] = float64(u[i]*keep) + float64(v[i]*at)
	}
	if u.square() < 1e-12 {
		return x
	}
	u, _ = u.unit()
	return u
}

// validVector reports whether a peer may send v: finite, and of a length from a
// half to two, so that who uses it need not look at it first.
func validVector(v vector) bool {
	s := v.square()
	return s >= 0.25 && s <= 4
}

// hashVector brings vectors that mean the same to the same bits: −0 and 0, the
// zero vector and its default, and for quaternions q and −q.
func (f *Field) hashVector(h uint64, v vector) uint64 {
	if v == (vector{}) {
		v[f.axis] = 1
	}
	if f.Form == FormQuat {
		for i := 3; i >= 0; i-- {
			if v[i] != 0 {
				if v[i] < 0 {
					v = vector{-v[0], -v[1], -v[2], -v[3]}
				}
				break
			}
		}
	}
	for _, x := range v[:f.Len] {
		h = scramble(h ^ hashFloat(x, math.Float64bits(x)))
	}
	return h
}

func (f *Field) formatVector(v vector) string {
	var b strings.Builder
	for i, x := range v[:f.Len] {
		b.WriteByte("( "[min(i, 1)])
		b.WriteString(strconv.FormatFloat(x, 'g', -1, 8*size(f.Kind)))
	}
	b.WriteByte(')')
	return b.String()
}
