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
// writes the other can read.
func (t *Table) AppendRaw(dst []byte, p unsafe.Pointer) []byte {
	for i := range t.Fields {
		f := &t.Fields[i]
		v := f.load(p)
		if !f.valid(v) {
			v = f.bits(f.nearest(f.number(v)))
		}
		switch size(f.Kind) {
		case 1:
			dst = append(dst, byte(v))
		case 2:
			dst = binary.LittleEndian.AppendUint16(dst, uint16(v))
		case 4:
			dst = binary.LittleEndian.AppendUint32(dst, uint32(v))
		default:
			dst = binary.LittleEndian.AppendUint64(dst, v)
		}
	}
	return dst
}

// ReadRaw reads what [Table.AppendRaw] appended from the front of src into the
// component at p and returns what follows it. Fields that are not replicated stay
// as they are.
//
// Errors, on which nothing is written and src is returned: [codec.ErrShort];
// [codec.ErrMalformed] for a bool that is neither 0 nor 1; [ErrRange], naming the
// field, for a float that is not finite and for a number outside its range. The
// range includes its ends as the type rounds them, and for an angle the whole turn.
func (t *Table) ReadRaw(src []byte, p unsafe.Pointer) (rest []byte, err error) {
	if len(src) < t.rawSize {
		return src, fmt.Errorf("%w: %s takes %d bytes of %d", codec.ErrShort, t.Name, t.rawSize, len(src))
	}
	at := 0
	for i := range t.Fields {
		f := &t.Fields[i]
		v := f.rawBits(src[at:])
		at += size(f.Kind)
		if f.valid(v) {
			continue
		}
		switch {
		case f.Kind == reflect.Bool:
			return src, fmt.Errorf("%w: %s.%s: a bool of %d", codec.ErrMalformed, t.Name, f.Path, v)
		case f.Raw:
			return src, fmt.Errorf("%w: %s.%s: %v is not finite", ErrRange, t.Name, f.Path, f.number(v))
		}
		return src, fmt.Errorf("%w: %s.%s: %v is not in %s", ErrRange, t.Name, f.Path, f.number(v), f.spelling)
	}
	at = 0
	for i := range t.Fields {
		f := &t.Fields[i]
		f.store(p, f.rawBits(src[at:]))
		at += size(f.Kind)
	}
	return src[at:], nil
}

// rawBits reads the bits of a value in the form of load.
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
