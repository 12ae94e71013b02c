package interest

import (
	"fmt"
	"hash/maphash"
	"reflect"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// row describes a row struct of a filter.
type row struct {
	fields []rowField
	entity []uintptr // offsets of the fields of type ecs.Entity
	viewer []uintptr // offsets of the fields of type Viewer
	free   bool      // it requires no component
}

// Viewer is the number of a client, for a field of Me.
type Viewer uint32

// rowField is a field with a component: a pointer to the component, or its value.
type rowField struct {
	comp     *ecs.Component
	offset   uintptr
	size     uintptr
	pointer  bool
	optional bool
}

// rowOf returns the description of a row struct. It returns an error if a field is invalid.
func rowOf(p *ecs.Protocol, t reflect.Type) (*row, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%w: Filter: a row is a struct of pointers to components, not %s", ErrInterest, t)
	}
	r := &row{free: true}
	for f := range t.Fields() {
		switch f.Type {
		case reflect.TypeFor[ecs.Entity]():
			r.entity = append(r.entity, f.Offset)
			continue
		case reflect.TypeFor[Viewer]():
			r.viewer = append(r.viewer, f.Offset)
			continue
		}
		of := f.Type
		pointer := of.Kind() == reflect.Pointer
		if pointer {
			of = of.Elem()
		}
		x := rowField{comp: p.Component(of), offset: f.Offset, size: of.Size(), pointer: pointer, optional: f.Tag.Get("ecs") == "optional"}
		switch {
		case x.comp == nil:
			return nil, fmt.Errorf("%w: Filter: field %s.%s is a %s, which the protocol has not: a row has pointers to components, and an ecs.Entity", ErrInterest, t, f.Name, f.Type)
		case x.optional && !pointer:
			return nil, fmt.Errorf("%w: Filter: field %s.%s is optional and no pointer: take a *%s, which is nil where it is missing", ErrInterest, t, f.Name, of)
		}
		r.free = r.free && x.optional
		r.fields = append(r.fields, x)
	}
	return r, nil
}

// fill sets the fields of the row struct at dst for an entity. It returns false if the entity lacks a required component.
func (r *row) fill(w *ecs.World, e ecs.Entity, dst unsafe.Pointer) bool {
	n := w.Netcode()
	for i := range r.fields {
		f := &r.fields[i]
		p := n.Pointer(e, f.comp)
		switch {
		case p == nil && !f.optional:
			return false
		case f.pointer:
			*(*unsafe.Pointer)(unsafe.Add(dst, f.offset)) = p
		case f.size > 0:
			copy(unsafe.Slice((*byte)(unsafe.Add(dst, f.offset)), f.size), unsafe.Slice((*byte)(p), f.size))
		}
	}
	for _, at := range r.entity {
		*(*ecs.Entity)(unsafe.Add(dst, at)) = e
	}
	return true
}

// name sets the Viewer fields of the row struct at dst.
func (r *row) name(client uint32, dst unsafe.Pointer) {
	for _, at := range r.viewer {
		*(*Viewer)(unsafe.Add(dst, at)) = Viewer(client)
	}
}

// hash returns a hash of an entity and of the components that the row reads. It returns 0 if the entity lacks a required one.
func (r *row) hash(w *ecs.World, e ecs.Entity, h *maphash.Hash) uint64 {
	n := w.Netcode()
	h.Reset()
	h.Write(unsafe.Slice((*byte)(unsafe.Pointer(&e)), unsafe.Sizeof(e)))
	for i := range r.fields {
		f := &r.fields[i]
		p := n.Pointer(e, f.comp)
		switch {
		case p == nil && !f.optional:
			return 0
		case p == nil:
			h.WriteByte(0)
		default:
			h.WriteByte(1)
			h.Write(unsafe.Slice((*byte)(p), f.size))
		}
	}
	return max(h.Sum64(), 1)
}
