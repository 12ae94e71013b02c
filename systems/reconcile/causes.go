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

// MaxCauses is how many fields a client keeps account of.
const MaxCauses = 64

// Cause is what one field had to do with a client's corrections.
type Cause struct {
	Component string `json:"component"`
	Field     string `json:"field"`
	// CoSimulated says that the row is about co-simulated entities: see systems.Scope.
	CoSimulated bool `json:"co_simulated,omitempty"`
	// Corrections are those in which the field was beyond its tolerance, and Share how
	// much of all of that kind that is, 0 to 1: several fields may be wrong at once.
	Corrections uint64  `json:"corrections"`
	Share       float64 `json:"share"`
	// Largest and Mean are how far prediction and truth were apart, in the field's unit; 0
	// for what is no number.
	Largest float64 `json:"largest"`
	Mean    float64 `json:"mean"`
	// Times is over how many values Mean is the mean: one for each entity.
	Times uint64 `json:"times"`
	// Tick is the server tick of the latest.
	Tick uint32 `json:"tick"`
}

// Causes says what caused corrections: which field, how often, by how much.
type Causes struct {
	// Corrections are all that there were of own entities, CoCorrections those of
	// co-simulated ones.
	Corrections, CoCorrections uint64
	// Rows are the fields, those of the most corrections first.
	Rows []Cause
	// Unlisted counts wrong values of fields beyond [MaxCauses].
	Unlisted uint64
}

// Add returns the sum of two tables, as of two clients.
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
	sum.order()
	return sum
}

// kind tells rows of own entities and of co-simulated ones apart.
func (b *Cause) kind() int {
	if b.CoSimulated {
		return 1
	}
	return 0
}

// order sorts the rows and works out their shares.
func (t *Causes) order() {
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

// String is the table as text, a line a field; empty where there is no row.
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
	_ = w.Flush() // a Builder fails never
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

// note counts each field of a component that was predicted wrongly, of the state of a
// tick. Where both sides quantize every step words has both values as words, one behind
// the other, and none may differ.
func (c *causes) note(tick uint32, comp *ecs.Component, predicted, truth unsafe.Pointer, words []int32, co bool) {
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

// differs reports whether one field of two values differs, which words has as note's has.
func differs(comp *ecs.Component, field int, predicted, truth unsafe.Pointer, words []int32) bool {
	f, n := &comp.Schema.Fields[field], len(words)/2
	if n > 0 {
		return !slices.Equal(words[f.Word:f.Word+f.Words], words[n+f.Word:n+f.Word+f.Words])
	}
	return comp.Schema.Differs(field, predicted, truth)
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
