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

// kind is what a node of a layout is.
type kind uint8

const (
	number kind = iota
	text
	list
	array
	structure
)

// node is a value in memory, and what is in it: a type by its replicated fields, without indices.
type node struct {
	kind kind
	name string
	path string  // within its type, without indices
	at   uintptr // from where the node around it begins; of elements 0
	size uintptr
	of   reflect.Kind  // number: of which kind
	says *schema.Field // what is known of the value; nil where the one around it knows
	n    int           // array: its length; list and text: the most elements and bytes
	elem *node         // array, list
	in   []*node       // structure
	enum *Enum         // number
	head counted       // list, text
}

// counted is how a list or a text lies in memory.
type counted struct {
	count string       // the name of the count; "" where the two are a struct of their own
	of    reflect.Kind // of the count
	body  uintptr      // from the count to the elements
}

var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// walker lays out a type.
type walker struct {
	table  *schema.Table
	fields map[string]*schema.Field
	enums  map[string]*Enum // by type and path; those that were met are taken out
}

// layOut is the layout of a table's type, a structure. enums are looked up by type and path; used notes which.
func layOut(t *schema.Table, enums map[string]*Enum, used map[string]bool) (*node, error) {
	w := walker{table: t, fields: make(map[string]*schema.Field, len(t.Fields)), enums: enums}
	for i := range t.Fields {
		w.fields[t.Fields[i].Path] = &t.Fields[i]
	}
	n := &node{kind: structure, name: t.Name, size: t.Size}
	var err error
	if n.in, err = w.members(t.Type, ""); err != nil {
		return nil, err
	}
	return n, w.name(n, used)
}

// refuse is an error about a field.
func (w *walker) refuse(path, format string, a ...any) error {
	return fmt.Errorf("%w: %v.%s: %s", ErrBind, w.table.Type, path, fmt.Sprintf(format, a...))
}

// members are the fields of a struct that are there.
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
				return nil, w.refuse(join(path, n.name), "a field's name is of letters A to Z and a to z, digits and _ in other languages: rename it")
			}
			in = append(in, n)
		}
		i = last
	}
	return in, nil
}

// counted is the list or the text of which field i of a struct is the count, and the field that is its array; nil where it is none.
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

// elements is what the elements of an array are, nil where they are not there.
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
			return nil, w.refuse(path, "its elements differ in their tags, [0] and [%d]: give them all the same, or make fields of them", i)
		}
	}
	return first, nil
}

// value is the value of a type at a path; nil where nothing of it is there.
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

// parts are the numbers of a direction or a rotation that is a struct.
func parts(t reflect.Type) (in []*node) {
	for f := range t.Fields() {
		in = append(in, &node{kind: number, name: f.Name, at: f.Offset, of: f.Type.Kind(), size: f.Type.Size()})
	}
	return in
}

// same reports whether two elements of an array can be read by the same code, and mean the same.
func same(a, b *node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.kind != b.kind || a.of != b.of || a.at != b.at || a.n != b.n || a.head != b.head || (a.says == nil) != (b.says == nil) {
		return false
	}
	if x, y := a.says, b.says; x != nil &&
		(x.Form != y.Form || x.Raw != y.Raw || x.Angle != y.Angle || x.Edge != y.Edge || x.Fixed != y.Fixed ||
			x.Min != y.Min || x.Max != y.Max || x.Step != y.Step || x.Tolerance != y.Tolerance || x.Bits != y.Bits) {
		return false
	}
	return (a.elem == nil) == (b.elem == nil) && (a.elem == nil || same(a.elem, b.elem)) && slices.EqualFunc(a.in, b.in, same)
}

// name gives the numbers in a node their enums.
func (w *walker) name(n *node, used map[string]bool) error {
	if n.elem != nil {
		return w.name(n.elem, used)
	}
	for _, m := range n.in {
		if err := w.name(m, used); err != nil {
			return err
		}
	}
	key := w.table.Name + "." + n.path
	if n.enum = w.enums[key]; n.enum == nil {
		return nil
	}
	used[key] = true
	if n.kind != number || n.of == reflect.Bool || n.of == reflect.Float32 || n.of == reflect.Float64 {
		return w.refuse(n.path, "Enum %s: only integers have names for their values", n.enum.Name)
	}
	has := map[int64]bool{}
	for _, v := range n.enum.Values {
		has[v.Number] = true
		if f := n.says; f.Form == schema.FormEnum && (v.Number < 0 || float64(v.Number) > f.Max) || f.Form == schema.FormFlags && f.Bits < 63 && (v.Number < 0 || v.Number>>f.Bits != 0) {
			return w.refuse(n.path, "Enum %s: %s is %d, which the field's tag does not have", n.enum.Name, v.Name, v.Number)
		}
	}
	for i := int64(0); n.says.Form == schema.FormEnum && i <= int64(n.says.Max); i++ {
		if !has[i] {
			return w.refuse(n.path, "Enum %s: no name for %d: the field's tag is enum %v, so give one for each of 0 to %v", n.enum.Name, i, n.says.Max+1, n.says.Max)
		}
	}
	return nil
}

var index = regexp.MustCompile(`\[\d+\]`)

// bare is a path without indices.
func bare(path string) string { return index.ReplaceAllString(path, "") }

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }
