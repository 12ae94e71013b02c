package interest

import (
	"fmt"
	"hash/maphash"
	"reflect"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// row is a row struct of a filter, made ready for a world.
type row struct {
	fields []rowField
	entity []uintptr // offsets of the fields that are the entity itself
	viewer []uintptr // and the client
	free   bool      // it needs no component
}

// Viewer is the number of a client, as a field of Me.
type Viewer uint32

// rowField is a field that is a component: a pointer to it, or its value.
type rowField struct {
	comp     *ecs.Component
	offset   uintptr
	size     uintptr
	pointer  bool
	optional bool
}

// rowOf looks at the fields of a row struct.
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

// fill makes dst, which is a row struct, the row of an entity; it reports false where that
// lacks a component.
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

// name puts a client into a row struct.
func (r *row) name(client uint32, dst unsafe.Pointer) {
	for _, at := range r.viewer {
		*(*Viewer)(unsafe.Add(dst, at)) = Viewer(client)
	}
}

// hash is a hash of an entity and of the bytes that its row shows; 0 where it has none.
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
