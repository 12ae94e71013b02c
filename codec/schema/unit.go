package schema

import (
	"math"
	"reflect"
	"unsafe"
)

// A direction is encoded as a point with |x|+|y|(+|z|) = 1, on a square or an octahedron, because the projection and its
// inverse need only a division.
//
// In the plane the word counts 2^bits equal steps along the square from +X over +Y. As angles, the steps differ by up to a
// factor of two. In space the octahedron is unfolded into a square with +Z at the centre, encoded as two words of
// 0..2^bits−2: Q. Meyer, J. Süßmuth, G. Sußner, M. Stamminger and G. Greiner, "On Floating-Point Normal Vectors", Computer
// Graphics Forum 29(4), 2010. The encoder chooses the nearest of the four lattice points around a direction, as in
// Z. Cigolle, S. Donow, D. Evangelakos, M. Mara, M. McGuire and Q. Meyer, "A Survey of Efficient Representations for
// Independent Unit Vectors", Journal of Computer Graphics Techniques 3(2), 2014. So the nearest point of a lattice point is
// itself, and quantizing twice equals quantizing once. The axes are on the lattice.

func quantizeUnit(f *Field, dst []int32, w, stride int, src unsafe.Pointer, size uintptr, n int) int {
	src = unsafe.Add(src, f.Offset)
	switch {
	case f.Kind == reflect.Float32 && f.Len == 2:
		return circleWords[float32](f, dst, w, stride, src, size, n)
	case f.Kind == reflect.Float32:
		return sphereWords[float32](f, dst, w, stride, src, size, n)
	case f.Len == 2:
		return circleWords[float64](f, dst, w, stride, src, size, n)
	}
	return sphereWords[float64](f, dst, w, stride, src, size, n)
}

func circleWords[T float32 | float64](f *Field, dst []int32, w, stride int, src unsafe.Pointer, size uintptr, n int) (clamped int) {
	off := uintptr(0)
	for range n {
		v, ok := readVector[T](unsafe.Add(src, off), 2).unit()
		if !ok {
			clamped++
			v = vector{1}
		}
		dst[w] = circleWord(v[0], v[1], f.top)
		w += stride
		off += size
	}
	return clamped
}

func sphereWords[T float32 | float64](f *Field, dst []int32, w, stride int, src unsafe.Pointer, size uintptr, n int) (clamped int) {
	off := uintptr(0)
	for range n {
		v, ok := readVector[T](unsafe.Add(src, off), 3).unit()
		if !ok {
			clamped++
			v = vector{1}
		}
		dst[w], dst[w+1] = sphereWord(v, f.top/2)
		w += stride
		off += size
	}
	return clamped
}

func dequantizeUnit(f *Field, dst unsafe.Pointer, src []int32, w, stride int, size uintptr, n int) {
	dst = unsafe.Add(dst, f.Offset)
	if f.Kind == reflect.Float32 {
		writeUnits[float32](f, dst, src, w, stride, size, n)
	} else {
		writeUnits[float64](f, dst, src, w, stride, size, n)
	}
}

func writeUnits[T float32 | float64](f *Field, dst unsafe.Pointer, src []int32, w, stride int, size uintptr, n int) {
	off := uintptr(0)
	top, half := f.top, f.top/2
	for range n {
		var v vector
		if f.Len == 2 {
			v = circleVector(min(max(src[w], 0), top), top)
		} else {
			v = sphereVector(min(max(src[w], 0), top)-half, min(max(src[w+1], 0), top)-half, half)
		}
		r := math.Sqrt(v.square())
		for i := range v {
			v[i] /= r
		}
		writeVector[T](unsafe.Add(dst, off), f.Len, &v)
		w += stride
		off += size
	}
}

// circleWord returns the word, 0..top, of the direction (x, y).
func circleWord(x, y float64, top int32) int32 {
	quarter := (top + 1) / 4
	turned := int32(0)
	switch {
	case x > 0 && y >= 0:
	case x <= 0 && y > 0:
		x, y, turned = y, -x, quarter
	case x < 0:
		x, y, turned = -x, -y, 2*quarter
	default:
		x, y, turned = -y, x, 3*quarter
	}
	return (turned + int32(float64(y/(x+y)*float64(quarter))+0.5)) & top
}

// circleVector returns the point of word q on the square, scaled by a quarter of the number of words to integer
// coordinates.
func circleVector(q, top int32) vector {
	quarter := (top + 1) / 4
	y := float64(q & (quarter - 1))
	x := float64(quarter) - y
	switch q / quarter {
	case 0:
		return vector{x, y}
	case 1:
		return vector{-y, x}
	case 2:
		return vector{-x, -y}
	}
	return vector{y, -x}
}

// sphereWord returns the words of the direction v, each 0..2·half.
func sphereWord(v vector, half int32) (int32, int32) {
	s := math.Abs(v[0]) + math.Abs(v[1]) + math.Abs(v[2])
	x, y := v[0]/s, v[1]/s
	if v[2] < 0 {
		x, y = foldOctahedron(x, y, 1)
	}
	// The result is within ±half except for rounding. The neighbours left+1 and low+1 may lie outside.
	left := min(max(int32(math.Floor(float64(x*float64(half)))), -half), half)
	low := min(max(int32(math.Floor(float64(y*float64(half)))), -half), half)
	best, a, b := math.Inf(-1), left, low
	for i := range int32(4) {
		p, q := min(left+i&1, half), min(low+i>>1, half)
		u := sphereVector(p, q, half)
		if near := v.dot(&u) / math.Sqrt(u.square()); near > best {
			best, a, b = near, p, q
		}
	}
	// Points on the rim of the square represent the same direction in pairs; all corners represent −Z.
	onX, onY := a == half || a == -half, b == half || b == -half
	if onX && (b < 0 || onY) {
		b = -b
	}
	if onY && a < 0 {
		a = -a
	}
	if onX && onY {
		a, b = half, half
	}
	return a + half, b + half
}

// sphereVector returns the point of the octahedron for (a, b) on the square, scaled by half to integer coordinates, whose
// squares are exact.
func sphereVector(a, b, half int32) vector {
	x, y := float64(a), float64(b)
	z := float64(half) - math.Abs(x) - math.Abs(y)
	if z < 0 {
		x, y = foldOctahedron(x, y, float64(half))
	}
	return vector{x, y, z}
}

// foldOctahedron maps the corners of the square −r..r to its inner diamond, the lower half of the octahedron, and back.
func foldOctahedron(x, y, r float64) (float64, float64) {
	u, v := r-math.Abs(y), r-math.Abs(x)
	if x < 0 {
		u = -u
	}
	if y < 0 {
		v = -v
	}
	return u, v
}
