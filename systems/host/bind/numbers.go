package bind

import (
	"math"
	"reflect"

	"github.com/tactusgo/tactus/codec/schema"
)

// scalar describes the numbers of one kind.
type scalar struct {
	shift int    // log2 of the size in bytes
	view  string // name of the JavaScript typed array
	c     string
	whole bool
}

var scalars = map[reflect.Kind]scalar{
	reflect.Bool:    {0, "u8", "bool", false},
	reflect.Uint8:   {0, "u8", "uint8_t", true},
	reflect.Int8:    {0, "i8", "int8_t", true},
	reflect.Uint16:  {1, "u16", "uint16_t", true},
	reflect.Int16:   {1, "i16", "int16_t", true},
	reflect.Uint32:  {2, "u32", "uint32_t", true},
	reflect.Int32:   {2, "i32", "int32_t", true},
	reflect.Uint64:  {3, "u64", "uint64_t", true},
	reflect.Int64:   {3, "i64", "int64_t", true},
	reflect.Float32: {2, "f32", "float", false},
	reflect.Float64: {3, "f64", "double", false},
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
