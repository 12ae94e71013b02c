package schema

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
)

// Field is one replicated value of a component: a leaf of its structs and arrays,
// or a direction, a rotation or a text as a whole.
type Field struct {
	// Path is the field's name within the component, like "Pos.X" or "Slots[3]".
	// The count of a list has the path of the list, "Bag", and its elements are
	// Bag[0], Bag[1].Item and so on.
	Path string
	// Offset is where the value begins within the component, in bytes.
	Offset uintptr
	// Kind is Bool, a sized integer kind, Float32 or Float64: of each number that
	// the value is made of.
	Kind reflect.Kind
	// Form is how the value is made of memory and of words.
	Form Form
	// Len is how many numbers of Kind the value is made of: 2 or 3 for a unit
	// vector, 4 for a quaternion, the longest length in bytes for a text, else 1.
	Len int
	// Min, Max and Step are the range and its grain in the field's unit: 0, 1, 1
	// for a bool, 0, n−1, 1 for an enum of n, 0, n, 1 for the count of a list, and
	// 0, 0, 0 for the forms without a range.
	Min, Max, Step float64
	// Tolerance is how far two values may differ and still compare equal, in the
	// field's unit: for a direction or a rotation the angle between them, in
	// radians.
	Tolerance float64
	// Raw, Angle, Edge and Hold are the words of the tag, defaults applied. Raw
	// is true for refs too.
	Raw, Angle, Edge, Hold bool
	// Ref says that the value is the NetID of an entity, or 0 for none.
	Ref bool
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
	// Fixed is the number of fraction bits of a fixed-point integer, which holds
	// its value times 2^Fixed; else 0.
	Fixed int
	// Word is the index of the field's first word in the component's record, and
	// Words their number: 2 for raw fields and flags of more than 32 bits, for
	// directions in space and for lines, 4 for a quaternion, and for a text 1 and as
	// many as its bytes need, four to a word. Else it is 1.
	Word, Words int
	// Bits is the width of the quantized value: those that tell all values of
	// the range apart, or all bits of the type for a raw field. For a value of
	// several words it is the sum of theirs, which [Table.WordBits] gives.
	Bits int

	spelling string  // canonical tag
	scale    float64 // 2^Fixed

	// The grid, in the unit of memory: the field's unit times scale.
	base, grain float64 // of word 0; between two words
	count       float64 // values on the wire
	top         int32   // count − 1
	limit       float64 // from here on rounding leaves the grid: count − ½
	reach       float64 // beyond this a value is outside the range, in steps
	period      float64 // of an angle
	zero        uint32  // of an angle: that of word 0, as Turn counts
	lo, hi      float64 // values that a peer may send
	rest        float64 // the value in the range that is closest to zero
	restWord    int32   // the same on the wire

	within float64 // Tolerance in the unit of memory, with room for rounding; of vectors the chord
	slack  uint64  // of integers: within in whole numbers, all ones if that is more than 63 bits
	cycle  uint64  // of integers: period
	mask   uint64  // bits that flags may have; of other integers all
	axis   int     // the component that is 1 in the default of a vector
	body   uintptr // offset of a text's bytes
	in     *place  // in the lists around the field; nil outside of lists

	rawAt, rawSize int // in the bytes of AppendRaw
}

