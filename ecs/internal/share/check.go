package share

import (
	"fmt"
	"reflect"
)

// Check panics with advice where t cannot be a row that workers share, in any protocol: it is no
// struct, writes nothing, or names a component twice. handle is the type of what names an entity,
// which is only read.
func Check(t, handle reflect.Type) {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("ecs: Rows: a row is a struct of pointers to components and component values, not %s", t))
	}
	named, writes := make(map[reflect.Type]bool), false
	for sf := range t.Fields() {
		ct := sf.Type
		if ct.Kind() == reflect.Pointer {
			ct, writes = ct.Elem(), true
			if ct == handle {
				panic(fmt.Sprintf("ecs: Rows: field %s.%s: an Entity is only read: write %s", t, sf.Name, ct))
			}
		}
		if named[ct] {
			panic(fmt.Sprintf("ecs: Rows: %s is in row %s twice: a pointer serves to read and to write", ct, t))
		}
		named[ct] = true
	}
	if !writes {
		panic(fmt.Sprintf("ecs: Rows: row %s has no pointer to a component, so its function can change nothing: what is written is a pointer, and what is only read a value", t))
	}
}
