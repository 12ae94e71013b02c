package schema

import (
	"fmt"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
)

// Field is one replicated value of a component: a leaf of its structs and arrays,
// or a direction, a rotation or a text as a whole.
type Field struct {
	// Path is the field's name within the component, like "Pos.X" or "Slots[3]".
	// The count of a list has the path of the list, "Bag", and its elements are
	// Bag[0], Bag[1].Item and so on.
	Path string

	Meaning
	Memory
	Range
	Motion
	Record

	grid
	tolerance
	letters // of a text
	space   // of a vector
}

// Meaning is what the tag of a [Field] says that it is, defaults applied.
type Meaning struct {
	// Form is how the value is made of memory and of words.
	Form Form
	// Raw, Angle, Edge and Hold are words of the tag. Raw is true for refs too.
	Raw, Angle, Edge, Hold bool
	// Ref says that the value is the NetID of an entity, or 0 for none.
	Ref bool
	// Server says that the server decides the value, in a component that is predicted.
	Server bool

	spelling string // canonical tag
}

// Range is the values that a [Field] may have, in its unit.
type Range struct {
	// Min, Max and Step are the range and its grain: 0, 1, 1 for a bool, 0, n−1, 1
	// for an enum of n, 0, n, 1 for the count of a list, and 0, 0, 0 for the forms
	// without a range.
	Min, Max, Step float64
	// Tolerance is how far two values may differ and still compare equal: for a
	// direction or a rotation the angle between them, in radians.
	Tolerance float64
}

// Motion is how the value of a [Field] tends to move from one send to the next.
type Motion struct {
	// Linear says that the value tends to go on as it went: it is predicted from
	// two baselines.
	Linear bool
	// Axis is 1, 2 or 3 for the x, y or z of the entity's place in space, else 0.
	// An axis is Linear.
	Axis uint8
	// Rate is 1, 2 or 3 for the change per second of the x, y or z of the
	// entity's place, else 0.
	Rate uint8
	// Lines is not 0 for a value that is replicated as a line: its first word is
	// the place on the grid at a send, its second the change from one send to the
	// next, on the same grid. The line is kept while it is no further than Lines
	// from the value, in the field's unit.
	Lines float64
	// Along says that the entity moves along this angle: 0 along +x, a quarter
	// turn along +y.
	Along bool
	// Parent says that the entity is attached to the one that this ref names.
	Parent bool
}

// Record is where the words of a [Field] are in the record of a component.
type Record struct {
	// Word is the index of the field's first word in the component's record, and
	// Words their number: 2 for raw fields and flags of more than 32 bits, for
	// directions in space and for lines, 4 for a quaternion, and for a text 1 and as
	// many as its bytes need, four to a word. Else it is 1.
	Word, Words int
	// Bits is the width of the quantized value: those that tell all values of
	// the range apart, or all bits of the type for a raw field. For a value of
	// several words it is the sum of theirs, which [Table.WordBits] gives.
	Bits int
}

// Copy makes the value in the component at dst that in the one at src. It is for fields
// outside of lists, and no text.
func (f *Field) Copy(dst, src unsafe.Pointer) { f.copyRows(dst, src, 0, 1) }

// shape is the type of the value as Line shows it.
func (f *Field) shape() string {
	switch f.Form {
	case FormUnit, FormQuat, FormText:
		return "[" + strconv.Itoa(f.Len) + "]" + f.Kind.String()
	}
	return f.Kind.String()
}

func (f *Field) wordBits(k int) int {
	switch {
	case f.Words == 1:
		return f.Bits
	case f.Lines > 0 && k == 0:
		return f.Bits - 32
	case f.Lines > 0:
		return 32
	case f.Form == FormUnit:
		return f.Bits / f.Words
	case f.Form == FormQuat && k == 0:
		return 2
	case f.Form == FormQuat:
		return (f.Bits - 2) / 3
	case f.Form == FormText && k == 0:
		return codec.BitsFor(uint64(f.Len) + 1)
	case f.Form == FormText:
		return 8 * min(4, f.Len-4*(k-1))
	}
	return min(32, f.Bits-32*k)
}

// Values returns how many values the field has on the wire, words 0 to one less:
// an angle wraps at it. It is 0 for forms without a range.
func (f *Field) Values() int64 {
	return int64(f.count)
}

// Turn returns the angle of a word, any word, as a part of a full turn of 2^32
// counted from the value 0. It is 0 for fields that are no angles.
func (f *Field) Turn(word int32) uint32 {
	if !f.Angle {
		return 0
	}
	n := int64(f.count)
	q := int64(word) % n
	if q < 0 {
		q += n
	}
	return uint32(uint64(q)<<32/uint64(n)) + f.zero
}

func (f *Field) offsets() int {
	switch {
	case f.Hold || f.Server || f.in != nil || f.Kind == reflect.Bool || f.Form == FormText || f.Form == FormCount:
		return 0
	case f.Form == FormQuat, f.Form == FormUnit && f.Len == 3:
		return 3
	}
	return 1
}

// Form is how a field is made of memory and of words.
type Form uint8

// The forms. Each has a tag of its own name, but for the grid.
const (
	// FormGrid is a number in a range, or a bool: one word, the number of steps
	// above the smallest value.
	FormGrid Form = iota
	// FormRaw is all bits of the type: one word up to 32 bits, two (low, high)
	// for 64.
	FormRaw
	// FormRef is the NetID of an entity, 0 for none: one word of 32 bits.
	FormRef
	// FormEnum is one of the values 0..n−1: one word.
	FormEnum
	// FormFlags is bits that mean something each: one word up to 32 of them, two
	// (low, high) above.
	FormFlags
	// FormUnit is a direction in the plane (one word) or in space (two).
	FormUnit
	// FormQuat is a rotation in space: four words.
	FormQuat
	// FormCount is the number of elements of a list: one word. The elements are
	// fields of their own.
	FormCount
	// FormText is text of bounded length: a word for its length in bytes, then
	// its bytes, four to a word, the first lowest.
	FormText
)

// String returns the name of the form, as its tag spells it.
func (f Form) String() string {
	if f > FormText {
		return fmt.Sprintf("form %d", uint8(f))
	}
	return [...]string{"grid", "raw", "ref", "enum", "flags", "unit", "quat", "count", "text"}[f]
}
