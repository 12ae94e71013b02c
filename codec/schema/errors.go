package schema

import "errors"

var (
	// ErrPointer is returned by [CheckPlain] and [Compile] for a type that holds
	// a pointer, slice, string, map, interface, function or channel at any depth.
	ErrPointer = errors.New("schema: component holds a pointer")

	// ErrType is returned by [Compile] for a type that is not a struct, for a
	// field of a kind that cannot be replicated, and above [MaxWords].
	ErrType = errors.New("schema: type cannot be replicated")

	// ErrUntagged is returned by [Compile] for a field that no tag covers.
	ErrUntagged = errors.New("schema: field without a net tag")

	// ErrTag is returned by [Compile] for a tag that is not understood or does
	// not suit its field.
	ErrTag = errors.New("schema: bad net tag")

	// ErrUnknownField is returned by [Compile] for a path in [Fields] that the
	// type does not have.
	ErrUnknownField = errors.New("schema: no such field")

	// ErrRange is returned by [Table.ReadRaw] for a number outside its field's
	// range, infinite or not a number, for flags that there are not, for a list or
	// a text longer than its array, and for a direction far from length 1.
	ErrRange = errors.New("schema: value out of range")
)