// newField settles what tag t means for a value of kind k. Errors wrap ErrTag.
func newField(k reflect.Kind, t tag) (Field, error) {
	f := Field{
		Kind: k, Form: t.form, Len: 1, Words: 1, spelling: t.String(),
		Raw: t.raw, Angle: t.angle, Edge: t.edge, Hold: t.hold,
		Fixed: t.fixed, scale: math.Ldexp(1, t.fixed), mask: math.MaxUint64, rawSize: size(k),
	}
	var err error
	switch {
	case t.form == FormUnit || t.form == FormQuat:
		err = bad("%v takes %s: put the tag on the field that holds them", t.form, vectorShapes(t.form))
	case t.form == FormCount || t.form == FormText:
		err = bad("a count is a uint8 or uint16 and stands right before the array that it counts; a text is an array of bytes with its count before it")
	case k == reflect.Bool:
		err = f.asBool(t)
	case t.raw:
		f.Form = FormRaw
		f.asRaw(t)
	case t.form == FormRef:
		err = f.asRef(t)
	case t.form == FormEnum:
		err = f.asEnum(t)
	case t.form == FormFlags:
		err = f.asFlags(t)
	case t.turn != 0:
		err = f.asTurn(t)
	case !t.ranged:
		err = bad("a number needs a range: write %s", tagForms)
	case isFloat(k):
		err = f.asFloat(t)
	default:
		err = f.asInteger(t)
	}
	if err != nil {
		return Field{}, err
	}
	if err := f.moves(t.motion); err != nil {
		return Field{}, err
	}
	if t.tolerant {
		f.Tolerance = t.tol
	}
	f.within = f.Tolerance * f.scale
	if f.Tolerance > 0 && isFloat(k) && !f.Raw {
		// Neighbours on the wire differ by a step only up to the rounding of the type.
		f.within += spacing(k, max(math.Abs(f.Min), math.Abs(f.Max)))
		if k == reflect.Float64 {
			// The way there was rounded too, as wide as the range.
			f.within += 2 * spacing(k, f.Max-f.Min)
		}
	}
	if !isFloat(k) {
		f.wholes()
	}
	return f, nil
}

func bad(format string, a ...any) error {
	return fmt.Errorf("%w: %s", ErrTag, fmt.Sprintf(format, a...))
}

func (f *Field) asBool(t tag) error {
	if t.raw || t.ranged || t.tolerant || t.turn != 0 || t.form != FormGrid {
		return bad("a bool has neither range, raw, tol nor a form: leave the tag out, or write edge, hold or \"-\"")
	}
	f.Max, f.Step, f.Bits, f.Hold = 1, 1, 1, true
	f.count, f.top, f.hi = 2, 1, 1
	return nil
}

func (f *Field) asRaw(t tag) {
	f.Bits = 8 * size(f.Kind)
	f.Words = max(1, f.Bits/32)
	f.Hold = t.hold || !isFloat(f.Kind)
	switch f.Kind {
	case reflect.Float32:
		f.hi = math.MaxFloat32
	case reflect.Float64:
		f.hi = math.MaxFloat64
	default:
		f.hi = math.Inf(1)
	}
	f.lo = -f.hi
}

func (f *Field) asRef(t tag) error {
	if f.Kind != reflect.Uint32 {
		return bad("a ref is a NetID, and so a uint32, not %v", f.Kind)
	}
	f.asRaw(t)
	f.Raw, f.Ref = true, true
	return nil
}

func (f *Field) asEnum(t tag) error {
	if !isInteger(f.Kind) {
		return bad("an enum is an integer, not %v", f.Kind)
	}
	last := float64(t.n - 1)
	if _, hi := integerRange(f.Kind); last > hi {
		return bad("the values 0..%s do not fit %v", decimal(last), f.Kind)
	}
	f.Hold = true
	return f.grid(0, last, 1, last)
}

func (f *Field) asFlags(t tag) error {
	if !isInteger(f.Kind) || isSigned(f.Kind) {
		return bad("flags are an unsigned integer, uint8 to uint64, not %v", f.Kind)
	}
	if t.n > 8*size(f.Kind) {
		return bad("%v has no %d bits", f.Kind, t.n)
	}
	f.Bits, f.Hold, f.mask = t.n, true, lowBits(t.n)
	f.Words = (t.n + 31) / 32
	return nil
}

// shape is the type of the value as Line shows it.
func (f *Field) shape() string {
	switch f.Form {
	case FormUnit, FormQuat, FormText:
		return "[" + strconv.Itoa(f.Len) + "]" + f.Kind.String()
	}
	return f.Kind.String()
}

// bytes is the size of the value in memory, for a text without its count.
func (f *Field) bytes() uintptr { return uintptr(f.Len * size(f.Kind)) }
