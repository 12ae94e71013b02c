package whole

import (
	"math"
)

// Rotations in whole numbers, so that every CPU computes the same: floats would
// differ where multiply and add are fused.

const oneBits = 20

// One is a component of 1.
const One = 1 << oneBits

// Rotation is a quaternion x, y, z, w of length one, more or less.
type Rotation [4]int64

// QuatGrid turns the words of a rotation ("smallest three", see package schema)
// into a rotation and back.
type QuatGrid struct {
	top    int64 // the largest word
	unpack int64 // One/√2 for each 2·word − top, times 2^20
	pack   int64 // words for each component, times 2^20/One
}

// NewQuatGrid is the grid of components of so many bits.
func NewQuatGrid(bits int) QuatGrid {
	top := int64(1)<<bits - 1
	return QuatGrid{
		top:    top,
		unpack: int64(math.Round(One * (1 << 20) / math.Sqrt2 / float64(top))),
		pack:   int64(math.Round(float64(top) / math.Sqrt2 * (1 << 20))),
	}
}

// Rotation returns the rotation of four words. Words out of their range give one
// that is of no use.
func (g *QuatGrid) Rotation(w []int32) Rotation {
	a := (2*int64(w[1]) - g.top) * g.unpack >> 20
	b := (2*int64(w[2]) - g.top) * g.unpack >> 20
	c := (2*int64(w[3]) - g.top) * g.unpack >> 20
	d := Root(One*One - a*a - b*b - c*c)
	switch w[0] & 3 {
	case 0:
		return Rotation{d, a, b, c}
	case 1:
		return Rotation{a, d, b, c}
	case 2:
		return Rotation{a, b, d, c}
	}
	return Rotation{a, b, c, d}
}

// Words returns the three words of r that leave a component out.
func (g *QuatGrid) Words(r *Rotation, missing int32) (a, b, c int32) {
	x, y, z := r[1], r[2], r[3]
	if missing > 0 {
		x = r[0]
	}
	if missing > 1 {
		y = r[1]
	}
	if missing > 2 {
		z = r[2]
	}
	pack := g.pack
	if r[missing&3] < 0 {
		pack = -pack
	}
	half := (g.top<<oneBits + One) / 2
	return int32((x*pack>>20 + half) >> oneBits), int32((y*pack>>20 + half) >> oneBits), int32((z*pack>>20 + half) >> oneBits)
}

// Largest returns the first component of the largest magnitude, and by how much
// it is larger than the next, and which that is.
func (r *Rotation) Largest() (at, next int32, lead int64) {
	most, second := int64(-1), int64(-1)
	for i, v := range r {
		if v < 0 {
			v = -v
		}
		if v > most {
			second, next = most, at
			most, at = v, int32(i)
		} else if v > second {
			second, next = v, int32(i)
		}
	}
	return at, next, most - second
}

// Times is the rotation q and then r.
func (r *Rotation) Times(q *Rotation) Rotation {
	return Rotation{
		(r[3]*q[0] + r[0]*q[3] + r[1]*q[2] - r[2]*q[1]) >> oneBits,
		(r[3]*q[1] - r[0]*q[2] + r[1]*q[3] + r[2]*q[0]) >> oneBits,
		(r[3]*q[2] + r[0]*q[1] - r[1]*q[0] + r[2]*q[3]) >> oneBits,
		(r[3]*q[3] - r[0]*q[0] - r[1]*q[1] - r[2]*q[2]) >> oneBits,
	}
}

// Inverse is the rotation back.
func (r *Rotation) Inverse() Rotation { return Rotation{-r[0], -r[1], -r[2], r[3]} }

// Matrix is a rotation of places: rows, of One.
type Matrix [9]int64

// Matrix is the rotation as one of places.
func (r *Rotation) Matrix() Matrix {
	x, y, z, w := r[0], r[1], r[2], r[3]
	s := func(a int64) int64 { return 2 * a >> oneBits }
	return Matrix{
		One - s(y*y+z*z), s(x*y - z*w), s(x*z + y*w),
		s(x*y + z*w), One - s(x*x+z*z), s(y*z - x*w),
		s(x*z - y*w), s(y*z + x*w), One - s(x*x+y*y),
	}
}

// Turn returns v turned, rounded.
func (m *Matrix) Turn(x, y, z int64) (int64, int64, int64) {
	const half = One / 2
	return (m[0]*x + m[1]*y + m[2]*z + half) >> oneBits,
		(m[3]*x + m[4]*y + m[5]*z + half) >> oneBits,
		(m[6]*x + m[7]*y + m[8]*z + half) >> oneBits
}

// Extrapolate returns where a rotation goes that went from p to q, n times as
// far as that beyond q. With c the cosine of half the angle between the two,
// each further one is 2c times the last less the one before it, which is
// 2(q·p)q − p in the first place: so n of them are a·q − b·p with the Chebyshev
// polynomials a and b of c.
func Extrapolate(p, q *Rotation, n int) Rotation {
	c := (p[0]*q[0] + p[1]*q[1] + p[2]*q[2] + p[3]*q[3]) >> oneBits
	side := int64(1)
	if c < 0 {
		c, side = -c, -1
	}
	a, b := int64(One), int64(0)
	for range n {
		a, b = (2*c*a>>oneBits)-b, a
	}
	b *= side
	var r Rotation
	for i := range r {
		r[i] = (a*q[i] - b*p[i]) >> oneBits
	}
	return r
}

// Root is the square root, rounded down; 0 for what is negative. The square root
// is one operation that all CPUs round alike, and v is exact as a float.
func Root(v int64) int64 {
	if v <= 0 {
		return 0
	}
	return int64(math.Sqrt(float64(v)))
}
