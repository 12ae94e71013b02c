package schema

import (
	"math"
)

// vector is a direction or a rotation with 2 to 4 components; unused components are 0. The length has no meaning. All
// functions use only sums, products, quotients and square roots, which every CPU rounds in the same way. Conversions prevent
// the compiler from fusing products with sums.
type vector [4]float64

// maxVectorBits limits the bits of a vector's word, because float32 cannot represent finer directions.
const maxVectorBits = 20

// unitSlack is the largest difference from 1 of the squared length of a vector that counts as a unit vector. It accepts
// vectors that were divided by their length and rounded to float32. Such vectors are used unchanged.
const unitSlack = 1e-6

// space describes the vectors of a field.
type space struct {
	dims     int
	axis     int // index of the component that is 1 in the default vector
	rotation bool
}

// vectorShapes returns the description, for errors, of the types that a form accepts.
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

// unit returns v scaled to length 1. It returns false if v is zero, infinite or NaN.
func (v vector) unit() (vector, bool) {
	s := v.square()
	if s > 1-unitSlack && s < 1+unitSlack {
		return v, true
	}
	if !(s > 1e-200 && s < 1e200) {
		// The squares of very large and very small numbers overflow or underflow.
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

// direction returns v scaled to length 1. It returns the default for the zero vector, and the default and false for vectors
// that are not finite.
func (s *space) direction(v vector) (vector, bool) {
	u, ok := v.unit()
	if !ok {
		u = vector{}
		u[s.axis] = 1
	}
	return u, ok || v == vector{}
}

// differ reports whether the distance of two vectors is above within. The zero vector equals the default. A vector that is
// not finite differs from all others.
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

// nlerp returns the normalized linear interpolation from x to y at 0 < at < 1; quaternions go the short way. It returns x
// if one of them is not finite or if they are opposite.
func (s *space) nlerp(x, y vector, at float64) vector {
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

// validVector reports whether a peer may send v: it is finite and its length is between ½ and 2, so that games can use it
// unchecked.
func validVector(v vector) bool {
	s := v.square()
	return s >= 0.25 && s <= 4
}

// hash adds v to hash h. Equivalent vectors have the same hash: −0 and 0, the zero vector and the default, and the
// quaternions q and −q.
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
