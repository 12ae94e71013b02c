package snapshot

import (
	"math"
	"math/bits"

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

// newField returns how a field of a table is coded.
func newField(f *schema.Field) field {
	g := field{kind: kindNumber, at: f.Word, words: f.Words, step: f.Step, schema: f, axis: int(f.Axis), parent: f.Parent}
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
	if f.Angle && f.Form == schema.FormGrid && f.Step > 0 {
		if n := math.Round((f.Max-f.Min)/f.Step) + 1; n <= 1<<30 {
			g.count = int32(n)
		}
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
	turn   int // word of the orientation, or −1
	quat   *quatGrid
	flag   int  // word of the first bool, or −1
	quats  int  // fields that are rotations
	steers bool // place or orientation can be predicted in more than one way

	last  []int32 // the last entity without baseline
	block uint32  // in which block that was
}

// newPlan returns the plan of a component mask, which must be known.
func newPlan(m *Model, mask uint64) *plan {
	p := &plan{mask: mask, words: m.layout.RecordWords(mask), parent: -1, place: [3]int{-1, -1, -1}, turn: -1, flag: -1}
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
	add(func(f *field) bool { return !f.parent && f.kind < kindLinear })
	p.plain = len(p.fields)
	add(func(f *field) bool { return f.kind == kindLinear })
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
		if f.kind == kindQuat {
			p.quats++
		}
		if f.kind == kindBool && p.flag < 0 {
			p.flag = f.at
		}
	}
	return p
}
