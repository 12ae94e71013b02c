package bind

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tactusgo/tactus/codec/schema"
)

// kind is the kind of a node.
type kind uint8

const (
	number kind = iota
	text
	list
	array
	structure
)

// node describes a value in memory: a type and its replicated fields.
type node struct {
	kind kind
	name string
	typ  reflect.Type // of a whole type
	path string       // within the type, without indices
	at   uintptr      // offset in the parent node; 0 for elements
	size uintptr
	of   reflect.Kind  // number: its kind
	says *schema.Field // the field's schema; nil if an outer node has it
	n    int           // array: length; list and text: maximum number of elements or bytes
	elem *node         // array, list
	in   []*node       // structure
	enum *Enum         // number
	head counted       // list, text
}

// counted is the memory layout of a list or a text.
type counted struct {
	count string       // name of the count field; "" if count and elements form their own struct
	of    reflect.Kind // type of the count
	body  uintptr      // offset from the count to the elements
}

var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// walker computes the layout of a type.
type walker struct {
	table  *schema.Table
	fields map[string]*schema.Field
	enums  map[string]*Enum // by type and path
}

// layOut returns the layout of a table's type, a structure. It looks up enums by type and path, and marks in used those
// that it finds.
func layOut(t *schema.Table, enums map[string]*Enum, used map[string]bool) (*node, error) {
	w := walker{table: t, fields: make(map[string]*schema.Field, len(t.Fields)), enums: enums}
	for i := range t.Fields {
		w.fields[t.Fields[i].Path] = &t.Fields[i]
	}
	n := &node{kind: structure, name: t.Name, typ: t.Type, size: t.Size}
	var err error
	if n.in, err = w.members(t.Type, ""); err != nil {
		return nil, err
	}
	return n, w.attachEnums(n, used)
}

// errorf returns an error about a field.
func (w *walker) errorf(path, format string, a ...any) error {
	return fmt.Errorf("%w: %v.%s: %s", ErrBind, w.table.Type, path, fmt.Sprintf(format, a...))
}

// members returns the nodes of a struct's replicated fields.
func (w *walker) members(t reflect.Type, path string) (in []*node, err error) {
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		if f.Name == "_" {
			continue
		}
		n, last, err := w.counted(t, i, path)
		if n == nil && err == nil {
			n, err = w.value(f.Type, join(path, f.Name))
			last = i
		}
		if err != nil {
			return nil, err
		}
		if n != nil {
			n.name, n.at = t.Field(last).Name, f.Offset
			if !identifier.MatchString(n.name) {
				return nil, w.errorf(join(path, n.name), "other languages allow only the letters A to Z and a to z, digits and _ in field names: rename it")
			}
			in = append(in, n)
		}
		i = last
	}
	return in, nil
}

// counted returns the list or text whose count is field i of a struct, and the index of the array field. It returns nil if
// field i is no such count.
func (w *walker) counted(t reflect.Type, i int, path string) (*node, int, error) {
	count := t.Field(i)
	if count.Type.Kind() != reflect.Uint8 && count.Type.Kind() != reflect.Uint16 {
		return nil, 0, nil
	}
	last := i + 1
	for last < t.NumField() && t.Field(last).Name == "_" {
		last++
	}
	if last == t.NumField() || t.Field(last).Type.Kind() != reflect.Array {
		return nil, 0, nil
	}
	items := t.Field(last)
	countPath, itemsPath := join(path, count.Name), join(path, items.Name)
	whole := i == 0 && last == t.NumField()-1 && path != ""
	if whole {
		countPath, itemsPath = path, path
	}
	body := items.Offset - count.Offset
	n := &node{path: bare(itemsPath), n: items.Type.Len(), size: body + items.Type.Size(), head: counted{count.Name, count.Type.Kind(), body}}
	if whole {
		n.head.count, n.size = "", t.Size()
	}
	if f := w.fields[itemsPath]; f != nil && f.Form == schema.FormText {
		n.kind, n.says = text, f
		return n, last, nil
	}
	f := w.fields[countPath]
	if f == nil || f.Form != schema.FormCount {
		return nil, 0, nil
	}
	n.kind, n.says = list, f
	var err error
	if n.elem, err = w.elements(items.Type, itemsPath); n.elem == nil && err == nil {
		n.elem = &node{kind: structure, size: items.Type.Elem().Size(), path: n.path}
	}
	return n, last, err
}

