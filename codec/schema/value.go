package schema

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
)

// valid reports whether a peer may send these bits.
func (f *Field) valid(bits uint64) bool {
	if f.Form == FormFlags {
		return bits&^f.mask == 0
	}
	if f.Raw && !isFloat(f.Kind) {
		return true
	}
	v := f.number(bits)
	return v >= f.lo && v <= f.hi
}

// repaired returns the valid bits closest to these.
func (f *Field) repaired(bits uint64) uint64 {
	if f.Form == FormFlags {
		return bits & f.mask
	}
	return f.bits(f.nearest(f.number(bits)))
}

// Format returns the value of a field, given by its index in Fields, in the
// component at p: "true", "-3", or the shortest decimal that reads back as the
// same float. A fixed-point number is in its unit, "1.5", flags are in binary,
// "0b101", a direction or a rotation is "(0 0.6 0.8)", and a text is quoted.
func (t *Table) Format(field int, p unsafe.Pointer) string {
	f := &t.Fields[field]
	switch f.Form {
	case FormUnit, FormQuat:
		return f.formatVector(f.vector(p))
	case FormText:
		return f.formatText(p)
	}
	return f.format(f.load(p))
}

func (f *Field) format(bits uint64) string {
	switch {
	case f.Kind == reflect.Bool:
		return strconv.FormatBool(bits != 0)
	case f.Form == FormFlags:
		return "0b" + strconv.FormatUint(bits, 2)
	case isFloat(f.Kind):
		return strconv.FormatFloat(f.number(bits), 'g', -1, 8*size(f.Kind))
	case f.Fixed > 0:
		return decimal(f.number(bits) / f.scale)
	case isSigned(f.Kind):
		return strconv.FormatInt(int64(bits), 10)
	}
	return strconv.FormatUint(bits, 10)
}

// differs compares the field in the components at a and b. Where lists differ in
// length it is their count that says so.
func (f *Field) differs(a, b unsafe.Pointer) bool {
	switch {
	case f.in != nil && (!f.in.there(a) || !f.in.there(b)):
		return false
	case f.Form == FormUnit || f.Form == FormQuat:
		return f.space.differ(f.vector(a), f.vector(b), f.within)
	case f.Form == FormText:
		return string(f.text(a)) != string(f.text(b))
	}
	return f.differ(f.load(a), f.load(b))
}

// differ compares two numbers.
func (f *Field) differ(a, b uint64) bool {
	if isFloat(f.Kind) {
		x, y := f.number(a), f.number(b)
		if x == y {
			return false
		}
		d := x - y
		if f.Angle {
			d = f.turn(d)
		}
		return !(math.Abs(d) <= f.within)
	}
	if a, b = a&f.mask, b&f.mask; a == b {
		return false
	}
	// Unsigned subtraction is exact for all integers, once the larger is known.
	d, less := a-b, a < b
	if isSigned(f.Kind) {
		less = int64(a) < int64(b)
	}
	if less {
		d = b - a
	}
	if f.Angle {
		d %= f.cycle
		d = min(d, f.cycle-d)
	}
	return d > f.slack
}

// between returns the number at 0 < at < 1 of the way from x to y.
func (f *Field) between(x, y, at float64) float64 {
	d := y - x
	if f.Angle {
		d = f.turn(d)
	}
	if math.IsInf(d, 0) {
		// The two are so far apart that their difference is not a float.
		return float64(x*(1-at)) + float64(y*at)
	}
	return float64(x + float64(d*at))
}

// clear makes the memory of the value at p zero.
func (f *Field) clear(p unsafe.Pointer) {
	clear(unsafe.Slice((*byte)(unsafe.Add(p, f.Offset)), f.bytes()))
	if f.Form == FormText {
		clear(f.textBytes(p))
	}
}

// AppendRaw appends the component at p in full precision and returns dst: the
// fields in order, each in the size of its type, little endian, without padding;
// [Table.RawSize] bytes. Values that [Table.ReadRaw] would refuse are replaced by
// the nearest that it takes, and a NaN by the one closest to zero, so what one side
// writes the other can read. A text is its length and its whole array, a list its
// count and all its elements; what lies past their ends is zero.
func (t *Table) AppendRaw(dst []byte, p unsafe.Pointer) []byte {
	for i := range t.Fields {
		f := &t.Fields[i]
		switch {
		case f.in != nil && !f.in.there(p):
			for range f.rawSize {
				dst = append(dst, 0)
			}
		case f.Form == FormUnit || f.Form == FormQuat:
			v := f.vector(p)
			if !validVector(v) {
				v, _ = f.direction(v)
			}
			for _, x := range v[:f.Len] {
				dst = f.appendBits(dst, f.bits(x))
			}
		case f.Form == FormText:
			dst = f.appendText(dst, p)
		default:
			v := f.load(p)
			if !f.valid(v) {
				v = f.repaired(v)
			}
			dst = f.appendBits(dst, v)
		}
	}
	return dst
}

// ReadRaw reads what [Table.AppendRaw] appended from the front of src into the
// component at p and returns what follows it. Fields that are not replicated stay
// as they are.
//
// Errors, on which nothing is written and src is returned: [codec.ErrShort];
// [codec.ErrMalformed] for a bool that is neither 0 nor 1, for a text that is not
// UTF-8, and for bytes other than zero past the end of a text or a list; [ErrRange],
// naming the field, for a float that is not finite, for a number outside its range,
// for flags beyond those that there are, for a text or a list longer than its array,
// and for a direction or rotation whose length is not between a half and two. The
// range includes its ends as the type rounds them, and for an angle the whole turn.
func (t *Table) ReadRaw(src []byte, p unsafe.Pointer) (rest []byte, err error) {
	if len(src) < t.rawSize {
		return src, fmt.Errorf("%w: %s takes %d bytes of %d", codec.ErrShort, t.Name, t.rawSize, len(src))
	}
	for i := range t.Fields {
		f := &t.Fields[i]
		if says, cause := checkRaw(f, src); cause != nil {
			return src, fmt.Errorf("%w: %s.%s: %s", cause, t.Name, f.Path, says)
		}
	}
	for i := range t.Fields {
		f := &t.Fields[i]
		b := src[f.rawAt:][:f.rawSize]
		switch f.Form {
		case FormUnit, FormQuat:
			f.setVector(p, f.rawVector(b))
		case FormText:
			f.readText(p, b)
		default:
			f.store(p, f.rawBits(b))
		}
	}
	return src[t.rawSize:], nil
}

// checkRaw says what is wrong with a field in the bytes of a component; cause is
// nil when nothing is.
func checkRaw(f *Field, src []byte) (says string, cause error) {
	b := src[f.rawAt:][:f.rawSize]
	if f.in != nil && !f.in.thereRaw(src) {
		if !isZero(b) {
			return "an element behind the end of its list", codec.ErrMalformed
		}
		return "", nil
	}
	switch f.Form {
	case FormUnit, FormQuat:
		if v := f.rawVector(b); !validVector(v) {
			return fmt.Sprintf("the length of %s is not near 1", f.formatVector(v)), ErrRange
		}
		return "", nil
	case FormText:
		return f.checkText(b)
	}
	v := f.rawBits(b)
	switch {
	case f.valid(v):
		return "", nil
	case f.Kind == reflect.Bool:
		return fmt.Sprintf("a bool of %d", v), codec.ErrMalformed
	case f.Raw:
		return f.format(v) + " is not finite", ErrRange
	}
	return f.format(v) + " is not in " + f.spelling, ErrRange
}
