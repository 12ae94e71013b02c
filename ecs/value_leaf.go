package ecs

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

// valueLeaf is a number or bool somewhere in a component.
type valueLeaf struct {
	path   string // "Slots[3].Item"
	offset uintptr
	typ    reflect.Type
	was    []string // earlier paths, see saveTag
	preset []byte   // the value where a save has none; nil: zero
}

// appendLeaves appends the leaves of a type without pointers, in the order of memory. was has the earlier paths of the
// value at path, and preset its default in saves.
func appendLeaves(to []valueLeaf, t reflect.Type, path string, offset uintptr, was []string, preset string) (_ []valueLeaf, err error) {
	switch t.Kind() {
	case reflect.Struct:
		for f := range t.Fields() {
			if f.Name == "_" {
				continue
			}
			tag, err := parseSaveTag(f)
			if err != nil {
				return nil, err
			}
			earlier := joinPaths(was, f.Name)
			for _, name := range tag.was {
				earlier = append(append(earlier, joinPath(path, name)), joinPaths(was, name)...)
			}
			if len(earlier) > maxSaveNames {
				return nil, fmt.Errorf("%s: more than %d earlier names in save tags", joinPath(path, f.Name), maxSaveNames)
			}
			if to, err = appendLeaves(to, f.Type, joinPath(path, f.Name), offset+f.Offset, earlier, tag.preset); err != nil {
				return nil, err
			}
		}
		if preset != "" {
			return nil, fmt.Errorf("%s: bad save tag: default %s is for a number or a bool", path, preset)
		}
	case reflect.Array:
		for i := range t.Len() {
			index := fmt.Sprintf("[%d]", i)
			if to, err = appendLeaves(to, t.Elem(), joinPath(path, index), offset+uintptr(i)*t.Elem().Size(), joinPaths(was, index), preset); err != nil {
				return nil, err
			}
		}
	default:
		value, err := parsePreset(t, preset)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		to = append(to, valueLeaf{path, offset, t, was, value})
	}
	return to, nil
}

// joinPaths returns the paths of a field in outer values.
func joinPaths(outer []string, inner string) (paths []string) {
	for _, path := range outer {
		paths = append(paths, joinPath(path, inner))
	}
	return paths
}

func joinPath(outer, inner string) string {
	if outer == "" || inner[0] == '[' {
		return outer + inner
	}
	return outer + "." + inner
}

// bits returns the value of a leaf in the component at p, as a number that is equal for equal values: −0 counts as 0, and
// one NaN as any other.
func (l *valueLeaf) bits(p unsafe.Pointer) uint64 {
	p = unsafe.Add(p, l.offset)
	switch k := l.typ.Kind(); {
	case k == reflect.Float32:
		return canonicalBits(float64(*(*float32)(p)))
	case k == reflect.Float64:
		return canonicalBits(*(*float64)(p))
	case l.typ.Size() == 1:
		return uint64(*(*uint8)(p))
	case l.typ.Size() == 2:
		return uint64(*(*uint16)(p))
	case l.typ.Size() == 4:
		return uint64(*(*uint32)(p))
	case k == reflect.Complex64:
		return mix64(canonicalBits(float64(*(*float32)(p)))) + canonicalBits(float64(*(*float32)(unsafe.Add(p, 4))))
	case k == reflect.Complex128:
		return mix64(canonicalBits(*(*float64)(p))) + canonicalBits(*(*float64)(unsafe.Add(p, 8)))
	}
	return *(*uint64)(p)
}

// canonicalBits returns the bits of a float, equal for equal values.
func canonicalBits(x float64) uint64 {
	switch {
	case x == 0:
		return 0
	case x != x:
		return math.MaxUint64
	}
	return math.Float64bits(x)
}

// text returns the value of a leaf for people.
func (l *valueLeaf) text(p unsafe.Pointer) string {
	return fmt.Sprint(reflect.NewAt(l.typ, unsafe.Add(p, l.offset)).Elem())
}

// memory returns the memory of a leaf in the component at p.
func (l *valueLeaf) memory(p unsafe.Pointer) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(p, l.offset)), l.typ.Size())
}
