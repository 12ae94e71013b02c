package schema

import (
	"fmt"
	"math"
	"reflect"
)

// draft is a field under construction and its tag.
type draft struct {
	Field
	tag tag
}

// newField returns the field for tag t on a value of kind k. Errors wrap ErrTag.
func newField(k reflect.Kind, t tag) (Field, error) {
	f := draft{tag: t}
	f.Form, f.Server, f.spelling = t.form, t.server, t.String()
	f.Raw, f.Angle, f.Edge, f.Hold = t.raw, t.angle, t.edge, t.hold
	f.Memory = Memory{Kind: k, Len: 1, rawSize: size(k)}
	f.Words, f.mask = 1, math.MaxUint64
	err := f.applyForm()
	if err == nil {
		err = f.applyMotion()
	}
	if err != nil {
		return Field{}, err
	}
	if t.tolerant {
		f.Tolerance = t.tol
	}
	f.within = f.Tolerance
	if f.Tolerance > 0 && isFloat(k) && !f.Raw {
		// Neighbouring encoded values differ by one step plus the rounding of the type.
		f.within += spacing(k, max(math.Abs(f.Min), math.Abs(f.Max)))
		if k == reflect.Float64 {
			// The computation of the value was rounded too, by up to the spacing at the width of the range.
			f.within += 2 * spacing(k, f.Max-f.Min)
		}
	}
	if !isFloat(k) {
		f.setIntegers(f.period)
	}
	return f.Field, nil
}

// applyForm sets the encoding according to the form of the tag.
func (f *draft) applyForm() error {
	switch t := &f.tag; {
	case t.form == FormUnit || t.form == FormQuat:
		return tagError("%v takes %s: put the tag on the field that holds them", t.form, vectorShapes(t.form))
	case t.form == FormCount || t.form == FormText:
		return tagError("a count is a uint8 or uint16 and stands right before the array that it counts; a text is an array of bytes with its count before it")
	case f.Kind == reflect.Bool:
		return f.asBool()
	case t.raw:
		f.Form = FormRaw
		f.asRaw()
	case t.form == FormRef:
		return f.asRef()
	case t.form == FormEnum:
		return f.asEnum()
	case t.form == FormFlags:
		return f.asFlags()
	case t.turn:
		return f.asTurn()
	case !t.ranged:
		return tagError("a number needs a range: write %s", tagForms)
	case isFloat(f.Kind):
		return f.asFloat()
	default:
		return f.asInteger()
	}
	return nil
}

func tagError(format string, a ...any) error {
	return fmt.Errorf("%w: %s", ErrTag, fmt.Sprintf(format, a...))
}

func (f *draft) asBool() error {
	if f.tag.raw || f.tag.ranged || f.tag.tolerant || f.tag.turn || f.tag.form != FormGrid {
		return tagError("a bool has neither range, raw, tol nor a form: leave the tag out, or write edge, hold or \"-\"")
	}
	f.Max, f.Step, f.Bits, f.Hold = 1, 1, 1, true
	f.count, f.top, f.hi = 2, 1, 1
	return nil
}

func (f *draft) asRaw() {
	f.Bits = 8 * size(f.Kind)
	f.Words = max(1, f.Bits/32)
	f.Hold = f.tag.hold || !isFloat(f.Kind)
	f.hi = math.Inf(1)
	switch f.Kind {
	case reflect.Float32:
		f.hi = math.MaxFloat32
	case reflect.Float64:
		f.hi = math.MaxFloat64
	}
	f.lo = -f.hi
}

func (f *draft) asRef() error {
	if f.Kind != reflect.Uint32 {
		return tagError("a ref is a NetID, and so a uint32, not %v", f.Kind)
	}
	f.asRaw()
	f.Raw, f.Ref = true, true
	return nil
}

func (f *draft) asEnum() error {
	if !isInteger(f.Kind) {
		return tagError("an enum is an integer, not %v", f.Kind)
	}
	last := float64(f.tag.n - 1)
	if _, hi := integerRange(f.Kind); last > hi {
		return tagError("the values 0..%s do not fit %v", decimal(last), f.Kind)
	}
	f.Hold = true
	return f.setGrid(0, last, 1, last)
}

