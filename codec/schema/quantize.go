package schema

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

// Quantize writes the words of n components to dst. Component i begins i·Size
// bytes after src; its word w goes to dst[i*stride+w]. It returns how many values
// were outside their range (or not finite) and had to be clamped. Angles outside
// their range are wrapped and do not count.
//
// stride is at least Words, unless n is 1; it panics when dst is too short. src is
// not used when n is 0.
func (t *Table) Quantize(dst []int32, stride int, src unsafe.Pointer, n int) (clamped int) {
	t.checkRows(len(dst), stride, n)
	for i := range t.Fields {
		f := &t.Fields[i]
		clamped += f.quantize(dst, f.Word, stride, src, t.Size, n)
	}
	return clamped
}

// FirstClamped returns the first of n components that [Table.Quantize] would
// clamp, and the first of its fields, or −1, −1. It is for the log, and slower.
func (t *Table) FirstClamped(src unsafe.Pointer, n int) (row, field int) {
	var q [2]int32
	for ; row < n; row++ {
		p := unsafe.Add(src, uintptr(row)*t.Size)
		for field = range t.Fields {
			if t.Fields[field].quantize(q[:], 0, 0, p, 0, 1) > 0 {
				return row, field
			}
		}
	}
	return -1, -1
}

// Dequantize writes n components from their words, in the arrangement of
// [Table.Quantize]. Words need not come from there: those outside a field's range
// are clamped, and raw floats that are not finite are replaced as Quantize would.
// Fields that are not replicated stay as they are.
func (t *Table) Dequantize(dst unsafe.Pointer, src []int32, stride, n int) {
	t.checkRows(len(src), stride, n)
	for i := range t.Fields {
		f := &t.Fields[i]
		f.dequantize(dst, src, f.Word, stride, t.Size, n)
	}
}

func (t *Table) checkRows(have, stride, n int) {
	if n > 0 && ((n-1)*stride+t.Words > have || stride < t.Words && n > 1) {
		panic(fmt.Sprintf("schema: %s: %d components of %d words, %d apart, do not fit %d words", t.Name, n, t.Words, stride, have))
	}
}

// quantize writes the words of one field of n rows, the first at dst[w].
func (f *Field) quantize(dst []int32, w, stride int, src unsafe.Pointer, size uintptr, n int) int {
	if f.Raw {
		return f.quantizeRaw(dst, w, stride, src, size, n)
	}
	switch f.Kind {
	case reflect.Bool:
		off := f.Offset
		for range n {
			dst[w] = 0
			if *(*bool)(unsafe.Add(src, off)) {
				dst[w] = 1
			}
			w += stride
			off += size
		}
	case reflect.Int8:
		return toGrid[int8](f, dst, w, stride, src, size, n)
	case reflect.Uint8:
		return toGrid[uint8](f, dst, w, stride, src, size, n)
	case reflect.Int16:
		return toGrid[int16](f, dst, w, stride, src, size, n)
	case reflect.Uint16:
		return toGrid[uint16](f, dst, w, stride, src, size, n)
	case reflect.Int32:
		return toGrid[int32](f, dst, w, stride, src, size, n)
	case reflect.Uint32:
		return toGrid[uint32](f, dst, w, stride, src, size, n)
	case reflect.Int64:
		return toGrid[int64](f, dst, w, stride, src, size, n)
	case reflect.Uint64:
		return toGrid[uint64](f, dst, w, stride, src, size, n)
	case reflect.Float32:
		return toGrid[float32](f, dst, w, stride, src, size, n)
	case reflect.Float64:
		return toGrid[float64](f, dst, w, stride, src, size, n)
	}
	return 0
}

func (f *Field) dequantize(dst unsafe.Pointer, src []int32, w, stride int, size uintptr, n int) {
	if f.Raw {
		f.dequantizeRaw(dst, src, w, stride, size, n)
		return
	}
	switch f.Kind {
	case reflect.Bool:
		off := f.Offset
		for range n {
			*(*bool)(unsafe.Add(dst, off)) = src[w] > 0
			w += stride
			off += size
		}
	case reflect.Int8:
		fromGrid[int8](f, dst, src, w, stride, size, n)
	case reflect.Uint8:
		fromGrid[uint8](f, dst, src, w, stride, size, n)
	case reflect.Int16:
		fromGrid[int16](f, dst, src, w, stride, size, n)
	case reflect.Uint16:
		fromGrid[uint16](f, dst, src, w, stride, size, n)
	case reflect.Int32:
		fromGrid[int32](f, dst, src, w, stride, size, n)
	case reflect.Uint32:
		fromGrid[uint32](f, dst, src, w, stride, size, n)
	case reflect.Int64:
		fromGrid[int64](f, dst, src, w, stride, size, n)
	case reflect.Uint64:
		fromGrid[uint64](f, dst, src, w, stride, size, n)
	case reflect.Float32:
		fromGrid[float32](f, dst, src, w, stride, size, n)
	case reflect.Float64:
		fromGrid[float64](f, dst, src, w, stride, size, n)
	}
}

type numeric interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64
}

// toGrid quantizes rows of one field. It leaves the kernel for values that do not
// round to a word at once, so that the kernel itself has no call in its loop.
func toGrid[T numeric](f *Field, dst []int32, w, stride int, src unsafe.Pointer, size uintptr, n int) (clamped int) {
	off := f.Offset
	for {
		done := gridKernel[T](dst, w, stride, src, off, size, n, f.Min, f.Step, f.limit)
		if done == n {
			return clamped
		}
		w += done * stride
		off += uintptr(done) * size
		q, inside := f.outside((float64(*(*T)(unsafe.Add(src, off))) - f.Min) / f.Step)
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

// outside returns the word of a value x steps above Min that does not round to
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
	lo, step, top := f.Min, f.Step, f.top
	off := f.Offset
	for range n {
		q := min(max(src[w], 0), top)
		*(*T)(unsafe.Add(dst, off)) = T(float64(lo + float64(float64(q)*step)))
		w += stride
		off += size
	}
}
