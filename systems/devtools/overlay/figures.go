package overlay

import (
	"math"
	"strconv"
)

// maxFigures is the maximum number of the game's own figures.
const maxFigures = 4

// figure is a figure of the game.
type figure struct {
	name, unit string
	value      float64
}

// Figure shows a figure of the game, such as the milliseconds of a frame. The first four names are shown; others are
// ignored.
func (o *Overlay) Figure(name string, value float64, unit string) {
	for i := range o.figures {
		f := &o.figures[i]
		if i >= o.extras {
			o.extras++
		} else if f.name != name {
			continue
		}
		*f = figure{name, unit, value}
		return
	}
}

// figureRows is the number of rows without the game's own figures.
const figureRows = 7

// drawFigures draws one row for each figure.
func (o *Overlay) drawFigures(x, y, w float64) {
	o.title(x, y, "since the session began")
	y += titleHeight
	p, s := &o.pen, &o.samples.stats
	say := func(name string, b []byte) {
		used := p.right(x+w, y+12, b, white)
		p.clip(x, y+12, w-used-8, append(p.buf[:0], name...), muted)
		y += rowHeight
	}
	two := func(name string, a uint64, between string, b uint64) {
		text := strconv.AppendUint(p.buf[:0], a, 10)
		say(name, strconv.AppendUint(append(text, between...), b, 10))
	}
	say("shortest round trip of late", append(appendFigure(p.buf[:0], math.Round(milliseconds(s.Session.MinRTT))), " ms"...))
	two("own states right, corrected", s.Confirmed, ", ", s.Corrections)
	two("ticks simulated again, at once at most", s.Resimulated, ", ", s.LongestReplay)
	two("frames stalled, jumps of the view", s.Stalls, ", ", s.Snaps)
	two("snapshots, baselines renewed", s.Snapshots, ", ", s.Renewals)
	two("inputs gathered, sent with repeats", s.Inputs, ", ", s.InputsSent)
	b := appendFigure(p.buf[:0], float64(s.Session.BytesIn/1000))
	b = appendFigure(append(b, ", "...), float64(s.Session.BytesOut/1000))
	say("received, sent", append(b, " kB"...))
	for i := range o.extras {
		f := &o.figures[i]
		b = append(appendFigure(p.buf[:0], f.value), ' ')
		say(f.name, append(b, f.unit...))
	}
}
