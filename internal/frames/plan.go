package frames

import (
	"math"
	"math/bits"
	"reflect"
	"slices"

	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
)

// plan describes how entities with one set of components are captured.
type plan struct {
	mask  uint64
	width int // words of a record
	parts []part
	sets  []set // the ones with a heading come first
	lines int   // number of fields that are sent as lines
	cols  []column
}

// part is a component in a record.
type part struct {
	comp *ecs.Component
	at   int
}

// set is a group of fields whose lines bend together: the axes of an entity's position, or a single field. Its fields are all in the
// same restricted set, or in none.
type set struct {
	fields []lineField
	// The angle along which the first two fields move: its word and its field; nil: none.
	along *schema.Field
	angle int
	met   met // of one entity at a time if receivers may not see all of them
}

// met stores recent courses, and recent paces along the heading.
type met struct {
	usual [16][3]int32
	paces [4]int32
	next  int // index in usual to replace next
	pace  int // index in paces to replace next
}

// lineField is a field that is sent as a line.
type lineField struct {
	line  int // its index in the plan
	word  int // index in the record: place, then change
	slack float64
	noise float64 // rounding error of the change per send
	turn  int64   // words of a full turn, 0 if the field is not an angle
}

// column is the source of the values of a line field.
type column struct {
	comp  *ecs.Component
	field int
}

// planOf returns the plan for a component mask. It tries guess first.
func (r *Ring) planOf(mask uint64, guess *plan) *plan {
	if guess != nil && guess.mask == mask {
		return guess
	}
	p := r.plans[mask]
	if p == nil {
		p = r.newPlan(mask)
		r.plans[mask] = p
	}
	return p
}

func (r *Ring) newPlan(mask uint64) *plan {
	p := &plan{mask: mask, width: r.layout.RecordWords(mask)}
	places := make([]placing, len(r.restricted)+1)
	for m := mask; m != 0; m &= m - 1 {
		c := r.comps[bits.TrailingZeros64(m)]
		if c.Words == 0 {
			continue
		}
		at, place := r.layout.Offset(mask, c.Replicated()), &places[r.restrictedSet(c)]
		p.parts = append(p.parts, part{c, at})
		for i := range c.Schema.Fields {
			f := &c.Schema.Fields[i]
			if f.Along && place.angle == nil {
				place.angle, place.word = f, at+f.Word
			}
			if f.Lines == 0 {
				continue
			}
			l := lineField{line: p.lines, word: at + f.Word, slack: f.Lines / f.Step}
			if far := float32(max(math.Abs(f.Min), math.Abs(f.Max))); f.Kind == reflect.Float32 {
				l.noise = float64(r.steps) * float64(math.Nextafter32(far, math.MaxFloat32)-far) / f.Step
			}
			if f.Angle {
				l.turn = f.Values()
			}
			p.lines++
			p.cols = append(p.cols, column{c, i})
			switch {
			case f.Axis > 0 && place.grid[f.Axis-1] == 0:
				place.axes[f.Axis-1], place.grid[f.Axis-1] = l, f.Step
			case f.Along:
				p.sets = append([]set{{fields: []lineField{l}}}, p.sets...)
			default:
				p.sets = append(p.sets, set{fields: []lineField{l}})
			}
		}
	}
	for i := range places {
		if s := places[i].set(); len(s.fields) > 0 {
			p.sets = append(p.sets, s)
		}
	}
	return p
}

// placing is the position of an entity, as far as it is in one restricted set.
type placing struct {
	axes  [3]lineField
	grid  [3]float64    // steps of the axes; 0: no such axis
	angle *schema.Field // the heading
	word  int           // of angle
}

// set returns the set of the position.
func (x *placing) set() (s set) {
	for i := range x.axes {
		if x.grid[i] > 0 {
			s.fields = append(s.fields, x.axes[i])
		}
	}
	if x.angle != nil && x.grid[0] > 0 && x.grid[0] == x.grid[1] {
		s.along, s.angle = x.angle, x.word
	}
	return s
}

// restrictedSet returns 1 plus the index of the restricted set of a component, 0 for none.
func (r *Ring) restrictedSet(c *ecs.Component) int {
	return 1 + slices.IndexFunc(r.restricted, func(set uint64) bool { return set>>c.Replicated()&1 != 0 })
}

// find returns the index of the set that equals set i of another plan, -1 for none.
func (p *plan) find(of *plan, i int) int {
	s := &of.sets[i]
	return slices.IndexFunc(p.sets, func(x set) bool {
		return x.along == s.along && slices.EqualFunc(x.fields, s.fields, func(a, b lineField) bool { return p.cols[a.line] == of.cols[b.line] })
	})
}

// truths appends the values of a table's line fields in steps, field by field.
func (p *plan) truths(dst []float64, t ecs.Table) []float64 {
	if p.lines == 0 {
		return dst
	}
	at, rows := len(dst), len(t.Entities)
	dst = reuse.Longer(dst, at+rows*p.lines)
	for i, c := range p.cols {
		c.comp.Schema.Steps(c.field, dst[at+i*rows:][:rows], t.Column(c.comp), rows)
	}
	return dst
}
