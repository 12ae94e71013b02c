package interest

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/frames"
)

// sameAs implements [Same].
type sameAs[T comparable] struct{}

// Same returns the interest in entities with the same value of component T as one of the client's own entities.
func Same[T comparable]() Interest { return sameAs[T]{} }

func (sameAs[T]) compile(p *Program) (node, error) {
	comp, err := component[T](p, "Same")
	if err != nil {
		return node{}, err
	}
	if i := slices.IndexFunc(p.sames, func(x *same) bool { return x.comp == comp }); i >= 0 {
		return node{op: opSame, leaf: i}, nil
	}
	values := map[T]*value{}
	next := int32(0)
	x := &same{comp: comp, size: unsafe.Sizeof(*new(T)), values: map[int32]*value{}}
	x.find = func(p unsafe.Pointer) int32 {
		if v := values[*(*T)(p)]; v != nil {
			return v.number
		}
		return -1
	}
	x.number = func(p unsafe.Pointer) int32 {
		v := values[*(*T)(p)]
		if v == nil {
			next++
			key := *(*T)(p)
			v = &value{number: next, forget: func() { delete(values, key) }}
			values[key], x.values[next] = v, v
		}
		return v.number
	}
	if err = p.addLeaf(); err != nil {
		return node{}, err
	}
	p.sames = append(p.sames, x)
	return node{op: opSame, leaf: len(p.sames) - 1}, nil
}

// value is a value of a component in the newest frame.
type value struct {
	number int32  // never reused
	seen   []Seen // entities with the value in the newest frame
	forget func()
}

// same is a compiled Same.
type same struct {
	comp   *ecs.Component
	size   uintptr                      // of the component
	find   func(p unsafe.Pointer) int32 // the number of a value, -1 if no entity has it
	number func(p unsafe.Pointer) int32 // like find, but assigns a number to a new value
	values map[int32]*value             // by number
	has    []uint64                     // by group: slots of the entities with the component
}

// sort lists the entities of a frame by value, and removes values without entities.
func (s *same) sort(p *Program, f *frames.Frame) {
	for _, v := range s.values {
		v.seen = v.seen[:0]
	}
	s.has = p.find(f, s.comp, s.has, func(group, slot int, at unsafe.Pointer) {
		v, bit := s.values[s.number(at)], uint64(1)<<slot
		if last := len(v.seen) - 1; last >= 0 && v.seen[last].Group == group {
			v.seen[last].Slots |= bit
		} else {
			v.seen = append(v.seen, Seen{Group: group, Slots: bit})
		}
	})
	for number, v := range s.values {
		if len(v.seen) == 0 {
			v.forget()
			delete(s.values, number)
		}
	}
}

// typeName returns the name of a type with its package, as protocols use it.
func typeName[T any]() string { return fmt.Sprintf("%T", *new(T)) }

// component returns the component T of an operand. It returns an error if the protocol has no such component.
func component[T any](p *Program, operand string) (*ecs.Component, error) {
	if c := ecs.ComponentOf[T](p.protocol); c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("%w: %s[%s]: the protocol has no such component; register it", ErrInterest, operand, typeName[T]())
}
