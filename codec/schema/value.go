package schema

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
)

// valid reports whether a peer may send bits.
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

// repaired returns the valid bits closest to bits.
func (f *Field) repaired(bits uint64) uint64 {
	if f.Form == FormFlags {
		return bits & f.mask
	}
	return f.bits(f.nearest(f.number(bits)))
}

// Format returns the text of a field of the component at p. field is an index in Fields. Examples are "true", "-3", flags
// as "0b101", a direction or rotation as "(0 0.6 0.8)", and a quoted text. A float is the shortest decimal that parses as
// the same float.
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
	case isSigned(f.Kind):
		return strconv.FormatInt(int64(bits), 10)
	}
	return strconv.FormatUint(bits, 10)
}

// differs compares the field in the components at a and b. A field in a list is equal if one of the components lacks the
// element: their counts differ.
func (f *Field) differs(a, b unsafe.Pointer) bool {
	switch {
	case f.in != nil && (!f.in.exists(a) || !f.in.exists(b)):
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
			d = f.shortest(d)
		}
		return !(math.Abs(d) <= f.within)
	}
	if a, b = a&f.mask, b&f.mask; a == b {
		return false
	}
	// Unsigned subtraction of the smaller from the larger integer is exact.
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

// between returns the interpolation from x to y at 0 < at < 1.
func (f *Field) between(x, y, at float64) float64 {
	d := y - x
	if f.Angle {
		d = f.shortest(d)
	}
	if math.IsInf(d, 0) {
		// The difference exceeds the range of float64.
		return float64(x*(1-at)) + float64(y*at)
	}
	return float64(x + float64(d*at))
}

// clear zeroes the memory of the value at p.
func (f *Field) clear(p unsafe.Pointer) {
	clear(unsafe.Slice((*byte)(unsafe.Add(p, f.Offset)), f.bytes()))
	if f.Form == FormText {
		clear(f.textBytes(p))
	}
}

// AppendRaw appends the component at p in full precision and returns dst. It appends the fields in order without padding,
// each in the size of its type, little endian, in total [Table.RawSize] bytes. Values that [Table.ReadRaw] would reject are
// replaced by the nearest valid value, NaNs by the value closest to zero. A text is its length and the whole array, a list
// its count and all elements; bytes after their ends are zero.
func (t *Table) AppendRaw(dst []byte, p unsafe.Pointer) []byte {
	for i := range t.Fields {
		f := &t.Fields[i]
		switch {
		case f.in != nil && !f.in.exists(p):
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

// ReadRaw reads a component appended by [Table.AppendRaw] from the front of src into p, and returns the rest of src. Fields
// that are not replicated stay unchanged.
//
// If there is an error, ReadRaw writes nothing and returns src. The error wraps [codec.ErrShort]; or [codec.ErrMalformed]
// for a bool other than 0 and 1, a text that is not valid UTF-8, and bytes other than zero after the end of a text or list;
// or [ErrRange] for a float that is not finite, a number outside its range, undefined flags, a text or list longer than its
// array, and a direction or rotation whose length is not between ½ and 2. The error names the field. A range includes its
// bounds as rounded to the type; the range of an angle includes the full turn.
func (t *Table) ReadRaw(src []byte, p unsafe.Pointer) (rest []byte, err error) {
	if len(src) < t.rawSize {
		return src, fmt.Errorf("%w: %s needs %d bytes, got %d", codec.ErrShort, t.Name, t.rawSize, len(src))
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

// checkRaw checks a field in the raw bytes of a component and describes the error. cause is nil if the field is valid.
func checkRaw(f *Field, src []byte) (says string, cause error) {
	b := src[f.rawAt:][:f.rawSize]
	if f.in != nil && !f.in.existsRaw(src) {
		if !isZero(b) {
			return "an element after the end of its list is not zero", codec.ErrMalformed
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
