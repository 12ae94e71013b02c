package schema

import (
	"math"
	"reflect"
	"unsafe"
)

// grid is the values that a field has on the wire, in the unit of memory: the field's
// unit times scale.
type grid struct {
	base, grain float64 // of word 0; between two words
	count       float64 // values on the wire
	top         int32   // count − 1
	limit       float64 // from here on rounding leaves the grid: count − ½
	reach       float64 // beyond this a value is outside the range, in steps
	period      float64 // of an angle, else 0
	zero        uint32  // of an angle: that of word 0, as Turn counts
	lo, hi      float64 // values that a peer may send
	rest        float64 // the value in the range that is closest to zero
	restWord    int32   // the same on the wire
}

// at returns the value of word q. The product is rounded before the sum, so that
// a CPU that fuses the two gives the same result as one that does not.
func (g *grid) at(q int32) float64 {
	return float64(g.base + float64(float64(q)*g.grain))
}

// nearest returns the valid value closest to v; for an angle, the equal one.
func (g *grid) nearest(v float64) float64 {
	switch {
	case math.IsNaN(v) || g.period > 0 && math.IsInf(v, 0):
		return g.rest
	case g.period > 0:
		return g.wrap(v)
	}
	return min(max(v, g.lo), g.hi)
}

// wrap returns the angle equal to v within the period that begins at base.
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

// turn returns the difference d of two angles the short way round.
func (g *grid) turn(d float64) float64 {
	return float64(d - float64(g.period*math.Round(d/g.period)))
}

// outside returns the word of a value x steps above the first that does not round to
// one, and whether the value was in the range for all that.
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

// fold brings a number of steps into the range, as outside does with words.
func (g *grid) fold(x float64) float64 {
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

// exact is the largest magnitude up to which float64 holds every integer and
// nothing else rounds to it.
const exact = 1<<53 - 1

// round returns v as kind k holds it.
func round(k reflect.Kind, v float64) float64 {
	if k == reflect.Float32 {
		return float64(float32(v))
	}
	return v
}

// spacing is the distance from v to the next larger value of float kind k.
func spacing(k reflect.Kind, v float64) float64 {
	if k == reflect.Float32 {
		return float64(math.Nextafter32(float32(v), math.MaxFloat32)) - float64(float32(v))
	}
	return math.Nextafter(v, math.MaxFloat64) - v
}

// integerRange returns the values of integer kind k that can be bounds of a range.
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

// Steps writes, for n components at src, how many steps above the first word the
// value of a field lies, given by its index in Fields: [Table.Quantize] rounds
// that. It is within −½ and the last word and a half, and 0 or the value closest to
// zero for a NaN. It panics for a field that does not have the form of a grid, or is
// a bool.
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
		dst[at] = f.fold((float64(*(*T)(unsafe.Add(src, off+uintptr(at)*size))) - f.base) / f.grain)
	}
}

// stepKernel writes steps up to the first that are outside, and returns how many.
// Like gridKernel it must not call anything.
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

// clearLines writes the second word of lines: at rest.
func clearLines(dst []int32, w, stride, n int) {
	for range n {
		dst[w+1] = 0
		w += stride
	}
}
