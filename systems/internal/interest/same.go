package interest

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// sameAs is Same.
type sameAs[T comparable] struct{}

// Same is the interest in what has the same component T as an entity of the client's own.
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
	x := &same{leaf: leaf{comp: comp, size: unsafe.Sizeof(*new(T))}, values: map[int32]*value{}, groups: index{first: map[key]int32{}}}
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
	if x.slot, err = p.leaf(); err != nil {
		return node{}, err
	}
	p.sames = append(p.sames, x)
	return node{op: opSame, leaf: len(p.sames) - 1}, nil
}

// value is a value of a component that entities have.
type value struct {
	number int32 // never given twice
	homes  int   // that have it
	forget func()
}

// same is a Same made ready.
type same struct {
	leaf
	find   func(p unsafe.Pointer) int32 // the number of a value, -1 where no entity has it
	number func(p unsafe.Pointer) int32 // the same, and gives it one

	values map[int32]*value
	groups index // of the newest frame, by number
}

// release notes that a home has a value no more. One that none has is forgotten.
func (s *same) release(n int32) {
	v := s.values[n]
	if v.homes--; v.homes == 0 {
		v.forget()
		delete(s.values, n)
	}
}

// typeName is a type's name as protocols have it.
func typeName[T any]() string { return fmt.Sprintf("%T", *new(T)) }

// component finds the component of an operand.
func component[T any](p *Program, operand string) (*ecs.Component, error) {
	if c := ecs.ComponentOf[T](p.protocol); c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("%w: %s[%s]: the protocol has no such component; register it", ErrInterest, operand, typeName[T]())
}
