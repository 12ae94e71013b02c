package players

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
)

// MaxSize is how many bytes the value of a request may have.
const MaxSize = 256

// Request is something that a client asks for, which changes the world.
type Request[W any] struct {
	// Schema is the field table of the value; it has no fields where that is struct{}.
	Schema *schema.Table
	run    func(w W, client uint32, from []byte)
}

// New makes the request that a call registers. It panics when there is no function, or T has a
// field without a tag, or is too large.
func New[W, T any](call string, f func(w W, client uint32, v *T)) *Request[W] {
	t := reflect.TypeFor[T]()
	if f == nil {
		panic(fmt.Sprintf("ecs: %s[%s] needs a function", call, t))
	}
	table, err := schema.Compile(t, nil)
	switch {
	case err != nil:
		panic(fmt.Errorf("ecs: %s[%s]: %w", call, t, err))
	case table.RawSize() > MaxSize:
		panic(fmt.Sprintf("ecs: %s[%s]: %d bytes are more than %d; send what is larger as a message", call, t, table.RawSize(), MaxSize))
	}
	return &Request[W]{Schema: table, run: func(w W, client uint32, from []byte) {
		v := new(T) // one of its own each time, so that f cannot change what the next run gets
		table.Snap(unsafe.Pointer(v))
		if len(from) > 0 {
			if _, err := table.ReadRaw(from, unsafe.Pointer(v)); err != nil {
				panic(fmt.Errorf("ecs: %s[%s]: a value that was not checked: %w", call, t, err))
			}
		}
		f(w, client, v)
	}}
}

// Run carries out the request in a world. from is the value, as [schema.Table.AppendRaw]
// makes it; none is the zero value.
func (r *Request[W]) Run(w W, client uint32, from []byte) { r.run(w, client, from) }

// Bytes are a value of the request as it travels; none where it is nil. It returns an error for
// a value of another type.
func (r *Request[W]) Bytes(v any) ([]byte, error) {
	switch {
	case v == nil:
		return nil, nil
	case reflect.TypeOf(v) != r.Schema.Type:
		return nil, fmt.Errorf("%T is not %s", v, r.Schema.Type)
	}
	p := reflect.New(r.Schema.Type)
	p.Elem().Set(reflect.ValueOf(v))
	return r.Schema.AppendRaw(nil, p.UnsafePointer()), nil
}

// Value makes a pointer to the value that bytes are, which anybody may have made; none are the zero
// value. Its errors are those of [schema.Table.ReadRaw].
func (r *Request[W]) Value(b []byte) (any, error) {
	p := reflect.New(r.Schema.Type)
	r.Schema.Snap(p.UnsafePointer())
	if len(b) == 0 {
		return p.Interface(), nil
	}
	rest, err := r.Schema.ReadRaw(b, p.UnsafePointer())
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%w: %d bytes more than %s has", codec.ErrMalformed, len(rest), r.Schema.Name)
	}
	return p.Interface(), err
}
