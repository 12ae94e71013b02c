package schema

import (
	"hash/fnv"
	"math"
	"reflect"
	"strings"
	"unsafe"
)

// MaxWords is the largest number of words a component may have: what is larger
// is sent by reliable message.
const MaxWords = 1024

// Fields gives net tags by field path ("Pos.X", "Slots[3]"), for types that one
// cannot tag. An entry replaces the struct tag of its field; for a struct or an
// array it replaces those of everything inside that has no entry of its own. What
// a list or a text is made of stays so, unless the entry is "-".
type Fields map[string]string

// Table describes a component. It does not change after [Compile] and is safe for
// concurrent use; its fields are to be read only.
type Table struct {
	// Name is the name of the component's type, without its package.
	Name string
	// Type is the component's type.
	Type reflect.Type
	// Size is the distance between two components of an array, in bytes.
	Size uintptr
	// Fields are the replicated values in the order of their offsets.
	Fields []Field
	// Server are the fields that the server decides, by their index in Fields.
	Server []int
	// Words is the number of words of a quantized component.
	Words int

	line    string
	hash    uint64
	rawSize int
}

// Line returns the description of the component that two peers must agree on, one
// line: its name, and for each field path, kind and tag in canonical spelling.
// Tolerances are each peer's own and not part of it.
//
//	Position{X float32 -512..512 step 0.01; Y float32 -512..512 step 0.01}
func (t *Table) Line() string { return t.line }

// Hash returns the 64-bit FNV-1a of [Table.Line].
func (t *Table) Hash() uint64 { return t.hash }

// RawSize returns the number of bytes that [Table.AppendRaw] appends: the same for
// every component, whatever its lists and texts hold.
func (t *Table) RawSize() int { return t.rawSize }

// WordBits returns how many of the low bits of word k, 0 ≤ k < Words, tell all its
// values apart: what remains of it when it is packed alone. Words that do not come
// from [Table.Quantize] may need more.
func (t *Table) WordBits(k int) int {
	for i := range t.Fields {
		if f := &t.Fields[i]; k >= f.Word && k < f.Word+f.Words {
			return f.wordBits(k - f.Word)
		}
	}
	return 0
}

// describe fills in what is derived from all fields together.
func (t *Table) describe() {
	var b strings.Builder
	b.WriteString(t.Name)
	b.WriteByte('{')
	for i := range t.Fields {
		f := &t.Fields[i]
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(f.Path + " " + f.shape())
		if f.spelling != "" {
			b.WriteString(" " + f.spelling)
		}
	}
	b.WriteByte('}')
	t.line = b.String()
	h := fnv.New64a()
	h.Write([]byte(t.line))
	t.hash = h.Sum64()
}

// size returns the number of bytes of a value of kind k.
func size(k reflect.Kind) int {
	switch k {
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		return 1
	case reflect.Int16, reflect.Uint16:
		return 2
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		return 4
	case reflect.Int64, reflect.Uint64, reflect.Float64:
		return 8
	}
	return 0
}

func isFloat(k reflect.Kind) bool   { return k == reflect.Float32 || k == reflect.Float64 }
func isSigned(k reflect.Kind) bool  { return reflect.Int <= k && k <= reflect.Int64 }
func isInteger(k reflect.Kind) bool { return size(k) > 0 && !isFloat(k) && k != reflect.Bool }

// lowBits is a mask of the n lowest bits, 0 ≤ n ≤ 64: a shift by 64 leaves none.
func lowBits(n int) uint64 { return 1<<n - 1 }

// Hash64 returns a hash of the values of the component at p. Padding and fields
// that are not replicated have no part in it, nor has what lies past the end of a
// list or a text, nor bits that flags do not have; −0 hashes like 0, every NaN like
// every other, and the quaternion q like −q; equal values in components of another
// [Table.Line] hash differently. It is well mixed, so the hashes of many components
// may be summed when their order is not to matter. It is no defence against someone
// who wants two states to collide.
func (t *Table) Hash64(p unsafe.Pointer) uint64 {
	h := t.hash
	for i := range t.Fields {
		f := &t.Fields[i]
		switch {
		case f.in != nil && !f.in.there(p):
		case f.Form == FormUnit || f.Form == FormQuat:
			h = f.space.hash(h, f.vector(p))
		case f.Form == FormText:
			h = f.hashText(h, p)
		case isFloat(f.Kind):
			v := f.load(p)
			h = scramble(h ^ hashFloat(f.number(v), v))
		default:
			h = scramble(h ^ f.load(p)&f.mask)
		}
	}
	return scramble(h)
}

// hashFloat returns the bits of x, or those that stand for all its equals.
func hashFloat(x float64, bits uint64) uint64 {
	switch {
	case x == 0:
		return 0
	case math.IsNaN(x):
		return 1<<64 - 1
	}
	return bits
}

// scramble is a bijection on 64 bits in which each bit of x moves about half of
// the result: xor-shifts by half the width between odd multipliers.
func scramble(x uint64) uint64 {
	x ^= x >> 32
	x *= 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	x ^= x >> 32
	x *= 0xb504f333f9de6485 // 2^64 divided by the root of 2
	x ^= x >> 32
	return x
}
