package schema

import (
	"math"
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

// space is what the vectors of a field are directions in.
type space struct {
	dims     int
	axis     int // the component that is 1 in the default
	rotation bool
}

// vectorShapes says what can be a vector of a form.
func vectorShapes(form Form) string {
	if form == FormQuat {
		return "a struct or array of 4 floats of one type, x, y, z, w"
	}
	return "a struct or array of 2 or 3 floats of one type"
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
func (s *space) direction(v vector) (vector, bool) {
	u, ok := v.unit()
	if !ok {
		u = vector{}
		u[s.axis] = 1
	}
	return u, ok || v == vector{}
}

// differ reports whether two vectors are further apart than within. The zero vector equals the default that it
// becomes on the wire; one that is not finite differs from everything.
func (s *space) differ(x, y vector, within float64) bool {
	if x == y {
		return false
	}
	x, ok := s.direction(x)
	y, fine := s.direction(y)
	if !ok || !fine {
		return true
	}
	sign := 1.0
	if s.rotation && x.dot(&y) < 0 {
		sign = -1
	}
	for i := range x {
		x[i] -= float64(sign * y[i])
	}
	return !(x.square() <= float64(within*within))
}

// toward returns the direction at 0 < at < 1 of the way from x to y, normalized;
// quaternions go the short way round. Where there is no way, because one of them
// has no direction or they are opposite, x stays until y is reached.
func (s *space) toward(x, y vector, at float64) vector {
	u, ok := s.direction(x)
	v, fine := s.direction(y)
	if !ok || !fine {
		return x
	}
	if s.rotation && u.dot(&v) < 0 {
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

// hash brings vectors that mean the same to the same bits: −0 and 0, the
// zero vector and its default, and for quaternions q and −q.
func (s *space) hash(h uint64, v vector) uint64 {
	if v == (vector{}) {
		v[s.axis] = 1
	}
	if s.rotation {
		for i := 3; i >= 0; i-- {
			if v[i] != 0 {
				if v[i] < 0 {
					v = vector{-v[0], -v[1], -v[2], -v[3]}
				}
				break
			}
		}
	}
	for _, x := range v[:s.dims] {
		h = scramble(h ^ hashFloat(x, math.Float64bits(x)))
	}
	return h
}
