package schema

import (
	"encoding/binary"
	"unsafe"
)

// A list is a count and an array. Of the array's elements, those from the count
// on are not there: they have zero words and zero bytes, no part in comparing and
// hashing, and zero memory after anything was written; what memory held before is
// of no consequence.

// place is where in a list a field lies: within element index, which is there if
// the list's count is above index.
type place struct {
	offset uintptr // of the count, in the component
	rawAt  int     // of the count, in the bytes of AppendRaw
	wide   bool    // the count is a uint16, not a uint8
	index  int
	outer  *place // of the list itself in another one
}

// there reports whether the fields of the component at p that lie here exist. The
// nil place is outside of all lists.
func (l *place) there(p unsafe.Pointer) bool {
	for ; l != nil; l = l.outer {
		if l.index >= l.length(p) {
			return false
		}
	}
	return true
}

func (l *place) length(p unsafe.Pointer) int {
	p = unsafe.Add(p, l.offset)
	if l.wide {
		return int(*(*uint16)(p))
	}
	return int(*(*uint8)(p))
}

// thereRaw is there for the bytes of AppendRaw.
func (l *place) thereRaw(b []byte) bool {
	for ; l != nil; l = l.outer {
		n := int(b[l.rawAt])
		if l.wide {
			n = int(binary.LittleEndian.Uint16(b[l.rawAt:]))
		}
		if l.index >= n {
			return false
		}
	}
	return true
}

// sameLength reports whether the lists around this place are equally long in the
// components at a and b.
func (l *place) sameLength(a, b unsafe.Pointer) bool {
	for ; l != nil; l = l.outer {
		if l.length(a) != l.length(b) {
			return false
		}
	}
	return true
}

// stretch returns how many of the n rows at p, n ≥ 1, are like the first in that
// the field is there or is not.
func (l *place) stretch(p unsafe.Pointer, size uintptr, n int) (rows int, there bool) {
	there = l.there(p)
	for rows = 1; rows < n; rows++ {
		if l.there(unsafe.Add(p, uintptr(rows)*size)) != there {
			break
		}
	}
	return rows, there
}

// quantizeElement is quantize for a field in a list.
func (f *Field) quantizeElement(dst []int32, w, stride int, src unsafe.Pointer, size uintptr, n int) (clamped int) {
	for at := 0; at < n; {
		p := unsafe.Add(src, uintptr(at)*size)
		rows, there := f.in.stretch(p, size, n-at)
		if there {
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

// dequantizeElement is dequantize for a field in a list, whose count is written.
func (f *Field) dequantizeElement(dst unsafe.Pointer, src []int32, w, stride int, size uintptr, n int) {
	for at := 0; at < n; {
		p := unsafe.Add(dst, uintptr(at)*size)
		rows, there := f.in.stretch(p, size, n-at)
		if there {
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

// clear makes the memory of the value at p zero.
func (f *Field) clear(p unsafe.Pointer) {
	clear(unsafe.Slice((*byte)(unsafe.Add(p, f.Offset)), f.bytes()))
	if f.Form == FormText {
		clear(f.textBytes(p))
	}
}
