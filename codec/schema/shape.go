package schema

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"
	"unsafe"
)

// This file compiles vectors, lists and texts. A vector is a struct or an array of floats with the tag unit or quat. A list
// is two fields of one struct: a number tagged "count" and the array after it. In a text, the array is tagged "text". Any
// struct type can have this form; the package has no special types.

// vector adds a value of type t as one field if it consists of floats and its tag is unit or quat. Otherwise it returns
// false, and the tag applies to the values inside.
func (c *compiler) vector(t reflect.Type, path string, at uintptr, inner inherited) (done bool, err error) {
	if form, _, _ := strings.Cut(strings.TrimSpace(inner.text), " "); !inner.tagged || form != "unit" && form != "quat" {
		return false, nil
	}
	kind, n, tagged := floats(t)
	if n == 0 {
		return false, nil
	}
	where := c.fieldName(t, path)
	tg, err := parseTag(inner.text)
	switch {
	case err != nil:
		return false, fmt.Errorf("%s: %w", where, err)
	case tagged && !inner.final:
		return false, fmt.Errorf("%s: %w", where, tagError("%v takes the struct as a whole, and its fields have tags of their own: remove them, or give Fields{%q: %q}", tg.form, path, inner.text))
	case tg.form == FormQuat && n != 4, tg.form == FormUnit && n != 2 && n != 3:
		return false, fmt.Errorf("%s: %w", where, tagError("%v takes %s", tg.form, vectorShapes(tg.form)))
	}
	return true, c.add(newVector(kind, n, tg), path, at, inner)
}

// floats returns the kind and number of floats of a struct or an array that consists of floats of one kind, otherwise n =
// 0. tagged reports whether a field of the struct has a net tag.
func floats(t reflect.Type) (kind reflect.Kind, n int, tagged bool) {
	if t.Kind() == reflect.Array {
		if kind = t.Elem().Kind(); isFloat(kind) {
			n = t.Len()
		}
		return kind, n, false
	}
	for f := range t.Fields() {
		if n == 0 {
			kind = f.Type.Kind()
		}
		if f.Type.Kind() != kind || !isFloat(kind) || f.Name == "_" {
			return kind, 0, false
		}
		_, has := f.Tag.Lookup("net")
		tagged = tagged || has
		n++
	}
	return kind, n, tagged
}

// isCount reports whether field f of a struct at path is the count of a list.
func (c *compiler) isCount(f reflect.StructField, path string, outer inherited) bool {
	text := f.Tag.Get("net")
	if own, ok := c.over[join(path, f.Name)]; ok {
		text = own
	}
	// A struct that is left out with "-" has no lists.
	return strings.TrimSpace(text) == "count" && !(outer.final && outer.text == "-")
}

