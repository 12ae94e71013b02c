package delta

import (
	"math"
	"math/bits"
	"reflect"

	"github.com/tactusgo/tactus/codec/schema"
)

// Model is what coders expect of a layout's values before they have seen any: a
// layout and a prior. It does not change and may be shared.
type Model struct {
	layout     *Layout
	dictionary *Dictionary // of zstd, or nil
	fields     [][]field   // of each component, in the order of the words
	start      []chance    // of the contexts, before the first value of a block

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
	axis   int   // 1, 2, 3 for x, y, z, else 0
	rate   int   // the same for the change per second
	parent bool
	step   float64
	quat   quatGrid
	schema *schema.Field // nil for raw layouts and for components without a table
}

// NewModel returns the model of a layout. The prior may be nil; one that was not
// trained for the layout is left out: the built-in prior stands for it.
func NewModel(l *Layout, prior *Prior) *Model {
	m := &Model{layout: l}
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
		g.quat = newQuatGrid((f.Bits - 2) / 3)
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

// plan is how the entities with one component mask are coded: their fields in
// coding order, each after those that its prediction needs.
type plan struct {
	mask   uint64
	words  int
	fields []field // all of them
	plain  int     // so many come before those of the motion
	lines  int     // so many come before those that are lines

	parent int    // word of the ref to the entity that it is attached to, or −1
	place  [3]int // words of x, y and z, or −1
	grid   [3]float64
	rates  [3]rate // of x, y and z
	rated  bool    // one of them is there
	turn   int     // word of the orientation, or −1
	quat   *quatGrid
	flag   int  // word of the first bool, or −1
	quats  int  // fields that are rotations
	steers bool // place or orientation can be predicted in more than one way

	last  []int32 // the last entity without baseline
	block uint32  // in which block that was
}

// rate is a word that says how fast a coordinate changes: by zero + slope·word
// words a send, in 65,536ths.
type rate struct {
	at          int // word, or −1
	zero, slope int64
}

// rate notes that f is the rate of a coordinate, with so many sends a second.
func (p *plan) rate(f *field, sends int) {
	i := f.rate - 1
	if p.place[i] < 0 || p.rates[i].at >= 0 || sends <= 0 || p.grid[i] <= 0 {
		return
	}
	words := 65536 / (p.grid[i] * float64(sends)) // for one unit a second
	zero, slope := math.Round(f.schema.Min*words), math.Round(f.schema.Step*words)
	if math.Abs(zero) < 1<<40 && slope > 0 && slope < 1<<24 {
		p.rates[i] = rate{f.at, int64(zero), int64(slope)}
		p.rated = true
	}
}

// newPlan returns the plan of a component mask, which must be known.
func newPlan(m *Model, mask uint64) *plan {
	p := &plan{mask: mask, words: m.layout.RecordWords(mask), parent: -1, place: [3]int{-1, -1, -1}, turn: -1, flag: -1}
	for i := range p.rates {
		p.rates[i].at = -1
	}
	add := func(want func(f *field) bool) {
		at := 0
		for s := mask; s != 0; s &= s - 1 {
			c := bits.TrailingZeros64(s)
			for i := range m.fields[c] {
				f := m.fields[c][i]
				f.at += at
				if want(&f) {
					p.fields = append(p.fields, f)
				}
			}
			at += m.layout.words[c]
		}
	}
	add(func(f *field) bool { return f.parent })
	add(func(f *field) bool { return !f.parent && (f.kind < kindLinear || f.kind == kindLinear && f.rate > 0) })
	p.plain = len(p.fields)
	add(func(f *field) bool { return f.kind == kindLinear && f.rate == 0 })
	add(func(f *field) bool { return f.kind == kindAxis })
	add(func(f *field) bool { return f.kind == kindQuat })
	p.lines = len(p.fields)
	add(func(f *field) bool { return f.kind == kindLines })
	for i := range p.fields {
		switch f := &p.fields[i]; {
		case f.parent && p.parent < 0:
			p.parent = f.at
		case f.axis > 0 && p.place[f.axis-1] < 0:
			p.place[f.axis-1], p.grid[f.axis-1] = f.at, f.step
		case f.kind == kindQuat && p.turn < 0:
			p.turn, p.quat = f.at, &f.quat
		}
	}
	for _, f := range p.fields {
		p.steers = p.steers || f.kind == kindAxis || f.kind == kindQuat
		if f.rate > 0 && f.kind <= kindLinear && f.words == 1 {
			p.rate(&f, m.layout.rate)
		}
		if f.kind == kindQuat {
			p.quats++
		}
		if f.kind == kindBool && p.flag < 0 {
			p.flag = f.at
		}
	}
	return p
}
