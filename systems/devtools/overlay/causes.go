package overlay

import (
	"strconv"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/reconcile"
)

// causeRows is the number of shown fields that caused corrections.
const causeRows = 5

// causes stores the causes of corrections.
type causes struct {
	table reconcile.Causes
	last  systems.Mismatch
}

// draw draws the fields with the most corrections, and the newest wrong value.
func (k *causes) draw(o *Overlay, x, y, w float64) {
	o.title(x, y, "corrections, by field: share, mean, most")
	p := &o.pen
	n := o.samples.stats.Corrections + o.samples.stats.CoCorrections
	p.right(x+w, y+12, strconv.AppendUint(p.buf[:0], n, 10), alarm(red, float64(n)))
	y += titleHeight
	switch {
	case n == 0:
		p.label(x, y+12, "none: all predictions were right", green)
	case len(k.table.Rows) == 0: // a model that compares no fields
		p.label(x, y+12, "inputs of others that came late", muted)
	}
	for i := range min(len(k.table.Rows), causeRows) {
		r := &k.table.Rows[i]
		at := y + float64(i)*rowHeight
		p.Rect(x, at+1, w*min(r.Share, 1), rowHeight-2, 0, fade(red, 0.22))
		b := append(append(append(p.buf[:0], r.Component...), '.'), r.Field...)
		if r.CoSimulated {
			b = append(b, " (others)"...)
		}
		p.clip(x+4, at+12, w-140, b, white)
		p.right(x+w-98, at+12, append(strconv.AppendFloat(p.buf[:0], 100*r.Share, 'f', 0, 64), " %"...), white)
		if r.Times > 0 { // the field is numeric
			p.right(x+w-48, at+12, appendFigure(p.buf[:0], r.Mean), muted)
			p.right(x+w-2, at+12, appendFigure(p.buf[:0], r.Largest), muted)
		}
	}
	y += causeRows * rowHeight
	if k.last.Component == "" {
		return
	}
	b := append(append(append(p.buf[:0], "last: "...), k.last.Component...), '.')
	p.clip(x, y+12, w, append(b, k.last.Field...), muted)
	b = append(append(p.buf[:0], k.last.Predicted...), " was "...)
	p.clip(x, y+12+rowHeight, w, append(b, k.last.Truth...), amber)
}
