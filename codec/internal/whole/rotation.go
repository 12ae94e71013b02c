package whole

import (
	"math"
)

const oneBits = 20

// One represents the component 1.
const One = 1 << oneBits

// Rotation is a quaternion x, y, z, w of approximate length One.
type Rotation [4]int64

// QuatGrid converts between the words of a rotation ("smallest three", see package schema) and a Rotation.
type QuatGrid struct {
	top    int64 // the largest word
	unpack int64 // One/√2 for each 2·word − top, times 2^20
	pack   int64 // words for each component, times 2^20/One
}

// NewQuatGrid returns the grid for components of the given number of bits.
func NewQuatGrid(bits int) QuatGrid {
	top := int64(1)<<bits - 1
	return QuatGrid{
		top:    top,
		unpack: int64(math.Round(One * (1 << 20) / math.Sqrt2 / float64(top))),
		pack:   int64(math.Round(float64(top) / math.Sqrt2 * (1 << 20))),
	}
}

// Rotation returns the rotation of four words. Words out of range give an arbitrary result.
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

// Words returns the three words of r without component missing.
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

// Largest returns the index of the component with the largest magnitude, the first of equal ones, the index of the second
// largest, and the difference of their magnitudes.
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

// Times returns the rotation q followed by r.
func (r *Rotation) Times(q *Rotation) Rotation {
	return Rotation{
		(r[3]*q[0] + r[0]*q[3] + r[1]*q[2] - r[2]*q[1]) >> oneBits,
		(r[3]*q[1] - r[0]*q[2] + r[1]*q[3] + r[2]*q[0]) >> oneBits,
		(r[3]*q[2] + r[0]*q[1] - r[1]*q[0] + r[2]*q[3]) >> oneBits,
		(r[3]*q[3] - r[0]*q[0] - r[1]*q[1] - r[2]*q[2]) >> oneBits,
	}
}

// Inverse returns the inverse rotation.
func (r *Rotation) Inverse() Rotation { return Rotation{-r[0], -r[1], -r[2], r[3]} }

// Matrix is the matrix of a rotation in rows; One represents 1.
type Matrix [9]int64

// Matrix returns the matrix of the rotation.
func (r *Rotation) Matrix() Matrix {
	x, y, z, w := r[0], r[1], r[2], r[3]
	s := func(a int64) int64 { return 2 * a >> oneBits }
	return Matrix{
		One - s(y*y+z*z), s(x*y - z*w), s(x*z + y*w),
		s(x*y + z*w), One - s(x*x+z*z), s(y*z - x*w),
		s(x*z - y*w), s(y*z + x*w), One - s(x*x+y*y),
	}
}

// Turn returns the vector (x, y, z) rotated by m, rounded.
func (m *Matrix) Turn(x, y, z int64) (int64, int64, int64) {
	const half = One / 2
	return (m[0]*x + m[1]*y + m[2]*z + half) >> oneBits,
		(m[3]*x + m[4]*y + m[5]*z + half) >> oneBits,
		(m[6]*x + m[7]*y + m[8]*z + half) >> oneBits
}

// Extrapolate returns the rotation that continues the motion from p to q by n more such steps. With c the cosine of half
// the angle between p and q, each further rotation is 2c times the last one minus the one before. After n steps this is a·q
// − b·p with Chebyshev polynomials a and b of c.
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

// Root returns the square root of v, rounded down, and 0 for negative numbers. All CPUs round the float square root alike,
// and v is exact as a float.
func Root(v int64) int64 {
	if v <= 0 {
		return 0
	}
	return int64(math.Sqrt(float64(v)))
}
