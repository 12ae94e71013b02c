package schema

import (
	"math"
	"reflect"
	"unsafe"
)

// Lerp writes to dst what lies between the components at a and b: a for f ≤ 0, b
// for f ≥ 1. Floats, and integers with a step, go in a straight line, integers
// rounded; angles, directions and rotations go the short way; hold fields stay at a
// until f reaches 1, and so do lists while the two differ in length. Fields that are
// not replicated stay as they are in dst, which may be a or b.
func (t *Table) Lerp(dst, a, b unsafe.Pointer, f float64) { t.LerpColumn(dst, a, b, 1, f) }

// LerpColumn is [Table.Lerp] for n components at each of dst, a and b, Size bytes
// apart. dst may be a or b, but not overlap them otherwise.
func (t *Table) LerpColumn(dst, a, b unsafe.Pointer, n int, f float64) {
	if !(f > 0) {
		b = a
	} else if f >= 1 {
		a = b
	}
	// The count of a list comes before its elements, and is still needed when
	// they are written over those of a or b.
	for i := len(t.Fields) - 1; i >= 0; i-- {
		fd := &t.Fields[i]
		switch {
		case fd.in != nil || fd.Form == FormText:
			for k := range n {
				at := uintptr(k) * t.Size
				fd.lerpElement(unsafe.Add(dst, at), unsafe.Add(a, at), unsafe.Add(b, at), f)
			}
		case fd.Hold || a == b:
			fd.copyRows(dst, a, t.Size, n)
		default:
			fd.lerpRows(dst, a, b, t.Size, n, f)
		}
	}
}

// lerpElement is Lerp for one row of a field in a list, or of a text.
func (f *Field) lerpElement(dst, a, b unsafe.Pointer, at float64) {
	switch {
	case !f.in.there(a):
		f.clear(dst)
	case f.Form == FormText:
		f.copyText(dst, a)
	case f.Hold || a == b || !f.in.sameLength(a, b):
		f.copyRows(dst, a, 0, 1)
	default:
		f.lerpRows(dst, a, b, 0, 1, at)
	}
}

// copyRows copies values, but for texts.
func (f *Field) copyRows(dst, src unsafe.Pointer, size uintptr, n int) {
	if dst == src {
		return
	}
	if f.Form == FormUnit || f.Form == FormQuat {
		for i := range n {
			at := f.Offset + uintptr(i)*size
			copy(unsafe.Slice((*byte)(unsafe.Add(dst, at)), f.bytes()), unsafe.Slice((*byte)(unsafe.Add(src, at)), f.bytes()))
		}
		return
	}
	switch f.bytes() {
	case 1:
		copyNumbers[uint8](dst, src, f.Offset, size, n)
	case 2:
		copyNumbers[uint16](dst, src, f.Offset, size, n)
	case 4:
		copyNumbers[uint32](dst, src, f.Offset, size, n)
	default:
		copyNumbers[uint64](dst, src, f.Offset, size, n)
	}
}

func copyNumbers[T uint8 | uint16 | uint32 | uint64](dst, src unsafe.Pointer, off, size uintptr, n int) {
	for range n {
		*(*T)(unsafe.Add(dst, off)) = *(*T)(unsafe.Add(src, off))
		off += size
	}
}

// lerpRows interpolates n rows of a field that is there in all of them.
func (f *Field) lerpRows(dst, a, b unsafe.Pointer, size uintptr, n int, at float64) {
	if f.Form == FormUnit || f.Form == FormQuat {
		for i := range n {
			row := uintptr(i) * size
			x, y := f.vector(unsafe.Add(a, row)), f.vector(unsafe.Add(b, row))
			if x != y {
				x = f.toward(x, y, at)
			}
			f.setVector(unsafe.Add(dst, row), x)
		}
		return
	}
	switch f.Kind {
	case reflect.Int8:
		lerpIntegers[int8](f, dst, a, b, size, n, at)
	case reflect.Uint8:
		lerpIntegers[uint8](f, dst, a, b, size, n, at)
	case reflect.Int16:
		lerpIntegers[int16](f, dst, a, b, size, n, at)
	case reflect.Uint16:
		lerpIntegers[uint16](f, dst, a, b, size, n, at)
	case reflect.Int32:
		lerpIntegers[int32](f, dst, a, b, size, n, at)
	case reflect.Uint32:
		lerpIntegers[uint32](f, dst, a, b, size, n, at)
	case reflect.Int64:
		lerpIntegers[int64](f, dst, a, b, size, n, at)
	case reflect.Uint64:
		lerpIntegers[uint64](f, dst, a, b, size, n, at)
	case reflect.Float32:
		lerpFloats[float32](f, dst, a, b, size, n, at)
	case reflect.Float64:
		lerpFloats[float64](f, dst, a, b, size, n, at)
	}
}

// lerpFloats leaves its kernel for what is not finite, and for angles.
func lerpFloats[T float32 | float64](f *Field, dst, a, b unsafe.Pointer, size uintptr, n int, at float64) {
	if f.Angle {
		lerpNumbers[T](f, dst, a, b, size, n, at)
		return
	}
	for i := 0; ; i++ {
		i += lerpLine[T](dst, a, b, f.Offset+uintptr(i)*size, size, n-i, at)
		if i == n {
			return
		}
		row := uintptr(i) * size
		lerpNumbers[T](f, unsafe.Add(dst, row), unsafe.Add(a, row), unsafe.Add(b, row), 0, 1, at)
	}
}

// lerpLine interpolates up to the first value that is not finite, and returns how
// many. The product is rounded before the sum.
func lerpLine[T float32 | float64](dst, a, b unsafe.Pointer, off, size uintptr, n int, at float64) int {
	for i := range n {
		x, y := float64(*(*T)(unsafe.Add(a, off))), float64(*(*T)(unsafe.Add(b, off)))
		v := float64(x + float64((y-x)*at))
		if v-v != 0 {
			return i
		}
		*(*T)(unsafe.Add(dst, off)) = T(v)
		off += size
	}
	return n
}

// lerpNumbers interpolates any numbers.
func lerpNumbers[T numeric](f *Field, dst, a, b unsafe.Pointer, size uintptr, n int, at float64) {
	off := f.Offset
	whole := !isFloat(f.Kind)
	for range n {
		from, to := *(*T)(unsafe.Add(a, off)), *(*T)(unsafe.Add(b, off))
		if from != to {
			v := f.between(float64(from), float64(to), at)
			if whole {
				v = math.Floor(v + 0.5)
			}
			if f.Angle {
				v = f.wrap(v)
			}
			from = T(v)
		}
		*(*T)(unsafe.Add(dst, off)) = from
		off += size
	}
}

// between returns the number at 0 < at < 1 of the way from x to y.
func (f *Field) between(x, y, at float64) float64 {
	d := y - x
	if f.Angle {
		d = f.turn(d)
	}
	if math.IsInf(d, 0) {
		// The two are so far apart that their difference is not a float.
		return float64(x*(1-at)) + float64(y*at)
	}
	return float64(x + float64(d*at))
}
