package schema

import (
	"fmt"
	"reflect"
)

// CheckPlain returns nil if values of type t can be stored and moved as bytes: no
// pointer, slice, string, map, interface, function, channel or unsafe.Pointer at
// any depth. Storage copies components without telling the garbage collector, so
// what a pointer in one points to could be freed under it. Otherwise the error
// wraps [ErrPointer] and names the offending field by its path.
func CheckPlain(t reflect.Type) error {
	if t == nil {
		return fmt.Errorf("%w: no type given", ErrType)
	}
	return checkPlain(t, t, "")
}

func checkPlain(root, t reflect.Type, path string) error {
	switch t.Kind() {
	case reflect.Array:
		return checkPlain(root, t.Elem(), path+"[]")
	case reflect.Struct:
		for f := range t.Fields() {
			if err := checkPlain(root, f.Type, join(path, f.Name)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Pointer, reflect.Slice, reflect.String, reflect.Map, reflect.Interface,
		reflect.Func, reflect.Chan, reflect.UnsafePointer:
		where := "the type itself"
		if path != "" {
			where = "field " + path
		}
		return fmt.Errorf("%w: %v: %s is a %v (%v): components hold numbers, bools, arrays and structs of them; keep the rest outside the world, or send it by reliable message",
			ErrPointer, root, where, t.Kind(), t)
	}
	return nil
}

// join appends a field name to a path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
