package schema

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
)

var (
	// ErrPointer means that a type holds a pointer, slice, string, map, interface, function or channel at any depth.
	// [CheckPlain] and [Compile] return it.
	ErrPointer = errors.New("schema: component holds a pointer")

	// ErrType means that a type is not a struct, contains a field of a kind that cannot be replicated, or exceeds
	// [MaxWords]. [Compile] returns it.
	ErrType = errors.New("schema: type cannot be replicated")

	// ErrUntagged means that no tag covers a field. [Compile] returns it.
	ErrUntagged = errors.New("schema: field without a net tag")

	// ErrTag means that a tag has a syntax error or does not suit its field. [Compile] returns it.
	ErrTag = errors.New("schema: bad net tag")

	// ErrUnknownField means that the type does not have a path of [Fields]. [Compile] returns it.
	ErrUnknownField = errors.New("schema: no such field")

	// ErrRange means that a number is outside the range of its field or not finite, that undefined flags are set, that a
	// list or a text is longer than its array, or that the length of a direction or rotation is not near 1. [Table.ReadRaw]
	// returns it.
	ErrRange = errors.New("schema: value out of range")
)

// Compile returns the table of component type t, a struct. over gives tags by field path, which take precedence over struct
// tags; it may be nil.
//
// The errors [ErrPointer], [ErrType], [ErrUntagged], [ErrTag] and [ErrUnknownField] name the type and the field and say
// what to write instead.
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
	if err := c.structure(t, "", 0, inherited{}); err != nil {
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
	used  map[string]bool // paths of over that t has
}

// inherited is the tag that applies to a field, its own or an outer one, and the lists that contain the field.
type inherited struct {
	text   string
	tagged bool
	final  bool // inner struct tags do not override text
	in     *listElement
}

// structure adds the fields of struct type t at offset at.
func (c *compiler) structure(t reflect.Type, path string, at uintptr, outer inherited) error {
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		if f.Name == "_" {
			continue
		}
		if c.isCount(f, path, outer) {
			last, err := c.list(t, i, path, at, outer)
			if err != nil {
				return err
			}
			i = last
			continue
		}
		if err := c.value(f.Type, join(path, f.Name), at+f.Offset, outer.with(f)); err != nil {
			return err
		}
	}
	return nil
}

// with returns the inherited tag for field f of a struct.
func (o inherited) with(f reflect.StructField) inherited {
	if text, ok := f.Tag.Lookup("net"); ok && !o.final {
		o.text, o.tagged, o.final = text, true, text == "-"
	}
	return o
}

// value adds the fields of a value of type t.
func (c *compiler) value(t reflect.Type, path string, at uintptr, inner inherited) error {
	inner = c.override(path, inner)
	switch t.Kind() {
	case reflect.Struct, reflect.Array:
		if done, err := c.vector(t, path, at, inner); done || err != nil {
			return err
		}
		if t.Kind() == reflect.Struct {
			return c.structure(t, path, at, inner)
		}
		for i := range t.Len() {
			if err := c.value(t.Elem(), element(path, i), at+uintptr(i)*t.Elem().Size(), inner); err != nil {
				return err
			}
		}
		return nil
	}
	return c.leaf(t, path, at, inner)
}

// override returns inner with the tag that Fields gives for path, if any.
func (c *compiler) override(path string, inner inherited) inherited {
	if text, ok := c.over[path]; ok {
		c.used[path] = true
		inner.text, inner.tagged, inner.final = text, true, true
	}
	return inner
}

// leaf adds one number or bool.
func (c *compiler) leaf(t reflect.Type, path string, at uintptr, inner inherited) error {
	where := c.fieldName(t, path)
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
	return c.add(f, path, at, inner)
}

// add appends a field to the table.
func (c *compiler) add(f Field, path string, at uintptr, inner inherited) error {
	f.Path, f.Offset, f.in = path, at, inner.in
	if err := c.table.checkMotion(&f); err != nil {
		return fmt.Errorf("%s: %w", c.table.Type.String()+"."+path, err)
	}
	if f.Server && f.in != nil {
		return fmt.Errorf("%w: %s: server cannot be used in a list: move the fields that the server decides to a separate component", ErrTag, c.table.Type.String()+"."+path)
	} else if f.Server {
		c.table.Server = append(c.table.Server, len(c.table.Fields))
	}
	f.Word, f.rawAt = c.table.Words, c.table.rawSize
	c.table.rawSize += f.rawSize
	if c.table.Words += f.Words; c.table.Words > MaxWords {
		return fmt.Errorf("%w: %v has more than %d words: send it by reliable message", ErrType, c.table.Type, MaxWords)
	}
	c.table.Fields = append(c.table.Fields, f)
	return nil
}

// fieldName returns the name of a field for errors.
func (c *compiler) fieldName(t reflect.Type, path string) string {
	return fmt.Sprintf("%v.%s (%v)", c.table.Type, path, t)
}

func element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// example returns a tag that fits a field of kind k.
func example(k reflect.Kind) string {
	if isFloat(k) {
		return "-512..512 step 0.01"
	}
	return "0..100"
}

// CheckPlain returns nil if values of type t can be stored and moved as bytes: no pointer, slice, string, map, interface,
// function, channel or unsafe.Pointer at any depth. Storage copies components without the knowledge of the garbage
// collector, which could free the target of a pointer. Otherwise the error wraps [ErrPointer] and names the field by its
// path.
func CheckPlain(t reflect.Type) error {
	if t == nil {
		return fmt.Errorf("%w: no type given", ErrType)
	}
	return checkPlain(t, t, "")
}

func checkPlain(root, t reflect.Type, path string) error {
	switch t.Kind() {
	case reflect.Array:
		return checkPlain(root, t.Elem(), path+"[]")
	case reflect.Struct:
		for f := range t.Fields() {
			if err := checkPlain(root, f.Type, join(path, f.Name)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Pointer, reflect.Slice, reflect.String, reflect.Map, reflect.Interface,
		reflect.Func, reflect.Chan, reflect.UnsafePointer:
		where := "the type itself"
		if path != "" {
			where = "field " + path
		}
		return fmt.Errorf("%w: %v: %s is a %v (%v): components hold numbers, bools, arrays and structs of them; use components.Text for a name, List for a few, NetID for another entity, and keep the rest outside the world",
			ErrPointer, root, where, t.Kind(), t)
	}
	return nil
}

// join appends a field name to a path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
