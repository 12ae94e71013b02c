package schema

import (
	"math"
	"reflect"
	"strconv"
	"unsafe"
)

// One number at a time, for what is not done over rows. The bits of a value are
// those of its type: integers extended to 64, a bool 0 or 1. Numbers are in the
// unit of memory, which for fixed point is not the field's.

func (f *Field) load(p unsafe.Pointer) uint64 {
	p = unsafe.Add(p, f.Offset)
	switch f.Kind {
	case reflect.Bool:
		if *(*bool)(p) {
			return 1
		}
		return 0
	case reflect.Int8:
		return uint64(*(*int8)(p))
	case reflect.Uint8:
		return uint64(*(*uint8)(p))
	case reflect.Int16:
		return uint64(*(*int16)(p))
	case reflect.Uint16:
		return uint64(*(*uint16)(p))
	case reflect.Int32:
		return uint64(*(*int32)(p))
	case reflect.Uint32, reflect.Float32:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

func (f *Field) store(p unsafe.Pointer, bits uint64) {
	p = unsafe.Add(p, f.Offset)
	switch size(f.Kind) {
	case 1:
		if f.Kind == reflect.Bool {
			*(*bool)(p) = bits != 0
		} else {
			*(*uint8)(p) = uint8(bits)
		}
	case 2:
		*(*uint16)(p) = uint16(bits)
	case 4:
		*(*uint32)(p) = uint32(bits)
	default:
		*(*uint64)(p) = bits
	}
}

// number returns the value of bits. Integers beyond 2^53 are rounded.
func (f *Field) number(bits uint64) float64 {
	switch {
	case f.Kind == reflect.Float32:
		return float64(math.Float32frombits(uint32(bits)))
	case f.Kind == reflect.Float64:
		return math.Float64frombits(bits)
	case isSigned(f.Kind):
		return float64(int64(bits))
	}
	return float64(bits)
}

// bits returns the bits of v, which is a value of the field's type.
func (f *Field) bits(v float64) uint64 {
	switch f.Kind {
	case reflect.Float32:
		return uint64(math.Float32bits(float32(v)))
	case reflect.Float64:
		return math.Float64bits(v)
	}
	return uint64(int64(v))
}

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

// nearest returns the valid value closest to v; for an angle, the equal one.
func (f *Field) nearest(v float64) float64 {
	switch {
	case math.IsNaN(v) || f.Angle && math.IsInf(v, 0):
		return f.rest
	case f.Angle:
		return f.wrap(v)
	}
	return min(max(v, f.lo), f.hi)
}

// wrap returns the angle equal to v within the period that begins at base.
func (f *Field) wrap(v float64) float64 {
	if v >= f.base && v < f.base+f.period {
		return v
	}
	d := math.Mod(v-f.base, f.period)
	if d < 0 {
		d += f.period
	}
	if v = f.base + d; v >= f.base+f.period {
		return f.base
	}
	return v
}

// turn returns the difference d of two angles the short way round.
func (f *Field) turn(d float64) float64 {
	return float64(d - float64(f.period*math.Round(d/f.period)))
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
