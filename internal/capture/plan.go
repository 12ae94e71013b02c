package capture

import (
	"math"
	"math/bits"
	"reflect"

	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
)

// plan is how entities with one set of components are captured.
type plan struct {
	mask  uint64
	veils uint8 // that there are components of
	width int   // words of a record
	parts []part
	sets  []set // the one with the angle that others move along first
	lines int   // fields that are sent as lines
	cols  []column
}

// part is a component in a record.
type part struct {
	comp *ecs.Component
	at   int
}

// set is the fields whose lines bend together: the axes of an entity's place, or
// one field alone.
type set struct {
	fields []lineField
	// The angle that the first two fields move along: its word, and the field;
	// nil for none.
	along *schema.Field
	angle int
	met   met // where all entities have one home
}

// met is courses, and paces along the heading, that were met before.
type met struct {
	usual [16][3]int32
	paces [4]int32
	next  int // to be replaced in usual
	pace  int // and in paces
}

// lineField is a field that is sent as a line.
type lineField struct {
	line  int // its number in the plan
	word  int // in the record: place, then change
	slack float64
	noise float64 // of the change per send, from the rounding of values in memory
	turn  int64   // words in a full turn, 0 for what is no angle
}

// column is where the values of a line field come from.
type column struct {
	comp  *ecs.Component
	field int
}

// planOf returns the plan of a component mask; guess may be it.
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
	p := &plan{mask: mask, veils: r.concealed.of(mask), width: r.layout.RecordWords(mask)}
	var axes [3]lineField
	var grid [3]float64 // 0 where there is no such axis
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

// truths appends the values of a table's line fields in steps, row by row.
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
