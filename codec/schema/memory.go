package schema

import (
	"encoding/binary"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unsafe"
)

// Memory locates a [Field] in the memory of a component. The bits of a number are those of its type, extended to 64 bits; a
// bool is 0 or 1.
type Memory struct {
	// Offset is the offset of the value within the component, in bytes.
	Offset uintptr
	// Kind is the kind of each number of the value: Bool, a sized integer kind, Float32 or Float64.
	Kind reflect.Kind
	// Len is how many numbers of Kind the value has: 2 or 3 for a direction, 4 for a quaternion, the capacity in bytes for
	// a text, else 1.
	Len int

	in             *listElement // nil outside of lists
	rawAt, rawSize int          // position and size in the bytes of AppendRaw
}

// bytes returns the size of the value in memory. For a text it does not include the length.
func (m *Memory) bytes() uintptr { return uintptr(m.Len * size(m.Kind)) }

func (m *Memory) load(p unsafe.Pointer) uint64 {
	p = unsafe.Add(p, m.Offset)
	switch m.Kind {
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

func (m *Memory) store(p unsafe.Pointer, bits uint64) {
	p = unsafe.Add(p, m.Offset)
	switch size(m.Kind) {
	case 1:
		if m.Kind == reflect.Bool {
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

// number converts bits to a float64. Integers above 2^53 are rounded.
func (m *Memory) number(bits uint64) float64 {
	switch {
	case m.Kind == reflect.Float32:
		return float64(math.Float32frombits(uint32(bits)))
	case m.Kind == reflect.Float64:
		return math.Float64frombits(bits)
	case isSigned(m.Kind):
		return float64(int64(bits))
	}
	return float64(bits)
}

// bits converts v, a value of the type, to its bits.
func (m *Memory) bits(v float64) uint64 {
	switch m.Kind {
	case reflect.Float32:
		return uint64(math.Float32bits(float32(v)))
	case reflect.Float64:
		return math.Float64bits(v)
	}
	return uint64(int64(v))
}

// vector returns the floats of the component at p.
func (m *Memory) vector(p unsafe.Pointer) (v vector) {
	p = unsafe.Add(p, m.Offset)
	if m.Kind == reflect.Float32 {
		return readVector[float32](p, m.Len)
	}
	return readVector[float64](p, m.Len)
}

// setVector writes the floats of the component at p.
func (m *Memory) setVector(p unsafe.Pointer, v vector) {
	p = unsafe.Add(p, m.Offset)
	if m.Kind == reflect.Float32 {
		writeVector[float32](p, m.Len, &v)
	} else {
		writeVector[float64](p, m.Len, &v)
	}
}

// copyValue copies a value. It does not work for texts.
func (m *Memory) copyValue(dst, src unsafe.Pointer) {
	copy(unsafe.Slice((*byte)(unsafe.Add(dst, m.Offset)), m.bytes()), unsafe.Slice((*byte)(unsafe.Add(src, m.Offset)), m.bytes()))
}

// appendBits appends the bits v of one number.
func (m *Memory) appendBits(dst []byte, v uint64) []byte {
	switch size(m.Kind) {
	case 1:
		return append(dst, byte(v))
	case 2:
		return binary.LittleEndian.AppendUint16(dst, uint16(v))
	case 4:
		return binary.LittleEndian.AppendUint32(dst, uint32(v))
	}
	return binary.LittleEndian.AppendUint64(dst, v)
}

// rawBits returns the bits of the number at the start of b.
func (m *Memory) rawBits(b []byte) uint64 {
	switch size(m.Kind) {
	case 1:
		if m.Kind == reflect.Int8 {
			return uint64(int8(b[0]))
		}
		return uint64(b[0])
	case 2:
		v := binary.LittleEndian.Uint16(b)
		if m.Kind == reflect.Int16 {
			return uint64(int16(v))
		}
		return uint64(v)
	case 4:
		v := binary.LittleEndian.Uint32(b)
		if m.Kind == reflect.Int32 {
			return uint64(int32(v))
		}
		return uint64(v)
	}
	return binary.LittleEndian.Uint64(b)
}

func (m *Memory) rawVector(b []byte) (v vector) {
	for i := range m.Len {
		v[i&3] = m.number(m.rawBits(b[i*size(m.Kind):]))
	}
	return v
}
func (m *Memory) formatVector(v vector) string {
	var b strings.Builder
	for i, x := range v[:m.Len] {
		b.WriteByte("( "[min(i, 1)])
		b.WriteString(strconv.FormatFloat(x, 'g', -1, 8*size(m.Kind)))
	}
	b.WriteByte(')')
	return b.String()
}

func readVector[T float32 | float64](p unsafe.Pointer, n int) (v vector) {
	for i, x := range unsafe.Slice((*T)(p), n) {
		v[i&3] = float64(x)
	}
	return v
}

func writeVector[T float32 | float64](p unsafe.Pointer, n int, v *vector) {
	s := unsafe.Slice((*T)(p), n)
	for i := range s {
		s[i] = T(v[i&3])
	}
}
