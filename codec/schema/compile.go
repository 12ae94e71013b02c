package schema

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// Compile makes the table of component type t, a struct. over, which may be nil,
// gives tags by field path and goes before the struct tags.
//
// Errors name type and field and say what to write instead: [ErrPointer],
// [ErrType], [ErrUntagged] for a field that was forgotten, [ErrTag],
// [ErrUnknownField] for a path in over that t does not have.
func Compile(t reflect.Type, over Fields) (*Table, error) {
	if err := CheckPlain(t); err != nil {
		return nil, err
	}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%w: %v is a %v: put it into a struct", ErrType, t, t.Kind())
	}
	c := compiler{
		table: &Table{Name: t.Name(), Type: t, Size: t.Size()},
		over:  over,
		used:  map[string]bool{},
	}
	if c.table.Name == "" {
		c.table.Name = "struct"
	}
	if err := c.structure(t, "", 0, cover{}); err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(over)) {
		if !c.used[path] {
			return nil, fmt.Errorf("%w: %v has no %q", ErrUnknownField, t, path)
		}
	}
	c.table.describe()
	return c.table, nil
}

type compiler struct {
	table *Table
	over  Fields
	used  map[string]bool // paths of over that were met
	words int
}

// cover is the tag that holds for a field, from itself or from around it.
type cover struct {
	text   string
	tagged bool
	final  bool // struct tags further in do not replace it
}

// structure adds the fields of struct type t, which begins at offset at.
func (c *compiler) structure(t reflect.Type, path string, at uintptr, outer cover) error {
	for f := range t.Fields() {
		if f.Name == "_" {
			continue
		}
		inner := outer
		if text, ok := f.Tag.Lookup("net"); ok && !outer.final {
			inner = cover{text: text, tagged: true, final: text == "-"}
		}
		if err := c.value(f.Type, join(path, f.Name), at+f.Offset, inner); err != nil {
			return err
		}
	}
	return nil
}

// value adds the fields of a value of type t.
func (c *compiler) value(t reflect.Type, path string, at uintptr, inner cover) error {
	if text, ok := c.over[path]; ok {
		c.used[path] = true
		inner = cover{text: text, tagged: true, final: true}
	}
	switch t.Kind() {
	case reflect.Struct:
		return c.structure(t, path, at, inner)
	case reflect.Array:
		for i := range t.Len() {
			err := c.value(t.Elem(), path+"["+strconv.Itoa(i)+"]", at+uintptr(i)*t.Elem().Size(), inner)
			if err != nil {
				return err
			}
		}
		return nil
	}
	return c.leaf(t, path, at, inner)
}

// leaf adds one field.
func (c *compiler) leaf(t reflect.Type, path string, at uintptr, inner cover) error {
	where := fmt.Sprintf("%v.%s (%v)", c.table.Type, path, t)
	var tg tag
	switch {
	case inner.tagged:
		var err error
		if tg, err = parseTag(inner.text); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if tg.skip {
			return nil
		}
	case t.Kind() != reflect.Bool && size(t.Kind()) != 0:
		return fmt.Errorf("%w: %s: write `net:\"%s\"` for a number in a range, `net:\"raw\"` for all of its bits, or `net:\"-\"` to leave it out; for a type that cannot be tagged, give Fields{%q: …}",
			ErrUntagged, where, example(t.Kind()), path)
	}
	if size(t.Kind()) == 0 {
		return fmt.Errorf("%w: %s: use bool, int8 to int64, uint8 to uint64, float32 or float64; int and uint differ between machines", ErrType, where)
	}
	f, err := newField(t.Kind(), tg)
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	f.Path, f.Offset = path, at
	if c.words += f.Words; c.words > MaxWords {
		return fmt.Errorf("%w: %v has more than %d words: send it by reliable message", ErrType, c.table.Type, MaxWords)
	}
	c.table.Fields = append(c.table.Fields, f)
	return nil
}

// example is a tag that a field of kind k could have.
func example(k reflect.Kind) string {
	if isFloat(k) {
		return "-512..512 step 0.01"
	}
	return "0..100"
}
