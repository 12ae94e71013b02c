package schema

import (
	"hash/fnv"
	"math"
	"reflect"
	"strings"
	"unsafe"
)

// MaxWords is the largest number of words of a component. Send larger values in a reliable message.
const MaxWords = 1024

// Fields gives net tags by field path ("Pos.X", "Slots[3]"), for types whose source you cannot tag. An entry replaces the
// struct tag of its field. An entry for a struct or an array replaces the tags of all values inside that have no own entry.
// The tags "count" and "text" of lists and texts remain, unless the entry is "-".
type Fields map[string]string

// Table describes a component. It never changes after [Compile] and is safe for concurrent use. Do not write to its fields.
type Table struct {
	// Name is the name of the component's type, without its package.
	Name string
	// Type is the component's type.
	Type reflect.Type
	// Size is the distance between neighbouring components in an array, in bytes.
	Size uintptr
	// Fields are the replicated values in the order of their offsets.
	Fields []Field
	// Server has the indices in Fields of the fields that the server decides.
	Server []int
	// Words is the number of words of a quantized component.
	Words int

	line    string
	hash    uint64
	rawSize int
}

// Line returns one line that peers compare to check that they agree on the component: its name, and the path, kind and
// canonical tag of each field. It does not include tolerances, which may differ between peers.
//
//	Position{X float32 -512..512 step 0.01; Y float32 -512..512 step 0.01}
func (t *Table) Line() string { return t.line }

// Hash returns the 64-bit FNV-1a of [Table.Line].
func (t *Table) Hash() uint64 { return t.hash }

// RawSize returns the number of bytes that [Table.AppendRaw] appends, which does not depend on the component's lists and
// texts.
func (t *Table) RawSize() int { return t.rawSize }

// WordBits returns the number of low bits that distinguish all values of word k, 0 ≤ k < Words. Words that [Table.Quantize]
// did not produce may need more bits.
func (t *Table) WordBits(k int) int {
	for i := range t.Fields {
		if f := &t.Fields[i]; k >= f.Word && k < f.Word+f.Words {
			return f.wordBits(k - f.Word)
		}
	}
	return 0
}

// describe sets line and hash.
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

// lowBits returns a mask of the n lowest bits, 0 ≤ n ≤ 64.
func lowBits(n int) uint64 { return 1<<n - 1 }

// Hash64 returns a hash of the component at p. It ignores padding, fields that are not replicated, memory after the end of
// lists and texts, and undefined flag bits. It treats −0 like 0, all NaNs alike, and the quaternions q and −q alike. Equal
// values in components with different [Table.Line] have different hashes. The hash is well mixed: sum the hashes of
// components whose order does not matter. It does not resist deliberate collisions.
func (t *Table) Hash64(p unsafe.Pointer) uint64 {
	h := t.hash
	for i := range t.Fields {
		f := &t.Fields[i]
		switch {
		case f.in != nil && !f.in.exists(p):
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

// hashFloat returns bits, the bits of x, or the canonical bits for zeros and NaNs.
func hashFloat(x float64, bits uint64) uint64 {
	switch {
	case x == 0:
		return 0
	case math.IsNaN(x):
		return 1<<64 - 1
	}
	return bits
}

// scramble is a bijection on 64 bits in which each bit of x changes about half of the bits of the result. It alternates
// shifts by half the width with multiplications by odd numbers.
func scramble(x uint64) uint64 {
	x ^= x >> 32
	x *= 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	x ^= x >> 32
	x *= 0xb504f333f9de6485 // 2^64 divided by the root of 2
	x ^= x >> 32
	return x
}
