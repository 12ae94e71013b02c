package schema

import (
	"reflect"
	"unsafe"
)

func (f *Field) quantizeFlags(dst []int32, w, stride int, src unsafe.Pointer, size uintptr, n int) int {
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

func (f *Field) dequantizeFlags(dst unsafe.Pointer, src []int32, w, stride int, size uintptr, n int) {
	switch f.Kind {
	case reflect.Uint8:
		flagsOf[uint8](f, dst, src, w, stride, size, n)
	case reflect.Uint16:
		flagsOf[uint16](f, dst, src, w, stride, size, n)
	case reflect.Uint32:
		flagsOf[uint32](f, dst, src, w, stride, size, n)
	default:
		flagsOf[uint64](f, dst, src, w, stride, size, n)
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

func flagsOf[T uint8 | uint16 | uint32 | uint64](f *Field, dst unsafe.Pointer, src []int32, w, stride int, size uintptr, n int) {
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
