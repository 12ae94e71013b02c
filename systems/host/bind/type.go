package bind

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/tactusgo/tactus/codec/schema"
)

// Field is a part of a struct.
type Field struct {
	// Name is the Go field's. A list or text that is a struct of its own goes by the name of that.
	Name string
	// Offset is where it begins, in bytes from the struct.
	Offset int
	Type   Type
}

// Kind is how a [Type] is made.
type Kind uint8

const (
	// Number is a number or a truth value of Type.Number; Type.Form says what it means.
	Number Kind = iota
	// Fields is a struct.
	Fields
	// Array is Len values of Elem, one after the other; directions and rotations are arrays of floats, with their Form.
	Array
	// List is an array of which a count says how many there are.
	List
	// Text is UTF-8 of up to Len bytes, of which a count says how many there are.
	Text
)

// Type is what a field is made of.
type Type struct {
	Kind Kind
	// Size is its length in bytes.
	Size int
	// Number is the kind of a number, and of the numbers of an array of floats.
	Number reflect.Kind
	// Of is what the tag of a number, direction, rotation or text says; nil for what has parts of its own.
	Of *schema.Field
	// Fields are those of a struct.
	Fields []Field
	// Elem is what an array or a list is made of, Len how many there are at most; of texts the bytes.
	Elem *Type
	Len  int
	// CountKind is the kind of the count of a list or text, which lies where the field begins; Data is where its values
	// do, in bytes from there.
	CountKind reflect.Kind
	Data      int
}

// walker goes through a type with the fields that its table has, by path.
type walker struct {
	fields map[string]*schema.Field
}

// structure describes the fields of a struct type.
func (w *walker) structure(t reflect.Type, path string) (all []Field, err error) {
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		if f.Name == "_" {
			continue
		}
		x, last, there, err := w.counted(t, i, path)
		if err == nil && !there {
			last = i
			x, there, err = w.value(f.Type, join(path, f.Name))
		}
		switch {
		case err != nil:
			return nil, err
		case there:
			all = append(all, Field{t.Field(last).Name, int(f.Offset), x})
		}
		i = last
	}
	return all, nil
}

// counted describes the list or text whose count is field i of a struct type, and returns the index of its array; there is
// false for what is neither.
func (w *walker) counted(t reflect.Type, i int, path string) (x Type, last int, there bool, err error) {
	for last = i + 1; last < t.NumField() && t.Field(last).Name == "_"; last++ {
	}
	if last >= t.NumField() || t.Field(last).Type.Kind() != reflect.Array {
		return x, last, false, nil
	}
	count, values := t.Field(i), t.Field(last)
	countPath, path := w.paths(count.Name, values.Name, path, i == 0 && last == t.NumField()-1)
	x = Type{Kind: List, Len: values.Type.Len(), CountKind: count.Type.Kind(), Data: int(values.Offset - count.Offset)}
	x.Size = x.Data + int(values.Type.Size())
	if f := w.fields[path]; f != nil && f.Form == schema.FormText {
		x.Kind, x.Of, x.Number = Text, f, reflect.Uint8
		return x, last, true, nil
	}
	if f := w.fields[countPath]; f == nil || f.Form != schema.FormCount {
		return x, last, false, nil
	}
	elem, some, err := w.value(values.Type.Elem(), element(path))
	if err == nil && !some {
		err = fmt.Errorf("the elements of the list %s have nothing that is replicated", path)
	}
	x.Elem = &elem
	return x, last, err == nil, err
}

// paths are those of a count and of its array, in a struct at a path. One of nothing else goes by its own path.
func (*walker) paths(count, values, path string, whole bool) (countPath, valuesPath string) {
	if whole && path != "" {
		return path, path
	}
	return join(path, count), join(path, values)
}

// value describes a value of a type; there is false for what is not replicated.
func (w *walker) value(t reflect.Type, path string) (x Type, there bool, err error) {
	x.Size = int(t.Size())
	f := w.fields[path]
	switch {
	case f != nil && (f.Form == schema.FormUnit || f.Form == schema.FormQuat):
		x.Kind, x.Of, x.Number, x.Len = Array, f, f.Kind, f.Len
		return x, true, nil
	case t.Kind() == reflect.Struct:
		if t.NumField() > 1 {
			if list, last, there, err := w.counted(t, 0, path); (there || err != nil) && last == t.NumField()-1 {
				list.Size = x.Size
				return list, there, err
			}
		}
		x.Kind = Fields
		x.Fields, err = w.structure(t, path)
		return x, len(x.Fields) > 0, err
	case t.Kind() == reflect.Array && t.Len() > 0:
		elem, there, err := w.value(t.Elem(), element(path))
		x.Kind, x.Elem, x.Len = Array, &elem, t.Len()
		return x, there, err
	case f == nil:
		return x, false, nil
	}
	x.Kind, x.Of, x.Number = Number, f, f.Kind
	return x, true, nil
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// element is the path of the first element; the others are described alike.
func element(path string) string { return path + "[" + strconv.Itoa(0) + "]" }
