package schema

import (
	"math"
	"reflect"
	"unsafe"
)

// grid is the set of encoded values of a field.
type grid struct {
	base, grain float64 // the value of word 0; the distance of neighbouring words
	count       float64 // number of encoded values
	top         int32   // the largest word: count − 1
	limit       float64 // values from here on, in steps, round to no word: count − ½
	reach       float64 // values beyond this, in steps, are out of range
	period      float64 // of an angle, else 0
	zero        uint32  // of an angle: the angle of word 0, in the unit of Turn
	lo, hi      float64 // bounds of valid values
	rest        float64 // the valid value closest to zero
	restWord    int32   // the word of rest
}

// at returns the value of word q. The conversion rounds the product before the sum, so that CPUs with fused multiply-add
// give the same result.
func (g *grid) at(q int32) float64 {
	return float64(g.base + float64(float64(q)*g.grain))
}

// nearest returns the valid value closest to v. For an angle it returns the equal angle in the range.
func (g *grid) nearest(v float64) float64 {
	switch {
	case math.IsNaN(v) || g.period > 0 && math.IsInf(v, 0):
		return g.rest
	case g.period > 0:
		return g.wrap(v)
	}
	return min(max(v, g.lo), g.hi)
}

// wrap returns the angle equal to v in [base, base+period).
func (g *grid) wrap(v float64) float64 {
	if v >= g.base && v < g.base+g.period {
		return v
	}
	d := math.Mod(v-g.base, g.period)
	if d < 0 {
		d += g.period
	}
	if v = g.base + d; v >= g.base+g.period {
		return g.base
	}
	return v
}

// shortest returns the angle difference d the short way round.
func (g *grid) shortest(d float64) float64 {
	return float64(d - float64(g.period*math.Round(d/g.period)))
}

// outside returns the word for a value x, in steps above word 0, that does not round to a word, and reports whether x is in
// the range all the same.
func (g *grid) outside(x float64) (q int32, inside bool) {
	switch {
	case math.IsNaN(x) || g.period > 0 && math.IsInf(x, 0):
		return g.restWord, false
	case g.period > 0:
		m := math.Mod(math.Floor(x+0.5), g.count)
		if m < 0 {
			m += g.count
		}
		return int32(m), true
	case x < 0:
		return 0, false
	}
	return g.top, x <= g.reach
}

// clampSteps clamps or wraps a number of steps into the range, as outside does.
func (g *grid) clampSteps(x float64) float64 {
	switch {
	case math.IsNaN(x) || g.period > 0 && math.IsInf(x, 0):
		return float64(g.restWord)
	case g.period > 0:
		if x = math.Mod(x, g.count); x < -0.5 {
			x += g.count
		}
		if x >= g.limit {
			x -= g.count
		}
		return x
	}
	return min(max(x, 0), float64(g.top))
}

// exact is the largest magnitude up to which float64 represents each integer unambiguously.
const exact = 1<<53 - 1

// round rounds v to kind k.
func round(k reflect.Kind, v float64) float64 {
	if k == reflect.Float32 {
		return float64(float32(v))
	}
	return v
}

// spacing returns the distance from v to the next larger value of float kind k.
func spacing(k reflect.Kind, v float64) float64 {
	if k == reflect.Float32 {
		return float64(math.Nextafter32(float32(v), math.MaxFloat32)) - float64(float32(v))
	}
	return math.Nextafter(v, math.MaxFloat64) - v
}

// integerRange returns the values of integer kind k that can be the bounds of a range.
func integerRange(k reflect.Kind) (lo, hi float64) {
	bits := 8 * size(k)
	if !isSigned(k) {
		return 0, min(math.Ldexp(1, bits)-1, exact)
	}
	half := math.Ldexp(1, bits-1)
	return max(-half, -exact), min(half-1, exact)
}

type numeric interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64
}

// toGrid quantizes rows of one field. The kernel returns at values that do not round to a word; toGrid handles them, so
// that the loop of the kernel contains no call.
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

// gridKernel writes words up to the first value that does not round to a word, and returns their number. It forms pointers
// to rows only, never past the last row. It divides, because multiplying by the inverse rounds differently, and no
// operation can be fused.
//
// It must not be inlined: with a call in the loop, the conversion from float32 uses a register that the previous row still
// needs. On amd64 the rows then wait for each other's division, which is four times slower.
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

// fromGrid dequantizes rows of one field.
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

// Steps writes, for n components at src, the value of a field in steps above word 0, before [Table.Quantize] rounds it.
// field is an index in Fields. Results are between −½ and the last word plus ½. For a NaN, Steps writes the steps of the
// valid value closest to zero. It panics if the field is a bool or not of FormGrid.
func (t *Table) Steps(field int, dst []float64, src unsafe.Pointer, n int) {
	f := &t.Fields[field]
	switch f.Kind {
	case reflect.Int8:
		steps[int8](f, dst, src, t.Size, n)
	case reflect.Uint8:
		steps[uint8](f, dst, src, t.Size, n)
	case reflect.Int16:
		steps[int16](f, dst, src, t.Size, n)
	case reflect.Uint16:
		steps[uint16](f, dst, src, t.Size, n)
	case reflect.Int32:
		steps[int32](f, dst, src, t.Size, n)
	case reflect.Uint32:
		steps[uint32](f, dst, src, t.Size, n)
	case reflect.Int64:
		steps[int64](f, dst, src, t.Size, n)
	case reflect.Uint64:
		steps[uint64](f, dst, src, t.Size, n)
	case reflect.Float32:
		steps[float32](f, dst, src, t.Size, n)
	case reflect.Float64:
		steps[float64](f, dst, src, t.Size, n)
	default:
		panic("schema: a bool has no steps")
	}
}

func steps[T numeric](f *Field, dst []float64, src unsafe.Pointer, size uintptr, n int) {
	if f.Form != FormGrid {
		panic("schema: a field of form " + f.Form.String() + " has no steps")
	}
	off := f.Offset
	for at := 0; ; at++ {
		at += stepKernel[T](dst[at:n], src, off+uintptr(at)*size, size, f.base, f.grain, f.limit)
		if at == n {
			return
		}
		dst[at] = f.clampSteps((float64(*(*T)(unsafe.Add(src, off+uintptr(at)*size))) - f.base) / f.grain)
	}
}

// stepKernel writes steps up to the first value outside the range, and returns their number. Like gridKernel it must not
// call anything.
//
//go:noinline
func stepKernel[T numeric](dst []float64, src unsafe.Pointer, off, size uintptr, lo, step, limit float64) int {
	for i := range dst {
		x := (float64(*(*T)(unsafe.Add(src, off))) - lo) / step
		if !(x >= -0.5 && x < limit) {
			return i
		}
		dst[i] = x
		off += size
	}
	return len(dst)
}

// clearLines sets the second word of lines, the change, to 0.
func clearLines(dst []int32, w, stride, n int) {
	for range n {
		dst[w+1] = 0
		w += stride
	}
}
