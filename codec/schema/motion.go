package schema

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"unsafe"
)

// Words of a tag that say how a value moves, for predictors: they change what is
// expected on the wire, and never what a value is.

// motion is what the words say.
type motion struct {
	linear, along, parent bool
	axis, rate            uint8 // 1, 2, 3 for x, y, z, or 0
	lined                 bool
	lines                 float64 // 0 for a step
}

const motionWords = `linear, axis x, rate x, lines T, along, parent`

// axes are the names of the directions in space.
var axes = []string{"x", "y", "z"}

// parse reads a word about motion and what belongs to it. It returns known false
// when word is none.
func (m *motion) parse(word string, words []string) (rest []string, known bool, err error) {
	var twice bool
	switch word {
	case "linear":
		twice, m.linear = m.linear, true
	case "along":
		twice, m.along = m.along, true
	case "parent":
		twice, m.parent = m.parent, true
	case "axis":
		twice = m.axis > 0
		m.axis, words, err = direction(word, words)
	case "rate":
		twice = m.rate > 0
		m.rate, words, err = direction(word, words)
	case "lines":
		twice, m.lined = m.lined, true
		if len(words) > 0 {
			if _, e := number(words[0]); e == nil {
				m.lines, words, err = positive(word, words, false)
			}
		}
	default:
		return words, false, nil
	}
	if twice {
		err = fmt.Errorf("%q stands twice", word)
	}
	return words, true, err
}

// direction reads the x, y or z that follows word.
func direction(word string, words []string) (axis uint8, rest []string, err error) {
	if len(words) > 0 {
		if i := slices.Index(axes, words[0]); i >= 0 {
			return uint8(i + 1), words[1:], nil
		}
	}
	return 0, words, fmt.Errorf("%q needs x, y or z after it", word)
}

// agree holds the words against those for what the value is.
func (m *motion) agree(t *tag) error {
	angle := t.angle || t.turn != 0
	number := t.ranged || angle
	for _, w := range []struct {
		word string
		has  bool
		ok   bool
		need string
	}{
		{"linear", m.linear, number, "a number in a range or an angle"},
		{"axis", m.axis > 0, number && !angle, "a number in a range that is no angle"},
		{"rate", m.rate > 0, number && !angle, "a number in a range that is no angle"},
		{"lines", m.lined, number, "a number in a range or an angle"},
		{"along", m.along, angle, "an angle"},
		{"parent", m.parent, t.form == FormRef, "a ref"},
	} {
		if w.has && !w.ok {
			return fmt.Errorf("%q needs %s before it", w.word, w.need)
		}
	}
	switch {
	case m.linear && m.axis > 0:
		return fmt.Errorf(`"linear" does not go with axis, which is linear already`)
	case m.linear && m.lined:
		return fmt.Errorf(`"linear" does not go with lines, which say how the value goes on`)
	case m.axis > 0 && m.rate > 0:
		return fmt.Errorf(`"axis" does not go with rate: a value is the one or the other`)
	}
	return nil
}

// spell hands the words to word, without the tolerance of lines.
func (m *motion) spell(word func(bool, string)) {
	word(m.linear, "linear")
	if m.axis > 0 {
		word(true, "axis "+axes[m.axis-1])
	}
	if m.rate > 0 {
		word(true, "rate "+axes[m.rate-1])
	}
	word(m.lined, "lines")
	word(m.along, "along")
	word(m.parent, "parent")
}

// moves settles what the words mean for the field.
func (f *Field) moves(m motion) error {
	f.Linear, f.Axis, f.Rate = m.linear || m.axis > 0, m.axis, m.rate
	f.Along, f.Parent = m.along, m.parent
	if f.Angle {
		f.zero = uint32(int64(math.Round(math.Mod(f.base/f.period, 1) * (1 << 32))))
	}
	if !m.lined {
		return nil
	}
	if f.Lines = m.lines; f.Lines == 0 {
		f.Lines = f.Step
	}
	most := float64(f.count/4) * f.Step
	if f.Lines < f.Step || f.Lines > most {
		return bad("lines %s: it must be at least a step, %s, and at most a quarter of the range, %s", decimal(f.Lines), decimal(f.Step), decimal(most))
	}
	f.Words, f.Bits = 2, f.Bits+32
	return nil
}

