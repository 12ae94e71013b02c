package schema

import (
	"fmt"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
)

// Field is one replicated value of a component: a number or bool inside its structs and arrays, or a whole direction,
// rotation or text.
type Field struct {
	// Path is the name of the field within the component, such as "Pos.X" or "Slots[3]". The count of a list has the path
	// of the list, "Bag"; elements are "Bag[0]", "Bag[1].Item" and so on.
	Path string

	// Form says how the value is stored in the component, and how the words of a record encode it.
	Form Form
	// Raw, Angle, Edge and Hold are the tag words of the same names. Raw is also true for refs.
	Raw, Angle, Edge, Hold bool
	// Ref means that the value is the NetID of an entity, or 0 for none.
	Ref bool
	// Server means that the server decides this field of a predicted component.
	Server bool

	Memory

	// Min, Max and Step are the range: 0, 1, 1 for a bool, 0, n−1, 1 for an enum of n values, 0, n, 1
	// for the count of a list with n elements, and 0, 0, 0 for forms without a range.
	Min, Max, Step float64
	// Tolerance is the largest difference at which two values compare equal. For directions and rotations it is an angle in
	// radians.
	Tolerance float64

	Motion

	// Word is the index of the first word of the field in the record of the component. Words is the number of words: 2 for
	// raw fields and flags of more than 32 bits, for directions in space and for lines, 4 for quaternions, 1 plus one per
	// four bytes for texts, else 1.
	Word, Words int
	// Bits is the width of the quantized value: enough to distinguish all values of the range, or all bits of the type for
	// a raw field. For several words it is the sum of their widths; [Table.WordBits] returns the width of each.
	Bits int

	spelling string // canonical tag

	grid
	tolerance
	textLayout // for texts
	space      // for vectors
}

// Motion is the expected motion of a [Field] between sends, as the motion words of the tag say.
type Motion struct {
	// Linear means that the value tends to continue its last change, so that the encoder predicts it from two baselines.
	Linear bool
	// Axis is 1, 2 or 3 if the value is the x, y or z coordinate of the entity, else 0. An axis is Linear.
	Axis uint8
	// Rate is 1, 2 or 3 if the value is the change of the x, y or z coordinate per second, else 0.
	Rate uint8
	// Lines is the tolerance of a value that is sent as a line, in the unit of the field, else 0. The first word is the
	// position at a send on the grid, the second word its change from one send to the next, on the same grid. The encoder
	// keeps a line while it is within Lines of the value.
	Lines float64
	// Along means that the entity moves in the direction of this angle: 0 along +x, a quarter turn along +y.
	Along bool
	// Parent means that the entity is attached to the entity of this ref.
	Parent bool
}

// Copy copies the value of the field from the component at src to the component at dst. It does not work for texts and
// fields in lists.
func (f *Field) Copy(dst, src unsafe.Pointer) { f.copyValue(dst, src) }

// shape returns the type of the value for [Table.Line].
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

// Values returns the number n of encoded values: words are 0..n−1, and an angle wraps at n. It is 0 for forms without a
// range.
func (f *Field) Values() int64 {
	return int64(f.count)
}

// Turn returns the angle that word encodes, relative to the angle 0, with a full turn of 2^32. Words outside the range
// wrap. It returns 0 for fields that are not angles.
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

// offsetLen returns the number of floats that the field contributes to an offset of the component.
func (f *Field) offsetLen() int {
	switch {
	case f.Hold || f.Server || f.in != nil || f.Kind == reflect.Bool || f.Form == FormText || f.Form == FormCount:
		return 0
	case f.Form == FormQuat, f.Form == FormUnit && f.Len == 3:
		return 3
	}
	return 1
}

// Form is the encoding of a field.
type Form uint8

// The forms. All except FormGrid have the name of their tag.
const (
	// FormGrid is a number in a range, or a bool. Its word is the number of steps above the smallest value.
	FormGrid Form = iota
	// FormRaw is all bits of the type: one word up to 32 bits, two words (low, high) for 64 bits.
	FormRaw
	// FormRef is the NetID of an entity, 0 for none: one word of 32 bits.
	FormRef
	// FormEnum is one of the values 0..n−1: one word.
	FormEnum
	// FormFlags is a set of independent bits: one word for up to 32 bits, else two words (low, high).
	FormFlags
	// FormUnit is a direction in the plane (one word) or in space (two words).
	FormUnit
	// FormQuat is a rotation in space: four words.
	FormQuat
	// FormCount is the number of elements of a list: one word. The elements are separate fields.
	FormCount
	// FormText is a text: one word for its length in bytes, then its bytes, four per word, the first byte in the lowest
	// bits.
	FormText
)

// String returns the name of the form as written in a tag, or "grid".
func (f Form) String() string {
	if f > FormText {
		return fmt.Sprintf("form %d", uint8(f))
	}
	return [...]string{"grid", "raw", "ref", "enum", "flags", "unit", "quat", "count", "text"}[f]
}
