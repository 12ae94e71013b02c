package ecs

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
)

// valueLayout is where the values of a component type lie in memory. Its leaves are all values, replicated or not, without
// the padding.
type valueLayout struct {
	leaves []valueLeaf   // in the order of memory
	table  *schema.Table // nil: none
	bytes  uintptr       // of a component, with padding
}

// newValueLayout returns the layout of a type without pointers. The field table may be nil. It returns an error for a wrong
// save tag.
func newValueLayout(t reflect.Type, table *schema.Table) (valueLayout, error) {
	leaves, err := appendLeaves(nil, t, "", 0, nil, "")
	return valueLayout{leaves: leaves, table: table, bytes: t.Size()}, err
}

// unequal returns the first leaf in which the components at a and b differ, or nil.
func (t *valueLayout) unequal(a, b unsafe.Pointer) *valueLeaf {
	for i := range t.leaves {
		if l := &t.leaves[i]; l.bits(a) != l.bits(b) {
			return l
		}
	}
	return nil
}

// hash returns a hash of the component at p: of the fields in its field table if it has one, else of all values.
func (t *valueLayout) hash(p unsafe.Pointer) uint64 {
	if t.table != nil {
		return t.table.Hash64(p)
	}
	h := uint64(t.bytes)
	for i := range t.leaves {
		h = mix64(h ^ t.leaves[i].bits(p))
	}
	return h
}

// differs reports whether the components at a and b differ in a value that hash hashes, and returns the path of the first
// such value, and both values as text. What a field table leaves out, such as memory behind the end of a list, may differ.
func (t *valueLayout) differs(a, b unsafe.Pointer) (path, textA, textB string, differs bool) {
	if t.hash(a) == t.hash(b) {
		return "", "", "", false
	}
	if t.table == nil {
		l := t.unequal(a, b)
		return l.path, l.text(a), l.text(b), true
	}
	// Copy one value after the other from b. The first copy that changes the hash
	// is the difference.
	words := make([]uint64, t.bytes/8+1)
	probe := unsafe.Pointer(&words[0])
	copy(unsafe.Slice((*byte)(probe), t.bytes), unsafe.Slice((*byte)(a), t.bytes))
	for i := range t.leaves {
		l := &t.leaves[i]
		was := t.table.Hash64(probe)
		copy(l.memory(probe), l.memory(b))
		if t.table.Hash64(probe) == was {
			continue
		}
		if k := t.fieldOf(l); k >= 0 {
			return t.table.Fields[k].Path, t.table.Format(k, a), t.table.Format(k, b), true
		}
		return l.path, l.text(a), l.text(b), true
	}
	return "", "", "", false
}

// path returns the path of the field that a leaf is part of, or the leaf's own.
func (t *valueLayout) path(l *valueLeaf) string {
	if t.table != nil {
		if k := t.fieldOf(l); k >= 0 {
			return t.table.Fields[k].Path
		}
	}
	return l.path
}

// fieldOf returns the index of the field that a leaf is part of, or -1: the field that lies there, or, for the length of a
// text, the text.
func (t *valueLayout) fieldOf(l *valueLeaf) int {
	named := -1
	for i := range t.table.Fields {
		f := &t.table.Fields[i]
		if l.typ.Kind() == f.Kind && l.offset-f.Offset < uintptr(f.Len)*l.typ.Size() {
			return i
		}
		if named < 0 && strings.HasPrefix(l.path, f.Path+".") {
			named = i
		}
	}
	return named
}

// size returns how many bytes append appends.
func (t *valueLayout) size() (n int) {
	for i := range t.leaves {
		n += int(t.leaves[i].typ.Size())
	}
	return n
}

// append appends the values of the component at p to dst, as they lie in memory.
func (t *valueLayout) append(dst []byte, p unsafe.Pointer) []byte {
	for i := range t.leaves {
		dst = append(dst, t.leaves[i].memory(p)...)
	}
	return dst
}

// read decodes the component at p from the bytes of append. It returns a description of the first dangerous value: a bool
// that is neither true nor false, or a count beyond its list. Missing bytes are an error of the reader.
func (t *valueLayout) read(r *codec.ByteReader, p unsafe.Pointer) (wrong string) {
	for i := range t.leaves {
		l := &t.leaves[i]
		value := r.Next(int(l.typ.Size()))
		if l.typ.Kind() == reflect.Bool && len(value) > 0 && value[0] > 1 {
			return "neither true nor false"
		}
		copy(l.memory(p), value)
	}
	if t.table != nil && t.overfull(p) {
		return "a list longer than its array"
	}
	return ""
}

// overfull reports whether a count in the component at p is beyond its list.
func (t *valueLayout) overfull(p unsafe.Pointer) bool {
	for i := range t.leaves {
		l := &t.leaves[i]
		if l.typ.Size() > 2 || l.typ.Kind() == reflect.Bool {
			continue
		}
		for k := range t.table.Fields {
			if f := &t.table.Fields[k]; f.Offset == l.offset && f.Form == schema.FormCount && l.bits(p) > uint64(f.Max) {
				return true
			}
		}
	}
	return false
}

// describe writes the layout, a line for each leaf.
func (t *valueLayout) describe(to io.Writer) {
	for i := range t.leaves {
		io.WriteString(to, t.leaves[i].path)
		fmt.Fprintln(to, "", t.leaves[i].typ.Kind(), t.leaves[i].offset)
	}
}
