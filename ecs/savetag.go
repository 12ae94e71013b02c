package ecs

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// saveTag is the struct tag save of a field, which [Netcode.Load] reads:
//
//	Hull  int32    `save:"was Health was HP"` // earlier names of the field, the latest first
//	Lives uint8    `save:"default 3"`         // the value where a save has no such field
//	_     struct{} `save:"was Ship"`          // on a blank field: earlier names of the component
//
// A name and its default can stand in one tag.
type saveTag struct {
	was    []string
	preset string // "": zero
}

// maxSaveNames is the largest number of earlier paths of a value.
const maxSaveNames = 16

// parseSaveTag parses the tag of a field.
func parseSaveTag(f reflect.StructField) (t saveTag, err error) {
	words := strings.Fields(f.Tag.Get("save"))
	for ; len(words) >= 2; words = words[2:] {
		switch words[0] {
		case "was":
			t.was = append(t.was, words[1])
			continue
		case "default":
			if t.preset = words[1]; f.Name != "_" {
				continue
			}
		}
		break
	}
	if len(words) > 0 {
		return t, fmt.Errorf("%s: bad save tag at %q: write \"was NAME\" or \"default VALUE\"", f.Name, words[0])
	}
	return t, nil
}

// earlierNames returns the names that the save tags of the blank fields of a component type give it.
func earlierNames(t reflect.Type) (names []string, err error) {
	if t.Kind() != reflect.Struct {
		return nil, nil
	}
	for f := range t.Fields() {
		if f.Name == "_" {
			tag, err := parseSaveTag(f)
			if err != nil {
				return nil, err
			}
			names = append(names, tag.was...)
		}
	}
	return names, nil
}

// parsePreset returns the bytes of a default in memory.
func parsePreset(t reflect.Type, text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	v, bits := reflect.New(t).Elem(), int(t.Size())*8
	var err error
	switch {
	case t.Kind() == reflect.Bool:
		var x bool
		x, err = strconv.ParseBool(text)
		v.SetBool(x)
	case v.CanInt():
		var x int64
		x, err = strconv.ParseInt(text, 0, bits)
		v.SetInt(x)
	case v.CanUint():
		var x uint64
		x, err = strconv.ParseUint(text, 0, bits)
		v.SetUint(x)
	case v.CanFloat():
		var x float64
		x, err = strconv.ParseFloat(text, bits)
		v.SetFloat(x)
	default:
		err = fmt.Errorf("%s has no default", t)
	}
	if err != nil {
		return nil, fmt.Errorf("bad save tag: default %s: %w", text, err)
	}
	l := valueLeaf{typ: t}
	return append([]byte(nil), l.memory(v.Addr().UnsafePointer())...), nil
}

// savedKind is the kind of a number or bool in a save. Kinds whose size depends on the machine have the kind of their size.
type savedKind uint8

func savedKindOf(t reflect.Type) savedKind {
	k := t.Kind()
	switch {
	case k == reflect.Int && t.Size() == 4:
		k = reflect.Int32
	case k == reflect.Int:
		k = reflect.Int64
	case (k == reflect.Uint || k == reflect.Uintptr) && t.Size() == 4:
		k = reflect.Uint32
	case k == reflect.Uint || k == reflect.Uintptr:
		k = reflect.Uint64
	}
	return savedKind(k)
}

func (k savedKind) String() string { return reflect.Kind(k).String() }

// savedSizes are the sizes of values in bytes, by kind.
var savedSizes = [...]uint8{
	reflect.Bool: 1, reflect.Int8: 1, reflect.Uint8: 1, reflect.Int16: 2, reflect.Uint16: 2, reflect.Int32: 4, reflect.Uint32: 4,
	reflect.Float32: 4, reflect.Int64: 8, reflect.Uint64: 8, reflect.Float64: 8, reflect.Complex64: 8, reflect.Complex128: 16,
}

// size returns the size of a value in bytes, 0 for an unknown kind.
func (k savedKind) size() int {
	if int(k) < len(savedSizes) {
		return int(savedSizes[k])
	}
	return 0
}

func (k savedKind) signed() bool {
	return reflect.Kind(k) >= reflect.Int8 && reflect.Kind(k) <= reflect.Int64
}

func (k savedKind) unsigned() bool {
	return reflect.Kind(k) >= reflect.Uint8 && reflect.Kind(k) <= reflect.Uint64
}

// widensTo reports whether every value of k is a value of to.
func (k savedKind) widensTo(to savedKind) bool {
	switch {
	case k == to:
		return true
	case k.signed():
		return to.signed() && to.size() > k.size()
	case k.unsigned():
		return (to.signed() || to.unsigned()) && to.size() > k.size()
	}
	return reflect.Kind(k) == reflect.Float32 && reflect.Kind(to) == reflect.Float64
}

// widen writes a saved value, in little-endian bytes, to the memory of a value of kind to. k.widensTo(to) must hold.
func (k savedKind) widen(dst []byte, to savedKind, src []byte) {
	copy(dst, src)
	switch {
	case k == to:
	case k.signed():
		fill := byte(int8(src[len(src)-1]) >> 7)
		for i := len(src); i < len(dst); i++ {
			dst[i] = fill
		}
	case k.unsigned():
		clear(dst[len(src):])
	default:
		wide := float64(math.Float32frombits(binary.LittleEndian.Uint32(src)))
		binary.LittleEndian.PutUint64(dst, math.Float64bits(wide))
	}
}