// alone refuses words that a component may have once, or not in a list.
func (t *Table) alone(f *Field) error {
	one := func(word string, has func(*Field) bool) error {
		if !has(f) {
			return nil
		}
		if f.in != nil {
			return bad("%q does not go with the elements of a list, which come and go", word)
		}
		if i := slices.IndexFunc(t.Fields, func(g Field) bool { return has(&g) }); i >= 0 {
			return bad("%q is what %s is already: a component has one", word, t.Fields[i].Path)
		}
		return nil
	}
	for i, name := range axes {
		axis := uint8(i + 1)
		if err := one("axis "+name, func(g *Field) bool { return g.Axis == axis }); err != nil {
			return err
		}
		if err := one("rate "+name, func(g *Field) bool { return g.Rate == axis }); err != nil {
			return err
		}
	}
	if err := one("along", func(g *Field) bool { return g.Along }); err != nil {
		return err
	}
	if err := one("parent", func(g *Field) bool { return g.Parent }); err != nil {
		return err
	}
	if f.Lines > 0 && f.in != nil {
		return bad(`"lines" does not go with the elements of a list, which come and go`)
	}
	return nil
}

// Values returns how many values the field has on the wire, words 0 to one less:
// an angle wraps at it. It is 0 for forms without a range.
func (f *Field) Values() int64 {
	if f.Form == FormUnit || f.Form == FormQuat {
		return 0
	}
	return int64(f.count)
}

// Turn returns the angle of a word, any word, as a part of a full turn of 2^32
// counted from the value 0. It is 0 for fields that are no angles.
func (f *Field) Turn(word int32) uint32 {
	if !f.Angle {
		return 0
	}
	n := int64(f.count)
	q := int64(word) % n
	if q < 0 {
		q += n
	}
	return uint32(uint64(q)<<32/uint64(n)) + f.zero
}

// Steps writes, for n components at src, how many steps above the first word the
// value of a field lies, given by its index in Fields: [Table.Quantize] rounds
// that. It is within −½ and the last word and a half, and 0 or the value closest to
// zero for a NaN. It panics for a field that does not have the form of a grid, or is
// a bool.
func (t *Table) Steps(field int, dst []float64, src unsafe.Pointer, n int) {
	f := &t.Fields[field]
	switch f.Kind {
	case reflect.Int8:
		steps[int8](f, dst, src, t.Size, n)
	case reflect.Uint8:
		steps[uint8](f, dst, src, t.Size, n)
	case reflect.Int16:
		steps[int16](f, dst, src, t.Size, n)
	case reflect.Uint16:
		steps[uint16](f, dst, src, t.Size, n)
	case reflect.Int32:
		steps[int32](f, dst, src, t.Size, n)
	case reflect.Uint32:
		steps[uint32](f, dst, src, t.Size, n)
	case reflect.Int64:
		steps[int64](f, dst, src, t.Size, n)
	case reflect.Uint64:
		steps[uint64](f, dst, src, t.Size, n)
	case reflect.Float32:
		steps[float32](f, dst, src, t.Size, n)
	case reflect.Float64:
		steps[float64](f, dst, src, t.Size, n)
	default:
		panic("schema: a bool has no steps")
	}
}

func steps[T numeric](f *Field, dst []float64, src unsafe.Pointer, size uintptr, n int) {
	if f.Form != FormGrid {
		panic("schema: a field of form " + f.Form.String() + " has no steps")
	}
	off := f.Offset
	for at := 0; ; at++ {
		at += stepKernel[T](dst[at:n], src, off+uintptr(at)*size, size, f.base, f.grain, f.limit)
		if at == n {
			return
		}
		dst[at] = f.fold((float64(*(*T)(unsafe.Add(src, off+uintptr(at)*size))) - f.base) / f.grain)
	}
}

// stepKernel writes steps up to the first that are outside, and returns how many.
// Like gridKernel it must not call anything.
//
//go:noinline
func stepKernel[T numeric](dst []float64, src unsafe.Pointer, off, size uintptr, lo, step, limit float64) int {
	for i := range dst {
		x := (float64(*(*T)(unsafe.Add(src, off))) - lo) / step
		if !(x >= -0.5 && x < limit) {
			return i
		}
		dst[i] = x
		off += size
	}
	return len(dst)
}

// fold brings a number of steps into the range, as outside does with words.
func (f *Field) fold(x float64) float64 {
	switch {
	case math.IsNaN(x) || f.Angle && math.IsInf(x, 0):
		return float64(f.restWord)
	case f.Angle:
		if x = math.Mod(x, f.count); x < -0.5 {
			x += f.count
		}
		if x >= f.limit {
			x -= f.count
		}
		return x
	}
	return min(max(x, 0), float64(f.top))
}

// clearLines writes the second word of lines: at rest.
func clearLines(dst []int32, w, stride, n int) {
	for range n {
		dst[w+1] = 0
		w += stride
	}
}