// elements returns the node of an array's elements. It returns nil if they are not replicated.
func (w *walker) elements(t reflect.Type, path string) (*node, error) {
	first, err := w.value(t.Elem(), path+"[0]")
	if err != nil {
		return nil, err
	}
	for i := range t.Len() {
		n, err := w.value(t.Elem(), path+"["+strconv.Itoa(i)+"]")
		if err != nil {
			return nil, err
		}
		if !same(first, n) {
			return nil, w.errorf(path, "the tags of elements [0] and [%d] differ: give all elements the same tags, or use fields instead of an array", i)
		}
	}
	return first, nil
}

// value returns the node of a type at a path. It returns nil if no part of the type is replicated.
func (w *walker) value(t reflect.Type, path string) (*node, error) {
	n := &node{path: bare(path), size: t.Size(), says: w.fields[path]}
	var err error
	switch t.Kind() {
	case reflect.Struct:
		if t.NumField() > 0 {
			if whole, last, err := w.counted(t, 0, path); err != nil || whole != nil && last == t.NumField()-1 {
				return whole, err
			}
		}
		n.kind = structure
		if n.says != nil {
			n.in = parts(t)
		} else if n.in, err = w.members(t, path); len(n.in) == 0 {
			return nil, err
		}
	case reflect.Array:
		n.kind, n.n = array, t.Len()
		if n.says != nil {
			n.elem = &node{kind: number, of: t.Elem().Kind(), size: t.Elem().Size(), path: n.path}
		} else if n.n == 0 {
			return nil, nil
		} else if n.elem, err = w.elements(t, path); n.elem == nil {
			return nil, err
		}
	default:
		n.kind, n.of = number, t.Kind()
		if n.says == nil {
			return nil, nil
		}
	}
	return n, err
}

// parts returns the numbers of a direction or rotation that is a struct.
func parts(t reflect.Type) (in []*node) {
	for f := range t.Fields() {
		in = append(in, &node{kind: number, name: f.Name, at: f.Offset, of: f.Type.Kind(), size: f.Type.Size()})
	}
	return in
}

// same reports whether two elements of an array have the same layout and the same meaning.
func same(a, b *node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.kind != b.kind || a.of != b.of || a.at != b.at || a.n != b.n || a.head != b.head || (a.says == nil) != (b.says == nil) {
		return false
	}
	if x, y := a.says, b.says; x != nil &&
		(x.Form != y.Form || x.Raw != y.Raw || x.Angle != y.Angle || x.Edge != y.Edge ||
			x.Min != y.Min || x.Max != y.Max || x.Step != y.Step || x.Tolerance != y.Tolerance || x.Bits != y.Bits) {
		return false
	}
	return (a.elem == nil) == (b.elem == nil) && (a.elem == nil || same(a.elem, b.elem)) && slices.EqualFunc(a.in, b.in, same)
}

// attachEnums attaches enums to the numbers in a node.
func (w *walker) attachEnums(n *node, used map[string]bool) error {
	if n.elem != nil {
		return w.attachEnums(n.elem, used)
	}
	for _, m := range n.in {
		if err := w.attachEnums(m, used); err != nil {
			return err
		}
	}
	key := w.table.Name + "." + n.path
	if n.enum = w.enums[key]; n.enum == nil {
		return nil
	}
	used[key] = true
	if n.kind != number || n.of == reflect.Bool || n.of == reflect.Float32 || n.of == reflect.Float64 {
		return w.errorf(n.path, "Enum %s: only the values of integers can have names", n.enum.Name)
	}
	has := map[int64]bool{}
	for _, v := range n.enum.Values {
		has[v.Number] = true
		if f := n.says; f.Form == schema.FormEnum && (v.Number < 0 || float64(v.Number) > f.Max) || f.Form == schema.FormFlags && f.Bits < 63 && (v.Number < 0 || v.Number>>f.Bits != 0) {
			return w.errorf(n.path, "Enum %s: %s is %d, which is outside the range of the field's tag", n.enum.Name, v.Name, v.Number)
		}
	}
	for i := int64(0); n.says.Form == schema.FormEnum && i <= int64(n.says.Max); i++ {
		if !has[i] {
			return w.errorf(n.path, "Enum %s: %d has no name: the field's tag is enum %v, so add a name for each of 0 to %v", n.enum.Name, i, n.says.Max+1, n.says.Max)
		}
	}
	return nil
}

var index = regexp.MustCompile(`\[\d+\]`)

// bare returns a path without indices.
func bare(path string) string { return index.ReplaceAllString(path, "") }

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }
