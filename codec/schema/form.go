package schema

import "fmt"

// Form is how a field is made of memory and of words.
type Form uint8

// The forms. Each has a tag of its own name, but for the grid.
const (
	// FormGrid is a number in a range, or a bool: one word, the number of steps
	// above the smallest value.
	FormGrid Form = iota
	// FormRaw is all bits of the type: one word up to 32 bits, two (low, high)
	// for 64.
	FormRaw
	// FormRef is the NetID of an entity, 0 for none: one word of 32 bits.
	FormRef
	// FormEnum is one of the values 0..n−1: one word.
	FormEnum
	// FormFlags is bits that mean something each: one word up to 32 of them, two
	// (low, high) above.
	FormFlags
	// FormUnit is a direction in the plane (one word) or in space (two).
	FormUnit
	// FormQuat is a rotation in space: four words.
	FormQuat
	// FormCount is the number of elements of a list: one word. The elements are
	// fields of their own.
	FormCount
	// FormText is text of bounded length: a word for its length in bytes, then
	// its bytes, four to a word, the first lowest.
	FormText
)

// String returns the name of the form, as its tag spells it.
func (f Form) String() string {
	if f > FormText {
		return fmt.Sprintf("form %d", uint8(f))
	}
	return [...]string{"grid", "raw", "ref", "enum", "flags", "unit", "quat", "count", "text"}[f]
}
