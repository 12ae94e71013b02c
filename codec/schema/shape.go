package schema

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"
	"unsafe"
)

// What is more than a number: vectors, lists and texts. A vector is recognized by
// the tag that covers a struct or an array of floats. A list is two fields of one
// struct, a number tagged "count" and then an array, and a text the same with the
// array tagged "text"; so any type can be one without this package knowing it.

// vector adds a value of type t as one field if a tag for vectors covers it and it
// is made of floats. A struct or array of other things passes the tag on.
func (c *compiler) vector(t reflect.Type, path string, at uintptr, inner cover) (done bool, err error) {
	if form, _, _ := strings.Cut(strings.TrimSpace(inner.text), " "); !inner.tagged || form != "unit" && form != "quat" {
		return false, nil
	}
	kind, n, tagged := floats(t)
	if n == 0 {
		return false, nil
	}
	where := c.where(t, path)
	tg, err := parseTag(inner.text)
	switch {
	case err != nil:
		return false, fmt.Errorf("%s: %w", where, err)
	case tagged && !inner.final:
		return false, fmt.Errorf("%s: %w", where, bad("%v takes the struct as a whole, and its fields have tags of their own: remove them, or give Fields{%q: %q}", tg.form, path, inner.text))
	case tg.form == FormQuat && n != 4, tg.form == FormUnit && n != 2 && n != 3:
		return false, fmt.Errorf("%s: %w", where, bad("%v takes %s", tg.form, vectorShapes(tg.form)))
	}
	return true, c.add(newVector(kind, n, tg), path, at, inner)
}

// floats returns of how many floats of which kind a struct or an array is made, one
// behind the other, 0 if of anything else, and whether one has a net tag.
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

// counts reports whether field f of a struct at path is the count of a list.
func (c *compiler) counts(f reflect.StructField, path string, outer cover) bool {
	text := f.Tag.Get("net")
	if own, ok := c.over[join(path, f.Name)]; ok {
		text = own
	}
	// What is left out is left out whole.
	return strings.TrimSpace(text) == "count" && !(outer.final && outer.text == "-")
}

// list adds the count that is field i of struct type t and what it counts, and
// returns the index of the last field that it took.
func (c *compiler) list(t reflect.Type, i int, path string, at uintptr, outer cover) (last int, err error) {
	count := t.Field(i)
	countPath := join(path, count.Name)
	c.given(countPath, outer)
	where := c.where(count.Type, countPath)
	kind := count.Type.Kind()
	if kind != reflect.Uint8 && kind != reflect.Uint16 {
		return 0, fmt.Errorf("%s: %w", where, bad("a count is a uint8 or uint16"))
	}
	var of reflect.Type // what a blank field [0]T between the two says of the elements
	for last = i + 1; last < t.NumField() && t.Field(last).Name == "_"; last++ {
		if blank := t.Field(last).Type; blank.Kind() == reflect.Array && blank.Len() == 0 {
			of = blank.Elem()
		}
	}
	if last == t.NumField() || t.Field(last).Type.Kind() != reflect.Array {
		return 0, fmt.Errorf("%s: %w", where, bad("a count stands right before the array that it counts"))
	}
	array := t.Field(last)
	arrayPath := join(path, array.Name)
	_, given := c.over[arrayPath]
	inner := c.given(arrayPath, outer.with(array))
	if path != "" && i == 0 && last == t.NumField()-1 {
		// A struct of nothing else is the list.
		countPath, arrayPath = path, path
		if _, given = c.over[path]; given {
			inner = outer
		}
	}
	n := array.Type.Len()
	_, most := integerRange(kind)
	switch {
	case of != nil && of != array.Type.Elem():
		return 0, fmt.Errorf("%w: %s: a list of %v takes an array of %v, not %v", ErrType, where, of, of, array.Type)
	case n == 0 || float64(n) > most:
		return 0, fmt.Errorf("%s: %w", where, bad("a %v counts an array of 1 to %s elements, not %d", kind, decimal(most), n))
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
		inner.in = &place{offset: at + count.Offset, rawAt: rawAt, wide: kind == reflect.Uint16, index: k, outer: outer.in}
		elem := array.Type.Elem()
		if err := c.value(elem, element(arrayPath, k), at+array.Offset+uintptr(k)*elem.Size(), inner); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// text adds an array of bytes with its count as one field. other says that Fields
// gives it another tag.
func (c *compiler) text(count, array reflect.StructField, path string, at uintptr, outer cover, other bool) error {
	where := c.where(array.Type, path)
	n := array.Type.Len()
	switch {
	case other:
		return fmt.Errorf("%s: %w %q: a text is \"text\" or \"-\"", where, ErrTag, c.over[path])
	case array.Type.Elem().Kind() != reflect.Uint8:
		return fmt.Errorf("%s: %w", where, bad("a text is an array of bytes"))
	case n > maxText:
		return fmt.Errorf("%s: %w", where, bad("a text has at most %d bytes: send what is longer by reliable message", maxText))
	}
	var f Field
	f.Meaning = Meaning{Form: FormText, Hold: true, spelling: "text"}
	f.letters = letters{head: at + count.Offset, body: at + array.Offset, most: n, size: size(count.Type.Kind())}
	f.Memory = Memory{Kind: reflect.Uint8, Len: n, scale: 1, rawSize: f.size + n}
	f.Words, f.mask = f.words(), math.MaxUint64
	f.Bits = f.wordBits(0) + 8*n
	return c.add(f, path, at+count.Offset, outer)
}

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
