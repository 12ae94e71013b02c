package values

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

// Leaf is a number or bool somewhere in a component.
type Leaf struct {
	path   string // "Slots[3].Item"
	offset uintptr
	typ    reflect.Type
}

// leavesOf lists the leaves of a type without pointers, in the order of memory.
func leavesOf(t reflect.Type) []Leaf { return appendLeaves(nil, t, "", 0) }

func appendLeaves(to []Leaf, t reflect.Type, path string, offset uintptr) []Leaf {
	switch t.Kind() {
	case reflect.Struct:
		for f := range t.Fields() {
			if f.Name != "_" {
				to = appendLeaves(to, f.Type, join(path, f.Name), offset+f.Offset)
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			to = appendLeaves(to, t.Elem(), join(path, fmt.Sprintf("[%d]", i)), offset+uintptr(i)*t.Elem().Size())
		}
	default:
		to = append(to, Leaf{path, offset, t})
	}
	return to
}

func join(outer, inner string) string {
	if outer == "" || inner[0] == '[' {
		return outer + inner
	}
	return outer + "." + inner
}

// Bits is the value of a leaf in the component at p, as a number that is equal for
// equal values: −0 counts as 0, and one NaN as any other.
func (l *Leaf) Bits(p unsafe.Pointer) uint64 {
	p = unsafe.Add(p, l.offset)
	switch k := l.typ.Kind(); {
	case k == reflect.Float32:
		return canonical(float64(*(*float32)(p)))
	case k == reflect.Float64:
		return canonical(*(*float64)(p))
	case l.typ.Size() == 1:
		return uint64(*(*uint8)(p))
	case l.typ.Size() == 2:
		return uint64(*(*uint16)(p))
	case l.typ.Size() == 4:
		return uint64(*(*uint32)(p))
	case k == reflect.Complex64:
		return Mix(canonical(float64(*(*float32)(p)))) + canonical(float64(*(*float32)(unsafe.Add(p, 4))))
	case k == reflect.Complex128:
		return Mix(canonical(*(*float64)(p))) + canonical(*(*float64)(unsafe.Add(p, 8)))
	}
	return *(*uint64)(p)
}

func canonical(x float64) uint64 {
	switch {
	case x == 0:
		return 0
	case x != x:
		return math.MaxUint64
	}
	return math.Float64bits(x)
}

// Text is the value of a leaf for people.
func (l *Leaf) Text(p unsafe.Pointer) string {
	return fmt.Sprint(reflect.NewAt(l.typ, unsafe.Add(p, l.offset)).Elem())
}

// Path is the way to a leaf from the component on, "Slots[3].Item".
func (l *Leaf) Path() string { return l.path }

// bytes are the memory of a leaf in the component at p.
func (l *Leaf) bytes(p unsafe.Pointer) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(p, l.offset)), l.typ.Size())
}
