package capture

import (
	"math"
	"math/bits"
	"reflect"

	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
)

// plan describes how entities with one set of components are captured.
type plan struct {
	mask       uint64
	restricted uint8 // bits of the restricted sets with components in mask
	width      int   // words of a record
	parts      []part
	sets       []set // the one with the heading comes first
	lines      int   // number of fields that are sent as lines
	cols       []column
}

// part is a component in a record.
type part struct {
	comp *ecs.Component
	at   int
}

// set is a group of fields whose lines bend together: the axes of an entity's position, or a single field.
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
	p := &plan{mask: mask, restricted: r.restrictions.setsOf(mask), width: r.layout.RecordWords(mask)}
	var axes [3]lineField
	var grid [3]float64 // 0: no such axis
	var angle *schema.Field
	angleWord := 0
	for m := mask; m != 0; m &= m - 1 {
		c := r.comps[bits.TrailingZeros64(m)]
		if c.Words == 0 {
			continue
		}
		at := r.layout.Offset(mask, c.Replicated())
		p.parts = append(p.parts, part{c, at})
		for i := range c.Schema.Fields {
			f := &c.Schema.Fields[i]
			if f.Along && angle == nil {
				angle, angleWord = f, at+f.Word
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
			case f.Axis > 0 && grid[f.Axis-1] == 0:
				axes[f.Axis-1], grid[f.Axis-1] = l, f.Step
			case f.Along:
				p.sets = append([]set{{fields: []lineField{l}}}, p.sets...)
			default:
				p.sets = append(p.sets, set{fields: []lineField{l}})
			}
		}
	}
	var place set
	for i := range axes {
		if grid[i] > 0 {
			place.fields = append(place.fields, axes[i])
		}
	}
	if len(place.fields) > 0 {
		if angle != nil && grid[0] > 0 && grid[0] == grid[1] {
			place.along, place.angle = angle, angleWord
		}
		p.sets = append(p.sets, place)
	}
	return p
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
