package schema

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
)

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
		if says, cause := f.checkRaw(src); cause != nil {
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
func (f *Field) checkRaw(src []byte) (says string, cause error) {
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

// appendBits appends one number in the form of load.
func (f *Field) appendBits(dst []byte, v uint64) []byte {
	switch size(f.Kind) {
	case 1:
		return append(dst, byte(v))
	case 2:
		return binary.LittleEndian.AppendUint16(dst, uint16(v))
	case 4:
		return binary.LittleEndian.AppendUint32(dst, uint32(v))
	}
	return binary.LittleEndian.AppendUint64(dst, v)
}

// rawBits reads one number in the form of load.
func (f *Field) rawBits(b []byte) uint64 {
	switch size(f.Kind) {
	case 1:
		if f.Kind == reflect.Int8 {
			return uint64(int8(b[0]))
		}
		return uint64(b[0])
	case 2:
		v := binary.LittleEndian.Uint16(b)
		if f.Kind == reflect.Int16 {
			return uint64(int16(v))
		}
		return uint64(v)
	case 4:
		v := binary.LittleEndian.Uint32(b)
		if f.Kind == reflect.Int32 {
			return uint64(int32(v))
		}
		return uint64(v)
	}
	return binary.LittleEndian.Uint64(b)
}

func (f *Field) rawVector(b []byte) (v vector) {
	for i := range f.Len {
		v[i&3] = f.number(f.rawBits(b[i*size(f.Kind):]))
	}
	return v
}
