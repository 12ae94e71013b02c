package delta

import (
	"fmt"
	"math/bits"
	"reflect"
	"strconv"
	"strings"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
)

// MaxComponents is the largest number of components of a [Layout], because a component mask is a uint64.
const MaxComponents = 64

// Layout describes the replicated components of a protocol for the coders: their words and fields, and the number of
// simulation steps per send. The record of an entity is the words of its components, in component order, without gaps. A
// Layout never changes and can be shared.
type Layout struct {
	tables []*schema.Table
	words  []int
	known  uint64 // mask of all components
	steps  int    // simulation steps between two sends
	rate   int    // sends per second
	unit   int    // sends in which lines measure their change
	raw    bool   // words are the bytes of AppendRaw
	second bool   // a field is predicted from two baselines
	sum    uint64 // hash, or 0 to compute it from the tables
}

// NewLayout returns the layout of components with the given tables, in the order of registration. A nil table is a
// component without fields: only its presence is sent. steps is the number of simulation steps between two sends, rate the
// number of sends per second. Lines measure their change per 50 ms, or per send if there are fewer sends. NewLayout panics above
// [MaxComponents] components.
func NewLayout(tables []*schema.Table, steps, rate int) *Layout {
	return newLayout(tables, steps, rate, func(t *schema.Table) int { return t.Words })
}

// NewRawLayout returns the layout of the same components in full precision. A record holds the bytes of
// [schema.Table.AppendRaw] as little-endian words. The last word of each component is padded with zeros.
func NewRawLayout(tables []*schema.Table, steps, rate int) *Layout {
	l := newLayout(tables, steps, rate, func(t *schema.Table) int { return (t.RawSize() + 3) / 4 })
	l.raw, l.second = true, false
	for _, t := range tables {
		l.second = l.second || t != nil && len(rawFloats(t)) > 0
	}
	return l
}

func newLayout(tables []*schema.Table, steps, rate int, width func(*schema.Table) int) *Layout {
	if len(tables) > MaxComponents {
		panic(fmt.Sprintf("delta: layout of %d components: at most %d can be replicated", len(tables), MaxComponents))
	}
	l := &Layout{tables: tables, words: make([]int, len(tables)), steps: steps, rate: rate, unit: max(rate/unitsPerSecond, 1)}
	for i, t := range tables {
		if t != nil {
			l.words[i] = width(t)
			for k := range t.Fields {
				kind := newField(&t.Fields[k]).kind
				l.second = l.second || kind == kindLinear || kind == kindAxis || kind == kindQuat
			}
		}
		l.known |= 1 << i
	}
	return l
}

// Components returns the number of components.
func (l *Layout) Components() int { return len(l.words) }

// Words returns the number of words of a component.
func (l *Layout) Words(component int) int { return l.words[component] }

// Known reports whether mask has only components of this layout.
func (l *Layout) Known(mask uint64) bool { return mask&^l.known == 0 }

// RecordWords returns the length of the record of an entity with the components in mask. It panics if the layout lacks one
// of them, see [Layout.Known].
func (l *Layout) RecordWords(mask uint64) int {
	n := 0
	for ; mask != 0; mask &= mask - 1 {
		n += l.words[bits.TrailingZeros64(mask)]
	}
	return n
}

// Offset returns the index of the first word of a component in the record of an entity with the components in mask. mask
// must include the component.
func (l *Layout) Offset(mask uint64, component int) int {
	return l.RecordWords(mask & (1<<component - 1))
}

// Second reports whether a field is predicted from two baselines, so that [Part.Base2] makes blocks smaller.
func (l *Layout) Second() bool { return l.second }

// parseLayout makes a layout from the lines of its tables ("" for none) and their numbers of words. It encodes in the same
// way and has the same hash as the layout from which the lines come.
func parseLayout(lines []string, words []int, steps, rate int, raw bool) (*Layout, error) {
	tables := make([]*schema.Table, len(lines))
	for i, line := range lines {
		if line == "" {
			continue
		}
		t, err := parseTable(line)
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

// parseTable makes a table from its line. It compiles a struct type with the same fields in the same order.
func parseTable(line string) (*schema.Table, error) {
	name, rest, ok := strings.Cut(line, "{")
	body, tail, ok2 := strings.Cut(rest, "}")
	if !ok || !ok2 || tail != "" {
		return nil, fmt.Errorf("%w: not the line of a table: %q", codec.ErrMalformed, line)
	}
	var fields []reflect.StructField
	if body != "" {
		for i, f := range strings.Split(body, "; ") {
			if i >= schema.MaxWords {
				return nil, fmt.Errorf("%w: %s has more than %d fields", codec.ErrTooLarge, name, schema.MaxWords)
			}
			more, err := structFields(i, f)
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

// fieldKinds maps the names of number types to types.
var fieldKinds = map[string]reflect.Type{
	"bool": reflect.TypeFor[bool](),
	"int8": reflect.TypeFor[int8](), "int16": reflect.TypeFor[int16](), "int32": reflect.TypeFor[int32](), "int64": reflect.TypeFor[int64](),
	"uint8": reflect.TypeFor[uint8](), "uint16": reflect.TypeFor[uint16](), "uint32": reflect.TypeFor[uint32](), "uint64": reflect.TypeFor[uint64](),
	"float32": reflect.TypeFor[float32](), "float64": reflect.TypeFor[float64](),
}

// structFields returns the struct fields for field i of a line: path, type and tag. A text gives two fields.
func structFields(i int, s string) ([]reflect.StructField, error) {
	words := strings.SplitN(s, " ", 3)
	if len(words) < 2 {
		return nil, fmt.Errorf("missing type")
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
	// The count of a list is compiled as a number. The count of a text is part of the text.
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
