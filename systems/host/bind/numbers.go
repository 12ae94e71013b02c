package bind

import (
	"fmt"
	"math"
	"reflect"

	"github.com/tactusgo/tactus/codec/schema"
)

// scalar describes the numbers of one kind.
type scalar struct {
	shift  int    // log2 of the size in bytes
	view   string // name of the JavaScript typed array
	c      string
	lo, hi string // JavaScript clamps to this range; "" for no clamping
}

var scalars = map[reflect.Kind]scalar{
	reflect.Bool:    {0, "u8", "bool", "", ""},
	reflect.Uint8:   {0, "u8", "uint8_t", "0", "255"},
	reflect.Int8:    {0, "i8", "int8_t", "-128", "127"},
	reflect.Uint16:  {1, "u16", "uint16_t", "0", "65535"},
	reflect.Int16:   {1, "i16", "int16_t", "-32768", "32767"},
	reflect.Uint32:  {2, "u32", "uint32_t", "0", "4294967295"},
	reflect.Int32:   {2, "i32", "int32_t", "-2147483648", "2147483647"},
	reflect.Uint64:  {3, "u64", "uint64_t", "0", "18446744073709549568"}, // the largest float64 below 2^64
	reflect.Int64:   {3, "i64", "int64_t", "-9223372036854775808", "9223372036854774784"},
	reflect.Float32: {2, "f32", "float", "", ""},
	reflect.Float64: {3, "f64", "double", "", ""},
}

const exactly = 1 << 53 // float64 represents all integers up to here

// big reports whether JavaScript needs a bigint for a number.
func (n *node) big() bool {
	if n.of != reflect.Int64 && n.of != reflect.Uint64 || n.says == nil {
		return false
	}
	switch f := n.says; f.Form {
	case schema.FormFlags:
		return f.Bits > 32
	case schema.FormRaw:
		return true
	default:
		return math.Max(math.Abs(f.Min), math.Abs(f.Max)) > exactly
	}
}

// kindOf returns the TypeScript type of a number.
func (n *node) kindOf() string {
	switch {
	case n.of == reflect.Bool:
		return "boolean"
	case n.big():
		return "bigint"
	case n.enum != nil && n.says.Form == schema.FormEnum:
		return n.enum.Name
	}
	return "number"
}

// read returns the expression that reads a number at an address. m is the expression for the memory.
func (n *node) read(m, at string) string {
	s := scalars[n.of]
	cell := func(view string, shift int) string {
		if shift == 0 {
			return fmt.Sprintf("%s.%s[%s]", m, view, at)
		}
		return fmt.Sprintf("%s.%s[(%s) >>> %d]", m, view, at, shift)
	}
	got := cell(s.view, s.shift)
	switch {
	case n.of == reflect.Bool:
		return got + " !== 0"
	case s.shift == 3 && n.of != reflect.Float64 && !n.big():
		high := "u32"
		if n.of == reflect.Int64 {
			high = "i32"
		}
		got = fmt.Sprintf("%s.%s[((%s) >>> 2) + 1] * 4294967296 + %s", m, high, at, cell("u32", 2))
	}
	return got
}

// write returns the statement that writes the number x at an address. m is the expression for the memory.
func (n *node) write(m, at string) string {
	s := scalars[n.of]
	x := "x"
	if n.says != nil && !n.big() && s.lo != "" {
		switch {
		case n.says.Angle: // angles wrap
			x = "Math.round(" + x + ")"
		case n.says.Form == schema.FormGrid || n.says.Form == schema.FormEnum || n.says.Form == schema.FormCount:
			x = fmt.Sprintf("$whole(%s, %s, %s)", x, s.lo, s.hi)
		}
	}
	switch {
	case n.of == reflect.Bool:
		x = "x ? 1 : 0"
	case s.shift == 3 && n.of != reflect.Float64 && !n.big():
		return fmt.Sprintf("$wide(%s, (%s) >>> 2, %s)", m, at, x)
	}
	if s.shift == 0 {
		return fmt.Sprintf("%s.%s[%s] = %s", m, s.view, at, x)
	}
	return fmt.Sprintf("%s.%s[(%s) >>> %d] = %s", m, s.view, at, s.shift, x)
}
