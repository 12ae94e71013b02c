package host

import (
	"errors"
	"reflect"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
)

// ErrValue is wrapped by errors about a value that a host passed: a wrong length, or a type that is not in the book.
var ErrValue = errors.New("host: value")

// sanitizer converts untrusted bytes to a valid value of a type.
type sanitizer struct {
	table *schema.Table
	bools []uintptr // offsets of the bool fields, which must hold 0 or 1
}

func newSanitizer(t *schema.Table) sanitizer {
	c := sanitizer{table: t}
	c.findBools(t.Type, 0)
	return c
}

// findBools collects the offsets of the bools in t, which begins at offset at.
func (c *sanitizer) findBools(t reflect.Type, at uintptr) {
	switch t.Kind() {
	case reflect.Bool:
		c.bools = append(c.bools, at)
	case reflect.Array:
		for i := range t.Len() {
			c.findBools(t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
	case reflect.Struct:
		for field := range t.Fields() {
			c.findBools(field.Type, at+field.Offset)
		}
	}
}

// read writes the valid value nearest to b to dst. b has the size of the type.
func (c *sanitizer) read(dst unsafe.Pointer, b []byte) {
	mem := unsafe.Slice((*byte)(dst), c.table.Size)
	copy(mem, b)
	for _, at := range c.bools {
		if mem[at] != 0 {
			mem[at] = 1
		}
	}
	c.table.Snap(dst)
}

// bytesOf returns the memory of a value.
func bytesOf[T any](v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)) }

// reflectSize returns the size of a number of kind k in bytes.
func reflectSize(k reflect.Kind) uintptr {
	switch k {
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		return 1
	case reflect.Int16, reflect.Uint16:
		return 2
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		return 4
	}
	return 8
}
