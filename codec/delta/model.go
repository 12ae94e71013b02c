package delta

import (
	"reflect"
	"slices"

	"github.com/tactusgo/tactus/codec/internal/whole"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/internal/rangecoder"
)

// Model is a layout and a prior: the initial expectations of the coders about values. It never changes and can be shared.
type Model struct {
	layout  *Layout
	fields  [][]field // by component, in the order of the words
	start   []chance  // initial chances of the contexts in each block
	columns int       // number of columns of Raw and Zstd
	idle    [2]int    // start and end of the contexts that this layout never uses

	parents bool // some field is a parent ref
}

// kind is the way in which the words of a field are predicted and coded.
type kind uint8

const (
	kindNumber kind = iota // predicted as unchanged
	kindBool               // predicted as unchanged; one bit
	kindBits               // predicted as unchanged; coded as changed bits
	kindRef                // predicted as unchanged; a network id
	kindLinear             // predicted to continue its last change
	kindAxis               // a coordinate of the entity
	kindQuat               // the orientation of the entity, or another rotation
	kindLines              // a line: position and change per send
)

// field describes the coding of one field of a layout.
type field struct {
	kind   kind
	comp   int   // component
	index  int   // index in the fields of the component
	at     int   // first word in the record of the component; in a plan, of the entity
	words  int   // number of words
	ctx    int   // first context
	column int   // first column of Raw and Zstd
	count  int32 // number of values before it wraps, 0 if it does not wrap
	axis   int   // 1, 2, 3 for the x, y, z coordinate, else 0
	rate   int   // 1, 2, 3 for the change per second of x, y, z, else 0
	parent bool  // it is a parent ref
	step   float64
	quat   whole.QuatGrid
	schema *schema.Field // nil in raw layouts
}

// NewModel returns the model of a layout. If prior is nil or was not trained for this layout, the built-in prior is used.
func NewModel(l *Layout, prior *Prior) *Model {
	m := &Model{layout: l, columns: columnFields, idle: [2]int{ctxAxisA, ctxNumberB}}
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
			fs[i].ctx, fs[i].column = next, m.columns
			m.columns += fs[i].words
			next += fs[i].contexts()
			m.parents = m.parents || fs[i].parent
			if k := fs[i].kind; k == kindAxis || k == kindQuat {
				m.idle = [2]int{}
			}
		}
		m.fields = append(m.fields, fs)
	}
	m.start = make([]chance, next)
	m.setDefaults()
	prior.applyTo(m)
	return m
}

// Chances returns a copy of the initial chances of the contexts.
func (m *Model) Chances() []rangecoder.Chance { return slices.Clone(m.start) }

// rawFloats returns the words of a raw component that are one float32 each. They are predicted linearly as integers, which
// is accurate while the exponent of the float stays the same. Fields after the first list or text are skipped.
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

// kindSize returns the size of a number in bytes.
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

// newField returns the coding of a field of a table.
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

// wrap wraps an angle into its range.
func (f *field) wrap(v int32) int32 {
	if f.count > 0 {
		if v %= f.count; v < 0 {
			v += f.count
		}
	}
	return v
}

// minus returns v − pred, for angles the short way round.
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

// plus is the inverse of minus for words and predictions in the range of an angle. Any other residual also gives a word in
// the range.
func (f *field) plus(pred, d int32) int32 {
	v := pred + d
	if f.count > 0 && uint32(v) >= uint32(f.count) {
		v = f.wrap(v)
	}
	return v
}
