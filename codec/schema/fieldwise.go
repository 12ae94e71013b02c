package schema

import (
	"math"
	"reflect"
	"unsafe"
)

// Differs reports whether one field, given by its index in Fields, differs in the
// components at a and b by more than its tolerance, as in [Table.Compare].
func (t *Table) Differs(field int, a, b unsafe.Pointer) bool {
	return t.Fields[field].compareRows(a, b, t.Size, 1) == 0
}

// Apart is how far the values of one field, given by its index in Fields, are apart in
// the components at a and b, in the field's unit: angles the short way, directions and
// rotations by the angle between them in radians. It reports false for what is no
// number: bools, enums, flags, refs and texts, and what is not finite.
func (t *Table) Apart(field int, a, b unsafe.Pointer) (distance float64, number bool) {
	f := &t.Fields[field]
	switch f.Form {
	case FormEnum, FormFlags, FormRef, FormText:
		return 0, false
	}
	if f.Kind == reflect.Bool || f.in != nil && (!f.in.there(a) || !f.in.there(b)) {
		return 0, false
	}
	d := math.Abs(t.apart(field, a, b))
	return d, d-d == 0
}
