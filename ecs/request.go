package ecs

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
)

// MaxRequest is the largest size in bytes of the value of a request, as given by [schema.Table.RawSize].
const MaxRequest = 256

// Request is a request of a client that changes the world: to join, or a command. It is for the netcode.
type Request struct {
	// Schema is the field table of the value; it has no fields if the value is struct{}.
	Schema *schema.Table
	run    func(w *World, client uint32, from []byte)
}

// newRequest returns the request that a call registers. It panics if f is nil, if T has a field without a tag, or if T is
// too large.
func newRequest[T any](call string, f func(w *World, client uint32, v *T)) *Request {
	t := reflect.TypeFor[T]()
	if f == nil {
		panic(fmt.Sprintf("ecs: %s[%s] needs a function", call, t))
	}
	table, err := schema.Compile(t, nil)
	switch {
	case err != nil:
		panic(fmt.Errorf("ecs: %s[%s]: %w", call, t, err))
	case table.RawSize() > MaxRequest:
		panic(fmt.Sprintf("ecs: %s[%s]: %d bytes are more than %d: send larger values as a message", call, t, table.RawSize(), MaxRequest))
	}
	return &Request{Schema: table, run: func(w *World, client uint32, from []byte) {
		v := new(T) // a new value for each run, because f may change it
		table.Snap(unsafe.Pointer(v))
		if len(from) > 0 {
			if _, err := table.ReadRaw(from, unsafe.Pointer(v)); err != nil {
				panic(fmt.Errorf("ecs: %s[%s]: a value that was not checked: %w", call, t, err))
			}
		}
		f(w, client, v)
	}}
}

// Run runs the request in a world. from is the value as encoded by [schema.Table.AppendRaw]; empty means the zero value.
func (r *Request) Run(w *World, client uint32, from []byte) { r.run(w, client, from) }

// Bytes encodes a value of the request; nil becomes no bytes. It returns an error if the value has a different type.
func (r *Request) Bytes(v any) ([]byte, error) {
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

// Value returns a pointer to the value that b encodes; empty means the zero value. b may be untrusted. The errors are those
// of [schema.Table.ReadRaw].
func (r *Request) Value(b []byte) (any, error) {
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
