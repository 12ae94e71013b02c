package schema

import (
	"fmt"
	"math"
	"reflect"
)

// draft is a field in the making, of what a tag says.
type draft struct {
	Field
	tag tag
}

// newField settles what tag t means for a value of kind k. Errors wrap ErrTag.
func newField(k reflect.Kind, t tag) (Field, error) {
	f := draft{tag: t}
	f.Meaning = Meaning{Form: t.form, Raw: t.raw, Angle: t.angle, Edge: t.edge, Hold: t.hold, Server: t.server, spelling: t.String()}
	f.Memory = Memory{Kind: k, Len: 1, Fixed: t.fixed, scale: math.Ldexp(1, t.fixed), rawSize: size(k)}
	f.Words, f.mask = 1, math.MaxUint64
	err := f.settle()
	if err == nil {
		err = f.moves()
	}
	if err != nil {
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
		f.wholes(f.period)
	}
	return f.Field, nil
}

// settle lays down what the value is made of.
func (f *draft) settle() error {
	switch t := &f.tag; {
	case t.form == FormUnit || t.form == FormQuat:
		return bad("%v takes %s: put the tag on the field that holds them", t.form, vectorShapes(t.form))
	case t.form == FormCount || t.form == FormText:
		return bad("a count is a uint8 or uint16 and stands right before the array that it counts; a text is an array of bytes with its count before it")
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
	case t.turn != 0:
		return f.asTurn()
	case !t.ranged:
		return bad("a number needs a range: write %s", tagForms)
	case isFloat(f.Kind):
		return f.asFloat()
	default:
		return f.asInteger()
	}
	return nil
}

func bad(format string, a ...any) error {
	return fmt.Errorf("%w: %s", ErrTag, fmt.Sprintf(format, a...))
}

func (f *draft) asBool() error {
	if f.tag.raw || f.tag.ranged || f.tag.tolerant || f.tag.turn != 0 || f.tag.form != FormGrid {
		return bad("a bool has neither range, raw, tol nor a form: leave the tag out, or write edge, hold or \"-\"")
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
		return bad("a ref is a NetID, and so a uint32, not %v", f.Kind)
	}
	f.asRaw()
	f.Raw, f.Ref = true, true
	return nil
}

func (f *draft) asEnum() error {
	if !isInteger(f.Kind) {
		return bad("an enum is an integer, not %v", f.Kind)
	}
	last := float64(f.tag.n - 1)
	if _, hi := integerRange(f.Kind); last > hi {
		return bad("the values 0..%s do not fit %v", decimal(last), f.Kind)
	}
	f.Hold = true
	return f.lay(0, last, 1, last)
}

func (f *draft) asFlags() error {
	if !isInteger(f.Kind) || isSigned(f.Kind) {
		return bad("flags are an unsigned integer, uint8 to uint64, not %v", f.Kind)
	}
	if f.tag.n > 8*size(f.Kind) {
		return bad("%v has no %d bits", f.Kind, f.tag.n)
	}
	f.Bits, f.Hold, f.mask = f.tag.n, true, lowBits(f.tag.n)
	f.Words = (f.tag.n + 31) / 32
	return nil
}

// asUnit settles a direction of so many bits a word.
func (f *draft) asUnit() {
	bits := f.tag.n
	f.Words, f.Bits = f.Len-1, bits*(f.Len-1)
	// A word further is an angle of at most 2 steps in the plane, and of √6 of
	// them in the middle of an octahedron's face.
	if f.Len == 2 {
		f.top = int32(1)<<bits - 1
		f.Tolerance = 2 / math.Ldexp(1, bits-2)
	} else {
		f.top = int32(1)<<bits - 2
		f.Tolerance = 2.5 / float64(f.top/2)
	}
}

// asQuat settles a rotation with so many bits for each of three components.
func (f *draft) asQuat() {
	f.Words, f.Bits, f.axis = 4, 2+3*f.tag.n, 3
	f.top = int32(1)<<f.tag.n - 1
	f.grain = math.Sqrt2 / float64(f.top)
	// A word further moves the missing component by up to √2 steps, the whole by
	// √3, and the rotation by twice that angle; quantizing moves it by no more. The
	// rest is for where components are nearly equal.
	f.Tolerance = 5 * f.grain
}

// newVector settles what tag t means for n floats of kind k.
func newVector(k reflect.Kind, n int, t tag) Field {
	f := draft{tag: t}
	f.Meaning = Meaning{Form: t.form, Hold: t.hold, Server: t.server, spelling: t.String()}
	f.Memory = Memory{Kind: k, Len: n, scale: 1, rawSize: n * size(k)}
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
	// Two vectors of length 1 with the angle α between them are 2·sin(α/2) apart;
	// between quaternions it is half the angle of the rotation.
	// No angle is above π.
	f.within = math.Inf(1)
	if f.Tolerance < math.Pi {
		f.within = 2 * math.Sin(f.Tolerance/half)
		if f.Tolerance > 0 {
			// Neighbours on the wire are a step apart up to the rounding of the type.
			f.within += 4 * spacing(k, 0.5)
		}
	}
	return f.Field
}

// moves settles what the words mean for the field.
func (f *draft) moves() error {
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
		return bad("lines %s: it must be at least a step, %s, and at most a quarter of the range, %s", decimal(f.Lines), decimal(f.Step), decimal(most))
	}
	f.Words, f.Bits = 2, f.Bits+32
	return nil
}

// newCount is the field of a list's count.
func newCount(kind reflect.Kind, n int) (Field, error) {
	var f draft
	f.Meaning = Meaning{Form: FormCount, Hold: true, spelling: fmt.Sprintf("count %d", n)}
	f.Memory = Memory{Kind: kind, Len: 1, scale: 1, rawSize: size(kind)}
	f.Words, f.mask = 1, math.MaxUint64
	err := f.lay(0, float64(n), 1, float64(n))
	return f.Field, err
}
