package delta

import (
	"reflect"

	"github.com/tactusgo/tactus/codec/internal/whole"
	"github.com/tactusgo/tactus/codec/schema"
)

// Model is what coders expect of a layout's values before they have seen any: a
// layout and a prior. It does not change and may be shared.
type Model struct {
	layout     *Layout
	dictionary *Dictionary // of zstd, or nil
	fields     [][]field   // of each component, in the order of the words
	start      []chance    // of the contexts, before the first value of a block
	idle       [2]int      // from and to of those that no block touches

	parents bool // a field says what an entity is attached to
}

// kind is how the words of a field are predicted and coded.
type kind uint8

const (
	kindNumber kind = iota // held
	kindBool               // held, one bit
	kindBits               // held, single bits change
	kindRef                // held, an entity
	kindLinear             // goes on as it went
	kindAxis               // a coordinate of the entity's place
	kindQuat               // the orientation of an entity with a place, or a rotation
	kindLines              // a line: place and change per send
)

// field is how one field of a layout is coded.
type field struct {
	kind   kind
	comp   int   // component
	index  int   // in the component's fields
	at     int   // word in the component's record; of a plan's fields, in the entity's
	words  int   // number of words
	ctx    int   // first context
	count  int32 // values before it wraps, 0 if it does not
	axis   int   // 1, 2, 3 for x, y, z of the entity's place, else 0
	rate   int   // the same for the change per second
	parent bool  // it names the entity that this one is attached to
	step   float64
	quat   whole.QuatGrid
	schema *schema.Field // nil for raw layouts and for components without a table
}

// NewModel returns the model of a layout. The prior may be nil; one that was not
// trained for the layout is left out: the built-in prior stands for it.
func NewModel(l *Layout, prior *Prior) *Model {
	m := &Model{layout: l, idle: [2]int{ctxAxisA, ctxNumberB}}
	next := contexts
	for c, t := range l.tables {
		var fs []field
		switch {
		case t == nil:
		case l.raw:
			fs = make([]field, l.words[c])
			for i := range fs {
				fs[i] = field{kind: kindNumber, comp: c, index: i, at: i, words: 1}
			}
			for _, i := range rawFloats(t) {
				fs[i].kind = kindLinear
			}
		default:
			fs = make([]field, len(t.Fields))
			for i := range fs {
				fs[i] = newField(&t.Fields[i])
				fs[i].comp, fs[i].index = c, i
			}
		}
		for i := range fs {
			fs[i].ctx = next
			next += fs[i].contexts()
			m.parents = m.parents || fs[i].parent
			if k := fs[i].kind; k == kindAxis || k == kindQuat {
				m.idle = [2]int{}
			}
		}
		m.fields = append(m.fields, fs)
	}
	m.start = make([]chance, next)
	m.expect()
	prior.fill(m)
	return m
}

// rawFloats returns the words of a raw component that are a float32 each. The bits
// of one that goes on as it went do so too, as a whole number, as long as its
// exponent stays. What stands behind a list or a text is not looked at.
func rawFloats(t *schema.Table) (words []int) {
	at := 0
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.Form == schema.FormText || f.Form == schema.FormCount {
			break
		}
		for range f.Len {
			if f.Kind == reflect.Float32 && at%4 == 0 {
				words = append(words, at/4)
			}
			at += kindSize(f.Kind)
		}
	}
	return words
}

// kindSize is the size of a number in bytes.
func kindSize(k reflect.Kind) int {
	switch k {
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		return 1
	case reflect.Int16, reflect.Uint16:
		return 2
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		return 4
	}
	return 8
}

// newField returns how a field of a table is coded.
func newField(f *schema.Field) field {
	g := field{kind: kindNumber, at: f.Word, words: f.Words, step: f.Step, schema: f, axis: int(f.Axis), rate: int(f.Rate), parent: f.Parent}
	switch {
	case f.Lines > 0:
		g.kind = kindLines
	case f.Axis > 0 && f.Words == 1:
		g.kind = kindAxis
	case f.Form == schema.FormQuat:
		g.kind = kindQuat
		g.quat = whole.NewQuatGrid((f.Bits - 2) / 3)
	case f.Form == schema.FormRef:
		g.kind = kindRef
	case f.Form == schema.FormGrid && f.Bits == 1:
		g.kind = kindBool
	case f.Form == schema.FormFlags, f.Form == schema.FormText:
		g.kind = kindBits
	case f.Linear && f.Words == 1:
		g.kind = kindLinear
	}
	if n := f.Values(); f.Angle && f.Form == schema.FormGrid && n <= 1<<30 {
		g.count = int32(n)
	}
	return g
}

// wrap brings a value of an angle into its turn.
func (f *field) wrap(v int32) int32 {
	if f.count > 0 {
		if v %= f.count; v < 0 {
			v += f.count
		}
	}
	return v
}

// minus is the residual of a word, the short way if it wraps.
func (f *field) minus(v, pred int32) int32 {
	d := v - pred
	if f.count > 0 {
		if d > f.count/2 {
			d -= f.count
		} else if d < -(f.count / 2) {
			d += f.count
		}
	}
	return d
}

// plus is the opposite of minus, for words and predictions within the turn. Other
// residuals give words within the turn too.
func (f *field) plus(pred, d int32) int32 {
	v := pred + d
	if f.count > 0 && uint32(v) >= uint32(f.count) {
		v = f.wrap(v)
	}
	return v
}

// residual is what is written of a word.
func (f *field) residual(v, pred int32) int32 {
	if f.kind == kindBits {
		return v ^ pred
	}
	return f.minus(v, pred)
}

// restored is the opposite of residual.
func (f *field) restored(pred, d int32) int32 {
	if f.kind == kindBits {
		return pred ^ d
	}
	return f.plus(pred, d)
}
