package overlay

import (
	"time"

	"github.com/tactusgo/tactus/systems"
)

// byteRows is the number of components shown by name. All others share one row, and bytes that belong to no component
// have another.
const byteRows = 6

// bytes measures what snapshots contain, each second.
type bytes struct {
	counting  bool // the client counts bytes
	at        time.Time
	now, then systems.Received
	rates     []float64 // bytes a second by component, in the latest second
	rest, all float64
	order     []int // components, the largest first
}

// bytesEvery is the period of one measurement.
const bytesEvery = time.Second

// reset discards the measurements, for another session.
func (b *bytes) reset() {
	*b = bytes{now: b.now, then: b.then, rates: b.rates[:0], order: b.order[:0]}
}

// sample reads the client's counters.
func (b *bytes) sample(c *systems.Client, now time.Time) {
	seconds := now.Sub(b.at).Seconds()
	first := b.at.IsZero() || seconds > 2*bytesEvery.Seconds()
	if !first && seconds < bytesEvery.Seconds() {
		return
	}
	b.at = now
	b.now, b.then = b.then, b.now
	c.Received(&b.now)
	if first || len(b.now.Components) != len(b.then.Components) {
		return
	}
	b.rates, b.order = b.rates[:0], b.order[:0]
	for i := range b.now.Components {
		x, was := &b.now.Components[i], &b.then.Components[i]
		b.rates = append(b.rates, (x.World+x.Own-was.World-was.Own)/seconds)
		at := len(b.order)
		b.order = append(b.order, i)
		for ; at > 0 && b.rates[b.order[at-1]] < b.rates[i]; at-- {
			b.order[at] = b.order[at-1]
		}
		b.order[at] = i
	}
	b.rest = (b.now.Rest - b.then.Rest) / seconds
	b.all = float64(b.now.Bytes-b.then.Bytes) / seconds
}

// draw draws a bar for each component.
func (b *bytes) draw(o *Overlay, x, y, w float64) {
	o.title(x, y, "snapshots a second, by component")
	p := &o.pen
	p.right(x+w, y+12, append(appendFigure(p.buf[:0], b.all/1000), " kB"...), amber)
	y += titleHeight
	if b.all == 0 {
		text := "nothing counted yet"
		if o.samples.stats.Snapshots == 0 {
			text = "no snapshots: inputs travel instead"
		}
		p.label(x, y+12, text, muted)
		return
	}
	row := func(name string, rate float64) {
		p.Rect(x, y+1, w*min(max(rate/b.all, 0), 1), rowHeight-2, 0, fade(amber, 0.25))
		p.clip(x+4, y+12, w-70, append(p.buf[:0], name...), white)
		n := append(appendFigure(p.buf[:0], max(float64(int(rate)), 0)), " B"...)
		p.right(x+w-2, y+12, n, muted)
		y += rowHeight
	}
	others := 0.0
	for i, at := range b.order {
		if i < byteRows {
			row(b.now.Components[at].Name, b.rates[at])
		} else {
			others += b.rates[at]
		}
	}
	if len(b.order) > byteRows {
		row("other components", others)
	}
	row("heads, which entities there are", b.rest)
}
