package delta

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
)

// layoutOf makes a layout from the lines of its tables, "" for none, and the
// numbers of their words. It codes as the layout that these come from, and has its
// hash.
func layoutOf(lines []string, words []int, steps, rate int, raw bool) (*Layout, error) {
	tables := make([]*schema.Table, len(lines))
	for i, line := range lines {
		if line == "" {
			continue
		}
		t, err := tableOf(line)
		switch {
		case err != nil:
			return nil, fmt.Errorf("component %d: %w", i, err)
		case !raw && t.Words != words[i]:
			return nil, fmt.Errorf("%w: component %d has %d words, not %d", codec.ErrMalformed, i, t.Words, words[i])
		}
		tables[i] = t
	}
	l := NewLayout(tables, steps, rate)
	if raw {
		l = NewRawLayout(tables, steps, rate)
		copy(l.words, words)
	}
	l.sum = hashLines(lines, raw)
	return l, nil
}

// tableOf makes a table from its line: it compiles a struct type with the same
// fields, one after the other.
func tableOf(line string) (*schema.Table, error) {
	name, rest, ok := strings.Cut(line, "{")
	body, tail, ok2 := strings.Cut(rest, "}")
	if !ok || !ok2 || tail != "" {
		return nil, fmt.Errorf("%w: no line of a table: %q", codec.ErrMalformed, line)
	}
	var fields []reflect.StructField
	if body != "" {
		for i, f := range strings.Split(body, "; ") {
			if i >= schema.MaxWords {
				return nil, fmt.Errorf("%w: %s has more than %d fields", codec.ErrTooLarge, name, schema.MaxWords)
			}
			more, err := fieldsOf(i, f)
			if err != nil {
				return nil, fmt.Errorf("%w: %s: field %q: %v", codec.ErrMalformed, name, f, err)
			}
			fields = append(fields, more...)
		}
	}
	t, err := schema.Compile(reflect.StructOf(fields), nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", codec.ErrMalformed, err)
	}
	return t, nil
}

// fieldKinds are the types of numbers that components have.
var fieldKinds = map[string]reflect.Type{
	"bool": reflect.TypeFor[bool](),
	"int8": reflect.TypeFor[int8](), "int16": reflect.TypeFor[int16](), "int32": reflect.TypeFor[int32](), "int64": reflect.TypeFor[int64](),
	"uint8": reflect.TypeFor[uint8](), "uint16": reflect.TypeFor[uint16](), "uint32": reflect.TypeFor[uint32](), "uint64": reflect.TypeFor[uint64](),
	"float32": reflect.TypeFor[float32](), "float64": reflect.TypeFor[float64](),
}

// fieldsOf returns the fields of a struct that make the i-th field of a line:
// path, type and tag.
func fieldsOf(i int, s string) ([]reflect.StructField, error) {
	words := strings.SplitN(s, " ", 3)
	if len(words) < 2 {
		return nil, fmt.Errorf("it has no type")
	}
	shape, tag := words[1], ""
	if len(words) == 3 {
		tag = words[2]
	}
	length := 0
	if n, rest, ok := strings.Cut(strings.TrimPrefix(shape, "["), "]"); ok && shape[0] == '[' {
		var err error
		if length, err = strconv.Atoi(n); err != nil || length < 1 || length > 4*schema.MaxWords {
			return nil, fmt.Errorf("length %q", n)
		}
		shape = rest
	}
	typ := fieldKinds[shape]
	if typ == nil {
		return nil, fmt.Errorf("type %q", shape)
	}
	if length > 0 {
		typ = reflect.ArrayOf(length, typ)
	}
	name := "F" + strconv.Itoa(i)
	// The count of a list is like any number here, and that of a text a part of it.
	if n, ok := strings.CutPrefix(tag, "count "); ok {
		top, err := strconv.Atoi(n)
		if err != nil {
			return nil, err
		}
		tag = "0.." + strconv.Itoa(max(top, 2))
	}
	field := reflect.StructField{Name: name, Type: typ}
	if tag != "" {
		field.Tag = reflect.StructTag("net:" + strconv.Quote(tag))
	}
	if tag != "text" {
		return []reflect.StructField{field}, nil
	}
	count := reflect.StructField{Name: "N" + name, Type: fieldKinds["uint16"], Tag: `net:"count"`}
	return []reflect.StructField{count, field}, nil
}
