package schema

import (
	"reflect"
	"unsafe"
)

// quantizeRaw writes the bits of raw values as words and returns the number of floats that are not finite.
func (m *Memory) quantizeRaw(dst []int32, w, stride int, src unsafe.Pointer, size uintptr, n int) (clamped int) {
	off := m.Offset
	switch m.Kind {
	case reflect.Int8:
		copyWords[int8](dst, w, stride, src, off, size, n)
	case reflect.Uint8:
		copyWords[uint8](dst, w, stride, src, off, size, n)
	case reflect.Int16:
		copyWords[int16](dst, w, stride, src, off, size, n)
	case reflect.Uint16:
		copyWords[uint16](dst, w, stride, src, off, size, n)
	case reflect.Int32, reflect.Uint32:
		copyWords[int32](dst, w, stride, src, off, size, n)
	case reflect.Float32:
		for range n {
			b, ok := finite32(*(*uint32)(unsafe.Add(src, off)))
			if !ok {
				clamped++
			}
			dst[w] = int32(b)
			w += stride
			off += size
		}
	case reflect.Int64, reflect.Uint64:
		for range n {
			v := *(*uint64)(unsafe.Add(src, off))
			dst[w], dst[w+1] = int32(v), int32(v>>32)
			w += stride
			off += size
		}
	case reflect.Float64:
		for range n {
			v, ok := finite64(*(*uint64)(unsafe.Add(src, off)))
			if !ok {
				clamped++
			}
			dst[w], dst[w+1] = int32(v), int32(v>>32)
			w += stride
			off += size
		}
	}
	return clamped
}

// dequantizeRaw is the inverse of quantizeRaw.
func (m *Memory) dequantizeRaw(dst unsafe.Pointer, src []int32, w, stride int, size uintptr, n int) {
	off := m.Offset
	switch m.Kind {
	case reflect.Int8, reflect.Uint8:
		pasteWords[uint8](dst, src, w, stride, off, size, n)
	case reflect.Int16, reflect.Uint16:
		pasteWords[uint16](dst, src, w, stride, off, size, n)
	case reflect.Int32, reflect.Uint32:
		pasteWords[uint32](dst, src, w, stride, off, size, n)
	case reflect.Float32:
		for range n {
			b, _ := finite32(uint32(src[w]))
			*(*uint32)(unsafe.Add(dst, off)) = b
			w += stride
			off += size
		}
	case reflect.Int64, reflect.Uint64, reflect.Float64:
		float := m.Kind == reflect.Float64
		for range n {
			v := uint64(uint32(src[w])) | uint64(uint32(src[w+1]))<<32
			if float {
				v, _ = finite64(v)
			}
			*(*uint64)(unsafe.Add(dst, off)) = v
			w += stride
			off += size
		}
	}
}

func copyWords[T int8 | uint8 | int16 | uint16 | int32](dst []int32, w, stride int, src unsafe.Pointer, off, size uintptr, n int) {
	for range n {
		dst[w] = int32(*(*T)(unsafe.Add(src, off)))
		w += stride
		off += size
	}
}

func pasteWords[T uint8 | uint16 | uint32](dst unsafe.Pointer, src []int32, w, stride int, off, size uintptr, n int) {
	for range n {
		*(*T)(unsafe.Add(dst, off)) = T(src[w])
		w += stride
		off += size
	}
}

// finite32 returns the bits of a float32 and whether it is finite. It replaces a NaN by 0 and an infinity by the largest
// finite number.
func finite32(b uint32) (uint32, bool) {
	const exponent = 0x7f800000
	if b&exponent != exponent {
		return b, true
	}
	if b&^(1<<31) != exponent {
		return 0, false
	}
	return b - 1, false
}

// finite64 is finite32 for float64.
func finite64(b uint64) (uint64, bool) {
	const exponent = 0x7ff << 52
	if b&exponent != exponent {
		return b, true
	}
	if b&^(1<<63) != exponent {
		return 0, false
	}
	return b - 1, false
}

func quantizeFlags(f *Field, dst []int32, w, stride int, src unsafe.Pointer, size uintptr, n int) int {
	switch f.Kind {
	case reflect.Uint8:
		return flagWords[uint8](f, dst, w, stride, src, size, n)
	case reflect.Uint16:
		return flagWords[uint16](f, dst, w, stride, src, size, n)
	case reflect.Uint32:
		return flagWords[uint32](f, dst, w, stride, src, size, n)
	}
	return flagWords[uint64](f, dst, w, stride, src, size, n)
}

func dequantizeFlags(f *Field, dst unsafe.Pointer, src []int32, w, stride int, size uintptr, n int) {
	switch f.Kind {
	case reflect.Uint8:
		writeFlags[uint8](f, dst, src, w, stride, size, n)
	case reflect.Uint16:
		writeFlags[uint16](f, dst, src, w, stride, size, n)
	case reflect.Uint32:
		writeFlags[uint32](f, dst, src, w, stride, size, n)
	default:
		writeFlags[uint64](f, dst, src, w, stride, size, n)
	}
}

func flagWords[T uint8 | uint16 | uint32 | uint64](f *Field, dst []int32, w, stride int, src unsafe.Pointer, size uintptr, n int) (clamped int) {
	off, mask, two := f.Offset, f.mask, f.Words == 2
	for range n {
		v := uint64(*(*T)(unsafe.Add(src, off)))
		if v&^mask != 0 {
			clamped++
		}
		dst[w] = int32(v & mask)
		if two {
			dst[w+1] = int32(v & mask >> 32)
		}
		w += stride
		off += size
	}
	return clamped
}

func writeFlags[T uint8 | uint16 | uint32 | uint64](f *Field, dst unsafe.Pointer, src []int32, w, stride int, size uintptr, n int) {
	off, mask, two := f.Offset, f.mask, f.Words == 2
	for range n {
		v := uint64(uint32(src[w]))
		if two {
			v |= uint64(uint32(src[w+1])) << 32
		}
		*(*T)(unsafe.Add(dst, off)) = T(v & mask)
		w += stride
		off += size
	}
}