// list adds the list whose count is field i of struct type t. It returns the index of the last field of the list.
func (c *compiler) list(t reflect.Type, i int, path string, at uintptr, outer inherited) (last int, err error) {
	count := t.Field(i)
	countPath := join(path, count.Name)
	c.override(countPath, outer)
	where := c.fieldName(count.Type, countPath)
	kind := count.Type.Kind()
	if kind != reflect.Uint8 && kind != reflect.Uint16 {
		return 0, fmt.Errorf("%s: %w", where, tagError("a count is a uint8 or uint16"))
	}
	var of reflect.Type // T of a blank field [0]T between count and array: the required type of elements
	for last = i + 1; last < t.NumField() && t.Field(last).Name == "_"; last++ {
		if blank := t.Field(last).Type; blank.Kind() == reflect.Array && blank.Len() == 0 {
			of = blank.Elem()
		}
	}
	if last == t.NumField() || t.Field(last).Type.Kind() != reflect.Array {
		return 0, fmt.Errorf("%s: %w", where, tagError("a count must come right before the array that it counts"))
	}
	array := t.Field(last)
	arrayPath := join(path, array.Name)
	_, given := c.over[arrayPath]
	inner := c.override(arrayPath, outer.with(array))
	if path != "" && i == 0 && last == t.NumField()-1 {
		// A struct without other fields is the list: it has the path of the struct.
		countPath, arrayPath = path, path
		if _, given = c.over[path]; given {
			inner = outer
		}
	}
	n := array.Type.Len()
	_, most := integerRange(kind)
	switch {
	case of != nil && of != array.Type.Elem():
		return 0, fmt.Errorf("%w: %s: a list of %v needs an array of %v, not %v", ErrType, where, of, of, array.Type)
	case n == 0 || float64(n) > most:
		return 0, fmt.Errorf("%s: %w", where, tagError("a %v counts an array of 1 to %s elements, not %d", kind, decimal(most), n))
	}
	if strings.TrimSpace(array.Tag.Get("net")) == "text" || inner.text == "text" {
		return last, c.text(count, array, arrayPath, at, outer, given && inner.text != "text")
	}
	counter, err := newCount(kind, n)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", where, err)
	}
	rawAt := c.table.rawSize
	if err := c.add(counter, countPath, at+count.Offset, outer); err != nil {
		return 0, err
	}
	for k := range n {
		inner.in = &listElement{offset: at + count.Offset, rawAt: rawAt, wide: kind == reflect.Uint16, index: k, outer: outer.in}
		elem := array.Type.Elem()
		if err := c.value(elem, element(arrayPath, k), at+array.Offset+uintptr(k)*elem.Size(), inner); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// text adds an array of bytes with its count as one field. other reports that Fields gives the array another tag than
// "text".
func (c *compiler) text(count, array reflect.StructField, path string, at uintptr, outer inherited, other bool) error {
	where := c.fieldName(array.Type, path)
	n := array.Type.Len()
	switch {
	case other:
		return fmt.Errorf("%s: %w %q: a text is \"text\" or \"-\"", where, ErrTag, c.over[path])
	case array.Type.Elem().Kind() != reflect.Uint8:
		return fmt.Errorf("%s: %w", where, tagError("a text is an array of bytes"))
	case n > maxText:
		return fmt.Errorf("%s: %w", where, tagError("a text has at most %d bytes: send longer texts in a reliable message", maxText))
	}
	var f Field
	f.Form, f.Hold, f.spelling = FormText, true, "text"
	f.textLayout = textLayout{head: at + count.Offset, body: at + array.Offset, most: n, size: size(count.Type.Kind())}
	f.Memory = Memory{Kind: reflect.Uint8, Len: n, rawSize: f.size + n}
	f.Words, f.mask = f.words(), math.MaxUint64
	f.Bits = f.wordBits(0) + 8*n
	return c.add(f, path, at+count.Offset, outer)
}

// Elements of a list from the count on do not exist. Their words and raw bytes are zero, comparisons and hashes ignore them,
// and writing the component zeroes their memory. Their previous memory has no effect.

// listElement locates a field in a list: it belongs to element index, which exists if the count of the list is above index.
type listElement struct {
	offset uintptr // of the count, in the component
	rawAt  int     // of the count, in the bytes of AppendRaw
	wide   bool    // the count is a uint16, not a uint8
	index  int
	outer  *listElement // if the list is inside another list, else nil
}

// exists reports whether the element exists in the component at p. It is true for nil, a field outside of lists.
func (l *listElement) exists(p unsafe.Pointer) bool {
	for ; l != nil; l = l.outer {
		if l.index >= l.length(p) {
			return false
		}
	}
	return true
}

func (l *listElement) length(p unsafe.Pointer) int {
	p = unsafe.Add(p, l.offset)
	if l.wide {
		return int(*(*uint16)(p))
	}
	return int(*(*uint8)(p))
}

// existsRaw is exists for the bytes of AppendRaw.
func (l *listElement) existsRaw(b []byte) bool {
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

// sameLength reports whether the lists that contain the element have equal lengths in the components at a and b.
func (l *listElement) sameLength(a, b unsafe.Pointer) bool {
	for ; l != nil; l = l.outer {
		if l.length(a) != l.length(b) {
			return false
		}
	}
	return true
}

// run returns the number of leading rows, of n ≥ 1 at p, that agree on whether the element exists, and whether it does.
func (l *listElement) run(p unsafe.Pointer, size uintptr, n int) (rows int, exists bool) {
	exists = l.exists(p)
	for rows = 1; rows < n; rows++ {
		if l.exists(unsafe.Add(p, uintptr(rows)*size)) != exists {
			break
		}
	}
	return rows, exists
}
