package schema

import (
	"math"
	"unsafe"
)

type numeric interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64
}

// toGrid quantizes rows of one field. It leaves the kernel for values that do not
// round to a word at once, so that the kernel itself has no call in its loop.
func toGrid[T numeric](f *Field, dst []int32, w, stride int, src unsafe.Pointer, size uintptr, n int) (clamped int) {
	off := f.Offset
	for {
		done := gridKernel[T](dst, w, stride, src, off, size, n, f.base, f.grain, f.limit)
		if done == n {
			return clamped
		}
		w += done * stride
		off += uintptr(done) * size
		q, inside := f.outside((float64(*(*T)(unsafe.Add(src, off))) - f.base) / f.grain)
		dst[w] = q
		if !inside {
			clamped++
		}
		w += stride
		off += size
		n -= done + 1
	}
}

// gridKernel writes words up to the first value that does not round to one, and
// returns how many. Pointers are formed for rows only, never past the last. The
// division is not a multiplication by the inverse, which would round otherwise, and
// nothing in it can be fused.
//
// It stays a function of its own: with a call in the loop, the conversion from
// float32 lands in a register that the previous row still occupies, and on amd64
// the rows then wait for each other's division, which is four times slower.
//
//go:noinline
func gridKernel[T numeric](dst []int32, w, stride int, src unsafe.Pointer, off, size uintptr, n int, lo, step, limit float64) int {
	for i := range n {
		x := (float64(*(*T)(unsafe.Add(src, off))) - lo) / step
		if !(x >= -0.5 && x < limit) {
			return i
		}
		dst[w] = int32(x + 0.5)
		w += stride
		off += size
	}
	return n
}

// outside returns the word of a value x steps above the first that does not round to
// one, and whether the value was in the range for all that.
func (f *Field) outside(x float64) (q int32, inside bool) {
	switch {
	case math.IsNaN(x) || f.Angle && math.IsInf(x, 0):
		return f.restWord, false
	case f.Angle:
		m := math.Mod(math.Floor(x+0.5), f.count)
		if m < 0 {
			m += f.count
		}
		return int32(m), true
	case x < 0:
		return 0, false
	}
	return f.top, x <= f.reach
}

// fromGrid is the kernel of Dequantize.
func fromGrid[T numeric](f *Field, dst unsafe.Pointer, src []int32, w, stride int, size uintptr, n int) {
	lo, step, top := f.base, f.grain, f.top
	off := f.Offset
	for range n {
		q := min(max(src[w], 0), top)
		*(*T)(unsafe.Add(dst, off)) = T(float64(lo + float64(float64(q)*step)))
		w += stride
		off += size
	}
}
