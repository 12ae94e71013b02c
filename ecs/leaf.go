package ecs

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
)

// leaf is a number or bool somewhere in a component. Leaves are every value that
// the type holds, replicated or not, and leave out the padding: they serve to hash
// components that have no field table, and to say where two components differ.
type leaf struct {
	path   string // "Slots[3].Item"
	offset uintptr
	typ    reflect.Type
}

// leavesOf lists the leaves of a type without pointers, in the order of memory.
func leavesOf(t reflect.Type) []leaf { return appendLeaves(nil, t, "", 0) }

func appendLeaves(to []leaf, t reflect.Type, path string, offset uintptr) []leaf {
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
		to = append(to, leaf{path, offset, t})
	}
	return to
}

func join(outer, inner string) string {
	if outer == "" || inner[0] == '[' {
		return outer + inner
	}
	return outer + "." + inner
}

// bits is the value of a leaf in the component at p, as a number that is equal for
// equal values: −0 counts as 0, and one NaN as any other.
func (l *leaf) bits(p unsafe.Pointer) uint64 {
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
		return mix(canonical(float64(*(*float32)(p)))) + canonical(float64(*(*float32)(unsafe.Add(p, 4))))
	case k == reflect.Complex128:
		return mix(canonical(*(*float64)(p))) + canonical(*(*float64)(unsafe.Add(p, 8)))
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

// text is the value of a leaf for people.
func (l *leaf) text(p unsafe.Pointer) string {
	return fmt.Sprint(reflect.NewAt(l.typ, unsafe.Add(p, l.offset)).Elem())
}

// unequal is the first leaf in which two components differ, or nil.
func (c *Component) unequal(a, b unsafe.Pointer) *leaf {
	for i := range c.leaves {
		if l := &c.leaves[i]; l.bits(a) != l.bits(b) {
			return l
		}
	}
	return nil
}

// hash64 is a hash of the component at p: of its field table where it has one, else
// of all that it holds.
func (c *Component) hash64(p unsafe.Pointer) uint64 {
	if c.Schema != nil {
		return c.Schema.Hash64(p)
	}
	h := uint64(c.size)
	for i := range c.leaves {
		h = mix(h ^ c.leaves[i].bits(p))
	}
	return h
}

// differs finds where the components at a and b differ in what [Component.hash64]
// is made of, and both values as text; false when they do not. What a field table
// leaves out, such as memory behind the end of a list, may differ.
func (c *Component) differs(a, b unsafe.Pointer) (path, textA, textB string, differs bool) {
	if c.hash64(a) == c.hash64(b) {
		return "", "", "", false
	}
	if c.Schema == nil {
		l := c.unequal(a, b)
		return l.path, l.text(a), l.text(b), true
	}
	// One value after the other becomes that of b. The first to change the hash
	// is the first that counts.
	words := make([]uint64, c.size/8+1)
	probe := unsafe.Pointer(&words[0])
	move(probe, a, c.size)
	for i := range c.leaves {
		l := &c.leaves[i]
		was := c.Schema.Hash64(probe)
		move(unsafe.Add(probe, l.offset), unsafe.Add(b, l.offset), l.typ.Size())
		if c.Schema.Hash64(probe) == was {
			continue
		}
		if k := c.fieldOf(l); k >= 0 {
			return c.Schema.Fields[k].Path, c.Schema.Format(k, a), c.Schema.Format(k, b), true
		}
		return l.path, l.text(a), l.text(b), true
	}
	return "", "", "", false
}

// pathOf is the path of the field that a leaf is part of, or the leaf's own.
func (c *Component) pathOf(l *leaf) string {
	if c.Schema != nil {
		if k := c.fieldOf(l); k >= 0 {
			return c.Schema.Fields[k].Path
		}
	}
	return l.path
}

// fieldOf is the field of the table that a leaf is part of, or -1: the one that
// lies there, or, for the length of a text, the text.
func (c *Component) fieldOf(l *leaf) int {
	named := -1
	for i := range c.Schema.Fields {
		f := &c.Schema.Fields[i]
		if l.typ.Kind() == f.Kind && l.offset-f.Offset < uintptr(f.Len)*l.typ.Size() {
			return i
		}
		if named < 0 && strings.HasPrefix(l.path, f.Path+".") {
			named = i
		}
	}
	return named
}

// held is how many bytes the values of a component are.
func (c *Component) held() (n int) {
	for i := range c.leaves {
		n += int(c.leaves[i].typ.Size())
	}
	return n
}

// overfull reports whether a count in the component at p is beyond its list.
func (c *Component) overfull(p unsafe.Pointer) bool {
	for i := range c.leaves {
		l := &c.leaves[i]
		if l.typ.Size() > 2 || l.typ.Kind() == reflect.Bool {
			continue
		}
		for k := range c.Schema.Fields {
			if f := &c.Schema.Fields[k]; f.Offset == l.offset && f.Form == schema.FormCount && l.bits(p) > uint64(f.Max) {
				return true
			}
		}
	}
	return false
}
