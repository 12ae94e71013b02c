package values

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
)

// Type is what one component type holds. Its leaves are every value, replicated or
// not, and leave out the padding.
type Type struct {
	// Leaves are in the order of memory.
	Leaves []Leaf
	table  *schema.Table // nil: none
	size   uintptr
}

// Of describes a type without pointers, and its field table, which may be nil.
func Of(t reflect.Type, table *schema.Table) Type {
	return Type{Leaves: leavesOf(t), table: table, size: t.Size()}
}

// Unequal is the first leaf in which the components at a and b differ, or nil.
func (t *Type) Unequal(a, b unsafe.Pointer) *Leaf {
	for i := range t.Leaves {
		if l := &t.Leaves[i]; l.Bits(a) != l.Bits(b) {
			return l
		}
	}
	return nil
}

// Hash64 is a hash of the component at p: of its field table where it has one, else
// of all that it holds.
func (t *Type) Hash64(p unsafe.Pointer) uint64 {
	if t.table != nil {
		return t.table.Hash64(p)
	}
	h := uint64(t.size)
	for i := range t.Leaves {
		h = Mix(h ^ t.Leaves[i].Bits(p))
	}
	return h
}

// Differs finds where the components at a and b differ in what [Type.Hash64]
// is made of, and both values as text; false when they do not. What a field table
// leaves out, such as memory behind the end of a list, may differ.
func (t *Type) Differs(a, b unsafe.Pointer) (path, textA, textB string, differs bool) {
	if t.Hash64(a) == t.Hash64(b) {
		return "", "", "", false
	}
	if t.table == nil {
		l := t.Unequal(a, b)
		return l.path, l.Text(a), l.Text(b), true
	}
	// One value after the other becomes that of b. The first to change the hash
	// is the first that counts.
	words := make([]uint64, t.size/8+1)
	probe := unsafe.Pointer(&words[0])
	copy(unsafe.Slice((*byte)(probe), t.size), unsafe.Slice((*byte)(a), t.size))
	for i := range t.Leaves {
		l := &t.Leaves[i]
		was := t.table.Hash64(probe)
		copy(l.bytes(probe), l.bytes(b))
		if t.table.Hash64(probe) == was {
			continue
		}
		if k := t.fieldOf(l); k >= 0 {
			return t.table.Fields[k].Path, t.table.Format(k, a), t.table.Format(k, b), true
		}
		return l.path, l.Text(a), l.Text(b), true
	}
	return "", "", "", false
}

// Path is the path of the field that a leaf is part of, or the leaf's own.
func (t *Type) Path(l *Leaf) string {
	if t.table != nil {
		if k := t.fieldOf(l); k >= 0 {
			return t.table.Fields[k].Path
		}
	}
	return l.path
}

// fieldOf is the field of the table that a leaf is part of, or -1: the one that
// lies there, or, for the length of a text, the text.
func (t *Type) fieldOf(l *Leaf) int {
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

// Held is how many bytes the values of a component are, as [Type.Append] writes them.
func (t *Type) Held() (n int) {
	for i := range t.Leaves {
		n += int(t.Leaves[i].typ.Size())
	}
	return n
}

// Append appends the values of the component at p, as they lie in memory.
func (t *Type) Append(dst []byte, p unsafe.Pointer) []byte {
	for i := range t.Leaves {
		dst = append(dst, t.Leaves[i].bytes(p)...)
	}
	return dst
}

// Read reads what [Type.Append] wrote into the component at p. It returns what is wrong
// with values that are dangerous to hold: truth values that are neither, and counts beyond
// their lists. What is missing is an error of the reader.
func (t *Type) Read(r *codec.ByteReader, p unsafe.Pointer) (wrong string) {
	for i := range t.Leaves {
		l := &t.Leaves[i]
		value := r.Next(int(l.typ.Size()))
		if l.typ.Kind() == reflect.Bool && len(value) > 0 && value[0] > 1 {
			return "neither true nor false"
		}
		copy(l.bytes(p), value)
	}
	if t.table != nil && t.overfull(p) {
		return "a list longer than its array"
	}
	return ""
}

// overfull reports whether a count in the component at p is beyond its list.
func (t *Type) overfull(p unsafe.Pointer) bool {
	for i := range t.Leaves {
		l := &t.Leaves[i]
		if l.typ.Size() > 2 || l.typ.Kind() == reflect.Bool {
			continue
		}
		for k := range t.table.Fields {
			if f := &t.table.Fields[k]; f.Offset == l.offset && f.Form == schema.FormCount && l.Bits(p) > uint64(f.Max) {
				return true
			}
		}
	}
	return false
}

// Describe writes what a component looks like in memory, a line a leaf.
func (t *Type) Describe(to io.Writer) {
	for i := range t.Leaves {
		io.WriteString(to, t.Leaves[i].path)
		fmt.Fprintln(to, "", t.Leaves[i].typ.Kind(), t.Leaves[i].offset)
	}
}
