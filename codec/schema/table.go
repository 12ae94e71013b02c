package schema

import (
	"hash/fnv"
	"reflect"
	"strings"
)

// MaxWords is the largest number of words a component may have: what is larger
// is sent by reliable message.
const MaxWords = 1024

// Fields gives net tags by field path ("Pos.X", "Slots[3]"), for types that one
// cannot tag. An entry replaces the struct tag of its field; for a struct or an
// array it replaces those of everything inside that has no entry of its own.
type Fields map[string]string

// Field is one replicated value of a component: a leaf of its structs and arrays.
type Field struct {
	// Path is the field's name within the component, like "Pos.X" or "Slots[3]".
	Path string
	// Offset is where the value begins within the component, in bytes.
	Offset uintptr
	// Kind is Bool, a sized integer kind, Float32 or Float64.
	Kind reflect.Kind
	// Min, Max and Step are the range and its grain in the field's unit: 0, 1, 1
	// for a bool, 0, 0, 0 for a raw field.
	Min, Max, Step float64
	// Tolerance is how far two values may differ and still compare equal, in the
	// field's unit.
	Tolerance float64
	// Raw, Angle, Edge and Hold are the words of the tag, defaults applied.
	Raw, Angle, Edge, Hold bool
	// Word is the index of the field's first word in the component's record, and
	// Words their number: 2 for raw fields of 64 bits, else 1.
	Word, Words int
	// Bits is the width of the quantized value: those that tell all values of
	// the range apart, or all bits of the type for a raw field.
	Bits int

	spelling string  // canonical tag
	count    float64 // values on the wire
	top      int32   // count − 1
	limit    float64 // from here on rounding leaves the grid: count − ½
	reach    float64 // beyond this a value is outside the range, in steps
	period   float64 // of an angle
	lo, hi   float64 // values that a peer may send
	within   float64 // Tolerance, with room for the rounding of the type
	rest     float64 // the value in the range that is closest to zero
	restWord int32   // the same on the wire
}

// Table describes a component. It does not change after [Compile] and is safe for
// concurrent use; its fields are to be read only.
type Table struct {
	// Name is the name of the component's type, without its package.
	Name string
	// Type is the component's type.
	Type reflect.Type
	// Size is the distance between two components of an array, in bytes.
	Size uintptr
	// Fields are the replicated values in the order of their offsets.
	Fields []Field
	// Words is the number of words of a quantized component.
	Words int

	line    string
	hash    uint64
	rawSize int
}

// Line returns the description of the component that two peers must agree on, one
// line: its name, and for each field path, kind and tag in canonical spelling.
// Tolerances are each peer's own and not part of it.
//
//	Position{X float32 -512..512 step 0.01; Y float32 -512..512 step 0.01}
func (t *Table) Line() string { return t.line }

// Hash returns the 64-bit FNV-1a of [Table.Line].
func (t *Table) Hash() uint64 { return t.hash }

// RawSize returns the number of bytes that [Table.AppendRaw] appends.
func (t *Table) RawSize() int { return t.rawSize }

// describe fills in what is derived from all fields together.
func (t *Table) describe() {
	var b strings.Builder
	b.WriteString(t.Name)
	b.WriteByte('{')
	for i := range t.Fields {
		f := &t.Fields[i]
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(f.Path + " " + f.Kind.String())
		if f.spelling != "" {
			b.WriteString(" " + f.spelling)
		}
		f.Word = t.Words
		t.Words += f.Words
		t.rawSize += size(f.Kind)
	}
	b.WriteByte('}')
	t.line = b.String()
	h := fnv.New64a()
	h.Write([]byte(t.line))
	t.hash = h.Sum64()
}

// size returns the number of bytes of a value of kind k.
func size(k reflect.Kind) int {
	switch k {
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		return 1
	case reflect.Int16, reflect.Uint16:
		return 2
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		return 4
	case reflect.Int64, reflect.Uint64, reflect.Float64:
		return 8
	}
	return 0
}

func isFloat(k reflect.Kind) bool  { return k == reflect.Float32 || k == reflect.Float64 }
func isSigned(k reflect.Kind) bool { return reflect.Int <= k && k <= reflect.Int64 }