func (f *draft) asFlags() error {
	if !isInteger(f.Kind) || isSigned(f.Kind) {
		return tagError("flags are an unsigned integer, uint8 to uint64, not %v", f.Kind)
	}
	if f.tag.n > 8*size(f.Kind) {
		return tagError("%v has no %d bits", f.Kind, f.tag.n)
	}
	f.Bits, f.Hold, f.mask = f.tag.n, true, lowBits(f.tag.n)
	f.Words = (f.tag.n + 31) / 32
	return nil
}

// asUnit sets the encoding of a direction with tag.n bits per word.
func (f *draft) asUnit() {
	bits := f.tag.n
	f.Words, f.Bits = f.Len-1, bits*(f.Len-1)
	// Neighbouring words differ by an angle of at most 2 steps in the plane, and of √6 steps in the middle of a face of the
	// octahedron.
	if f.Len == 2 {
		f.top = int32(1)<<bits - 1
		f.Tolerance = 2 / math.Ldexp(1, bits-2)
	} else {
		f.top = int32(1)<<bits - 2
		f.Tolerance = 2.5 / float64(f.top/2)
	}
}

// asQuat sets the encoding of a rotation with tag.n bits for each of three components.
func (f *draft) asQuat() {
	f.Words, f.Bits, f.axis = 4, 2+3*f.tag.n, 3
	f.top = int32(1)<<f.tag.n - 1
	f.grain = math.Sqrt2 / float64(f.top)
	// If one word changes by 1, the missing component moves by up to √2 steps, the vector by up to √3 steps, and the rotation
	// by twice this angle. Quantizing moves the rotation by at most as much. The rest is for nearly equal components.
	f.Tolerance = 5 * f.grain
}

// newVector returns the field for tag t on a vector of n floats of kind k.
func newVector(k reflect.Kind, n int, t tag) Field {
	f := draft{tag: t}
	f.Form, f.Hold, f.Server, f.spelling = t.form, t.hold, t.server, t.String()
	f.Memory = Memory{Kind: k, Len: n, rawSize: n * size(k)}
	f.space = space{dims: n, rotation: t.form == FormQuat}
	half := 2.0
	if f.rotation {
		f.asQuat()
		half = 4
	} else {
		f.asUnit()
	}
	if t.tolerant {
		f.Tolerance = t.tol
	}
	// The distance of two vectors of length 1 with the angle α between them is 2·sin(α/2). Between quaternions, α is half the
	// angle of the rotation. α is at most π.
	f.within = math.Inf(1)
	if f.Tolerance < math.Pi {
		f.within = 2 * math.Sin(f.Tolerance/half)
		if f.Tolerance > 0 {
			// Neighbouring encoded values differ by one step plus the rounding of the type.
			f.within += 4 * spacing(k, 0.5)
		}
	}
	return f.Field
}

// applyMotion sets the fields that follow from the motion words.
func (f *draft) applyMotion() error {
	m := f.tag.motion
	f.Motion = m.Motion
	f.Linear, f.Lines = m.Linear || m.Axis > 0, 0
	if f.Angle {
		f.zero = uint32(int64(math.Round(math.Mod(f.base/f.period, 1) * (1 << 32))))
	}
	if !m.lined {
		return nil
	}
	if f.Lines = m.Lines; f.Lines == 0 {
		f.Lines = f.Step
	}
	most := float64(f.count/4) * f.Step
	if f.Lines < f.Step || f.Lines > most {
		return tagError("lines %s: it must be at least a step, %s, and at most a quarter of the range, %s", decimal(f.Lines), decimal(f.Step), decimal(most))
	}
	f.Words, f.Bits = 2, f.Bits+32
	return nil
}

// newCount returns the count field of a list with an array of length n.
func newCount(kind reflect.Kind, n int) (Field, error) {
	var f draft
	f.Form, f.Hold, f.spelling = FormCount, true, fmt.Sprintf("count %d", n)
	f.Memory = Memory{Kind: kind, Len: 1, rawSize: size(kind)}
	f.Words, f.mask = 1, math.MaxUint64
	err := f.setGrid(0, float64(n), 1, float64(n))
	return f.Field, err
}
