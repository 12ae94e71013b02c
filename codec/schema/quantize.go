package schema

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Quantize writes the words of n components to dst. Component i is i·Size bytes after src; its word w goes to
// dst[i*stride+w]. Quantize returns the number of clamped values: numbers that are outside their range or not finite,
// undefined flags, directions and rotations that are zero or not finite, lists and texts longer than their arrays, and
// texts that are not valid UTF-8. Angles outside their range are wrapped and not counted; nor are directions whose length
// is not 1.
//
// stride is at least Words, unless n is 1. Quantize panics if dst is too short. If n is 0, it does not use src.
func (t *Table) Quantize(dst []int32, stride int, src unsafe.Pointer, n int) (clamped int) {
	t.checkRows(len(dst), stride, n)
	for i := range t.Fields {
		f := &t.Fields[i]
		clamped += f.quantize(dst, f.Word, stride, src, t.Size, n)
	}
	return clamped
}

// FirstClamped returns the first of n components that [Table.Quantize] would clamp, and the index of its first clamped
// field, or −1, −1. It is slower than Quantize; use it for log messages.
func (t *Table) FirstClamped(src unsafe.Pointer, n int) (row, field int) {
	var q [maxFieldWords]int32
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

// Dequantize decodes n components from words in the layout of [Table.Quantize]. It accepts any words: it clamps words
// outside the range, replaces raw floats that are not finite as Quantize does, and replaces invalid UTF-8 bytes by question
// marks. Decoded directions and rotations have length 1, and the largest component of a rotation is positive. Memory after
// the end of lists and texts becomes zero. Fields that are not replicated stay unchanged.
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

// quantize writes the words of one field for n rows, starting at dst[w]. It returns the number of clamped values.
func (f *Field) quantize(dst []int32, w, stride int, src unsafe.Pointer, size uintptr, n int) int {
	if f.in != nil {
		return f.quantizeElement(dst, w, stride, src, size, n)
	}
	return f.quantizeRows(dst, w, stride, src, size, n)
}

// quantizeRows is quantize for a field that exists in all rows.
func (f *Field) quantizeRows(dst []int32, w, stride int, src unsafe.Pointer, size uintptr, n int) int {
	if f.Lines > 0 {
		clearLines(dst, w, stride, n)
	}
	switch f.Form {
	case FormRaw, FormRef:
		return f.quantizeRaw(dst, w, stride, src, size, n)
	case FormFlags:
		return quantizeFlags(f, dst, w, stride, src, size, n)
	case FormUnit:
		return quantizeUnit(f, dst, w, stride, src, size, n)
	case FormQuat:
		return quantizeQuat(f, dst, w, stride, src, size, n)
	case FormText:
		return f.quantizeText(dst, w, stride, src, size, n)
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
	if f.in != nil {
		f.dequantizeElement(dst, src, w, stride, size, n)
	} else {
		f.dequantizeRows(dst, src, w, stride, size, n)
	}
}

func (f *Field) dequantizeRows(dst unsafe.Pointer, src []int32, w, stride int, size uintptr, n int) {
	switch f.Form {
	case FormRaw, FormRef:
		f.dequantizeRaw(dst, src, w, stride, size, n)
		return
	case FormFlags:
		dequantizeFlags(f, dst, src, w, stride, size, n)
		return
	case FormUnit:
		dequantizeUnit(f, dst, src, w, stride, size, n)
		return
	case FormQuat:
		dequantizeQuat(f, dst, src, w, stride, size, n)
		return
	case FormText:
		f.dequantizeText(dst, src, w, stride, size, n)
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

// quantizeElement is quantize for a field in a list.
func (f *Field) quantizeElement(dst []int32, w, stride int, src unsafe.Pointer, size uintptr, n int) (clamped int) {
	for at := 0; at < n; {
		p := unsafe.Add(src, uintptr(at)*size)
		rows, exists := f.in.run(p, size, n-at)
		if exists {
			clamped += f.quantizeRows(dst, w, stride, p, size, rows)
		} else {
			for i := range rows {
				clear(dst[w+i*stride:][:f.Words])
			}
		}
		at += rows
		w += rows * stride
	}
	return clamped
}

// dequantizeElement is dequantize for a field in a list. The count of the list is already decoded.
func (f *Field) dequantizeElement(dst unsafe.Pointer, src []int32, w, stride int, size uintptr, n int) {
	for at := 0; at < n; {
		p := unsafe.Add(dst, uintptr(at)*size)
		rows, exists := f.in.run(p, size, n-at)
		if exists {
			f.dequantizeRows(p, src, w, stride, size, rows)
		} else {
			for i := range rows {
				f.clear(unsafe.Add(p, uintptr(i)*size))
			}
		}
		at += rows
		w += rows * stride
	}
}

// Snap rounds the component at p to the values that a receiver will decode. Clients snap inputs before they apply them
// locally, so that both sides apply equal inputs.
func (t *Table) Snap(p unsafe.Pointer) {
	var q [maxFieldWords]int32
	for i := range t.Fields {
		f := &t.Fields[i]
		f.quantize(q[:], 0, 0, p, 0, 1)
		f.dequantize(p, q[:], 0, 0, 0, 1)
	}
}

// NeutralWords returns the words of the zero value of the type, or of the values next to it where a range excludes zero. They are not
// all 0: the word 0 is the smallest value of a range.
func (t *Table) NeutralWords() []int32 {
	words := make([]int32, t.Words)
	if t.Words > 0 {
		value := make([]uint64, (t.Size+7)/8)
		at := unsafe.Pointer(unsafe.SliceData(value))
		t.Snap(at)
		t.Quantize(words, t.Words, at, 1)
	}
	return words
}

// ClearEdges sets the edge fields of the component at p to 0, or to the value closest to 0 if the range excludes 0. A
// repeated input then has no key presses.
func (t *Table) ClearEdges(p unsafe.Pointer) {
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.Edge && f.in.exists(p) {
			f.store(p, f.bits(f.rest))
		}
	}
}
