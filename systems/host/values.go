package host

import (
	"errors"
	"reflect"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
)

// ErrValue is wrapped by errors about a value that a host gave: of another length, or of a type that is not in the book.
var ErrValue = errors.New("host: value")

// cleaner makes memory of a type of bytes that anybody may have made: whatever they are, the result is a value of it.
type cleaner struct {
	table *schema.Table
	bools []uintptr // where truth values lie, which hold 0 or 1
}

func cleanerOf(t *schema.Table) cleaner {
	c := cleaner{table: t}
	c.find(t.Type, 0)
	return c
}

// find notes where truth values lie.
func (c *cleaner) find(t reflect.Type, at uintptr) {
	switch t.Kind() {
	case reflect.Bool:
		c.bools = append(c.bools, at)
	case reflect.Array:
		for i := range t.Len() {
			c.find(t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
	case reflect.Struct:
		for field := range t.Fields() {
			c.find(field.Type, at+field.Offset)
		}
	}
}

// read writes to dst, which has room for a value, the value nearest to what b says; b has its size.
func (c *cleaner) read(dst unsafe.Pointer, b []byte) {
	mem := unsafe.Slice((*byte)(dst), c.table.Size)
	copy(mem, b)
	for _, at := range c.bools {
		if mem[at] != 0 {
			mem[at] = 1
		}
	}
	c.table.Snap(dst)
}

// bytesOf is the memory of a value.
func bytesOf[T any](v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)) }

// reflectSize is the size of a number of a kind.
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
