package overlay

import (
	"image/color"
	"math"
	"strconv"
)

// Indices of the graphs.
const (
	graphRoundTrip = iota
	graphJitter
	graphLoss
	graphBuffer
	graphLead
	graphDelay
	graphReceived
	graphCorrections
	graphs
)

// A ring holds samples for 24 seconds. A bar of a graph is the maximum of barOf samples.
const (
	ringSize = 240
	barOf    = 4
	bars     = ringSize / barOf
)

// graph is a figure over time.
type graph struct {
	name, unit string
	least      float64 // minimum value at full height
	c          color.NRGBA
	ring       [ringSize]float64
	word       string // replaces the figure if set
}

func newGraphs() [graphs]graph {
	return [graphs]graph{
		graphRoundTrip:   {name: "round trip", unit: "ms", least: 60, c: cyan},
		graphJitter:      {name: "jitter", unit: "ms", least: 10, c: cyan},
		graphLoss:        {name: "loss", unit: "%", least: 5, c: red},
		graphBuffer:      {name: "input buffer", unit: "ticks", least: 6, c: green},
		graphLead:        {name: "tick lead", unit: "ticks", least: 6, c: green},
		graphDelay:       {name: "others' delay", unit: "ms", least: 100, c: amber},
		graphReceived:    {name: "received", unit: "kB/s", least: 4, c: amber},
		graphCorrections: {name: "corrections", unit: "/s", least: 5, c: red},
	}
}

// Sizes of graphs in points.
const (
	graphHeight = 44
	graphLow    = 34 // on small screens
	graphGap    = 6
	graphTitle  = 17
)

// drawGraphs draws all graphs, two in a row.
func (o *Overlay) drawGraphs(x, y, w float64) {
	each := (w - graphGap) / 2
	for i := range o.graphs {
		o.drawGraph(&o.graphs[i], x+float64(i%2)*(each+graphGap), y+float64(i/2)*(o.layout.graph+graphGap), each)
	}
}

// drawGraph draws bars up to the newest sample. It draws neighbouring bars of equal height with one call.
func (o *Overlay) drawGraph(g *graph, x, y, w float64) {
	p, high := &o.pen, o.layout.graph
	p.Rect(x, y, w, high, 0, fade(white, 0.05))
	top := g.least
	for _, v := range g.ring {
		top = max(top, v*1.15)
	}
	bar := w / bars
	newest := o.samples.taken / barOf // bars do not flicker: each covers the same samples until it leaves the graph
	height := func(i int) float64 {
		most := 0.0
		for s := (newest - bars + 1 + i) * barOf; s < (newest-bars+2+i)*barOf && s <= o.samples.taken; s++ {
			if s >= 0 && s > o.samples.taken-ringSize {
				most = max(most, g.ring[s%ringSize])
			}
		}
		if most <= 0 {
			return 0
		}
		return max(math.Round(most/top*(high-graphTitle)), 1)
	}
	for i := 0; i < bars; {
		h, n := height(i), 1
		for i+n < bars && height(i+n) == h {
			n++
		}
		if h > 0 {
			p.Rect(x+float64(i)*bar, y+high-h, float64(n)*bar, h, 0, fade(g.c, 0.28))
			p.Rect(x+float64(i)*bar, y+high-h, float64(n)*bar, 1.5, 0, g.c)
		}
		i += n
	}
	p.label(x+5, y+12, g.name, fade(white, 0.85))
	v, b := g.ring[o.samples.taken%ringSize], append(p.buf[:0], g.word...)
	if g.word == "" {
		b = append(append(appendFigure(b, v), ' '), g.unit...)
		if v == 1 && g.unit == "ticks" {
			b = b[:len(b)-1]
		}
	}
	p.right(x+w-5, y+12, b, alarm(g.c, v))
}

// alarm returns the colour of a figure. Red figures are green while they are 0.
func alarm(c color.NRGBA, v float64) color.NRGBA {
	if c == red && v == 0 {
		return green
	}
	return c
}

// appendFigure appends a number with at most two significant decimals.
func appendFigure(b []byte, v float64) []byte {
	digits := 0
	switch {
	case math.Abs(v) < 0.005:
		v = 0
	case math.Abs(v) < 0.995:
		digits = 2
	case math.Abs(v) < 9.95 && v != math.Trunc(v):
		digits = 1
	}
	return strconv.AppendFloat(b, v, 'f', digits, 64)
}
