package reconcile

import (
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// causes counts wrong predictions by field.
type causes struct {
	rows     []countedField
	unlisted uint64
}

type countedField struct {
	component   *ecs.Component
	field       int
	co          bool
	corrections uint64
	times       uint64 // values that were numbers
	largest     float64
	sum         float64
	tick        uint32
}

// note counts each field of a component that was predicted wrongly, of the state of a
// tick. Where both sides quantize every step words has both values as words, one behind
// the other, and none may differ.
func (c *causes) note(tick uint32, comp *ecs.Component, predicted, truth unsafe.Pointer, words []int32, co bool) {
	for i := range comp.Schema.Fields {
		f := &comp.Schema.Fields[i]
		differs := false
		if n := len(words) / 2; n > 0 {
			differs = !slices.Equal(words[f.Word:f.Word+f.Words], words[n+f.Word:n+f.Word+f.Words])
		} else {
			differs = comp.Schema.Differs(i, predicted, truth)
		}
		if !differs {
			continue
		}
		row := c.row(comp, i, co)
		if row == nil {
			c.unlisted++
			continue
		}
		if row.corrections == 0 || row.tick != tick {
			row.corrections++
			row.tick = tick
		}
		if d, number := comp.Schema.Apart(i, predicted, truth); number {
			row.times++
			row.sum += d
			row.largest = max(row.largest, d)
		}
	}
}

// read writes what was counted to t, whose memory is used again, without shares.
func (c *causes) read(t *Causes) {
	*t = Causes{Rows: t.Rows[:0], Unlisted: c.unlisted}
	for i := range c.rows {
		x := &c.rows[i]
		row := Cause{
			Component: x.component.Name, Field: x.component.Schema.Fields[x.field].Path, CoSimulated: x.co,
			Corrections: x.corrections, Largest: x.largest, Times: x.times, Tick: x.tick,
		}
		if x.times > 0 {
			row.Mean = x.sum / float64(x.times)
		}
		t.Rows = append(t.Rows, row)
	}
}

// row is where a field is counted, nil where there are too many.
func (c *causes) row(comp *ecs.Component, field int, co bool) *countedField {
	for i := range c.rows {
		if r := &c.rows[i]; r.component == comp && r.field == field && r.co == co {
			return r
		}
	}
	if len(c.rows) == MaxCauses {
		return nil
	}
	c.rows = append(c.rows, countedField{component: comp, field: field, co: co})
	return &c.rows[len(c.rows)-1]
}
