package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// MaxCauses is the maximum number of fields for which a client counts corrections.
const MaxCauses = 64

// Cause counts how often one field caused corrections on a client.
type Cause struct {
	Component string `json:"component"`
	Field     string `json:"field"`
	// CoSimulated reports that the row counts co-simulated entities: see systems.Scope.
	CoSimulated bool `json:"co_simulated,omitempty"`
	// Corrections counts the corrections in which the field exceeded its tolerance. Share is its share of all
	// corrections of the same kind, 0 to 1. Several fields can be wrong in one correction.
	Corrections uint64  `json:"corrections"`
	Share       float64 `json:"share"`
	// Largest and Mean are the largest and the mean difference between prediction and truth, in the field's unit; 0
	// for fields that are not numbers.
	Largest float64 `json:"largest"`
	Mean    float64 `json:"mean"`
	// Times is the number of values in Mean, one per entity.
	Times uint64 `json:"times"`
	// Tick is the server tick of the latest correction.
	Tick uint32 `json:"tick"`
}

// Causes lists which fields caused corrections, how often, and by how much.
type Causes struct {
	// Corrections counts all corrections of own entities, CoCorrections those of co-simulated entities.
	Corrections, CoCorrections uint64
	// Rows holds the fields, sorted by descending Corrections.
	Rows []Cause
	// Unlisted counts wrong values of fields beyond [MaxCauses].
	Unlisted uint64
}

// Add returns the sum of two tables, for example of two clients.
func (t Causes) Add(o Causes) Causes {
	sum := Causes{t.Corrections + o.Corrections, t.CoCorrections + o.CoCorrections, slices.Clone(t.Rows), t.Unlisted + o.Unlisted}
	for _, x := range o.Rows {
		i := slices.IndexFunc(sum.Rows, func(y Cause) bool {
			return y.Component == x.Component && y.Field == x.Field && y.CoSimulated == x.CoSimulated
		})
		if i < 0 {
			sum.Rows = append(sum.Rows, x)
			continue
		}
		y := &sum.Rows[i]
		if n := x.Times + y.Times; n > 0 {
			y.Mean = (x.Mean*float64(x.Times) + y.Mean*float64(y.Times)) / float64(n)
			y.Times = n
		}
		y.Corrections += x.Corrections
		y.Largest, y.Tick = max(x.Largest, y.Largest), max(x.Tick, y.Tick)
	}
	sum.sortRows()
	return sum
}

// kind returns 1 for rows of co-simulated entities, and 0 otherwise.
func (b *Cause) kind() int {
	if b.CoSimulated {
		return 1
	}
	return 0
}

// sortRows sorts the rows and computes their shares.
func (t *Causes) sortRows() {
	for i := range t.Rows {
		of := t.Corrections
		if t.Rows[i].CoSimulated {
			of = t.CoCorrections
		}
		t.Rows[i].Share = float64(t.Rows[i].Corrections) / float64(max(of, 1))
	}
	slices.SortFunc(t.Rows, func(a, b Cause) int {
		return cmp.Or(-cmp.Compare(a.Corrections, b.Corrections), cmp.Compare(a.Component, b.Component), cmp.Compare(a.Field, b.Field), cmp.Compare(a.kind(), b.kind()))
	})
}

// String returns the table as text with one line per field, or "" if there are no rows.
func (t Causes) String() string {
	if len(t.Rows) == 0 {
		return ""
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "field\tof %d corrections\tshare\tmean\tlargest\tlast tick\n", t.Corrections+t.CoCorrections)
	for _, r := range t.Rows {
		of := ""
		if r.CoSimulated {
			of = " (co-simulated)"
		}
		fmt.Fprintf(w, "%s.%s%s\t%d\t%.0f %%\t%.4g\t%.4g\t%d\n", r.Component, r.Field, of, r.Corrections, 100*r.Share, r.Mean, r.Largest, r.Tick)
	}
	if t.Unlisted > 0 {
		fmt.Fprintf(w, "others\t\t\t\t\t(%d values)\n", t.Unlisted)
	}
	_ = w.Flush() // a Builder returns no error
	return text.String()
}

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

// count counts each wrongly predicted field of a component in the state of a tick. If both sides quantize every
// step, words holds the words of both values, one after the other, and any difference counts.
func (c *causes) count(tick uint32, comp *ecs.Component, predicted, truth unsafe.Pointer, words []int32, co bool) {
	for i := range comp.Schema.Fields {
		f := &comp.Schema.Fields[i]
		if f.Server || !differs(comp, i, predicted, truth, words) {
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

// differs reports whether one field of two values differs. words is as in count.
func differs(comp *ecs.Component, field int, predicted, truth unsafe.Pointer, words []int32) bool {
	f, n := &comp.Schema.Fields[field], len(words)/2
	if n > 0 {
		return !slices.Equal(words[f.Word:f.Word+f.Words], words[n+f.Word:n+f.Word+f.Words])
	}
	return comp.Schema.Differs(field, predicted, truth)
}

// read writes the counts to t without shares, and reuses the memory of t.
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

// row returns the row of a field, or nil if there are too many.
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
