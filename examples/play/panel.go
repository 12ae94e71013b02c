package main

import (
	"math"
	"strconv"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/tactusgo/tactus/netsys"
)

// slider sets one property of the link.
type slider struct {
	name, unit string
	most, step float64
	value      float64
}

// The sliders by number.
const (
	roundTrip = iota
	jitter
	loss
	burstLength
	duplicates
)

// graph is a figure over time.
type graph struct {
	name, unit string
	least      float64 // what the full height is at least
	values     [samples]float64
	t          tint
}

const (
	samples     = 120
	sampleEvery = 100 * time.Millisecond
)

// The graphs by number.
const (
	rttGraph = iota
	bufferGraph
	downGraph
	correctionGraph
)

// panel is the overlay: what the network does, and sliders to make it worse.
type panel struct {
	open    bool
	graphs  [4]graph
	sliders [5]slider
	held    int // slider, or -1
	touch   ebiten.TouchID
	touched bool
	at      time.Time
	newest  int // sample
	bytes   uint64
	fixes   uint64
}

func newPanel() *panel {
	return &panel{
		held: -1,
		graphs: [...]graph{
			rttGraph:        {name: "round trip", unit: "ms", least: 60, t: ownColour},
			bufferGraph:     {name: "input buffer", unit: "ticks", least: 6, t: good},
			downGraph:       {name: "received", unit: "kB/s", least: 4, t: fair},
			correctionGraph: {name: "corrections", unit: "/s", least: 10, t: bad},
		},
		sliders: [...]slider{
			roundTrip:   {name: "round trip", unit: " ms", most: 500, step: 10},
			jitter:      {name: "jitter", unit: " ms", most: 100, step: 5},
			loss:        {name: "loss", unit: " %", most: 30, step: 1},
			burstLength: {name: "bursts", unit: " ms", most: 500, step: 25},
			duplicates:  {name: "duplicates", unit: " %", most: 20, step: 1},
		},
	}
}

// link is what the sliders say, each way.
func (p *panel) link() netsys.Link {
	ms := func(v float64) time.Duration { return time.Duration(v * float64(time.Millisecond)) }
	l := netsys.Link{Latency: ms(p.sliders[roundTrip].value / 2), Loss: p.sliders[loss].value / 100,
		Burst: ms(p.sliders[burstLength].value), Duplicate: p.sliders[duplicates].value / 100}
	l.Jitter = min(ms(p.sliders[jitter].value), l.Latency)
	return l
}

// sample takes in figures, ten times a second.
func (p *panel) sample(o *online, now time.Time) {
	if now.Sub(p.at) < sampleEvery {
		return
	}
	seconds := now.Sub(p.at).Seconds()
	s := o.client.Stats()
	p.newest = (p.newest + 1) % samples
	p.graphs[rttGraph].values[p.newest] = s.Session.RTT.Seconds() * 1000
	p.graphs[bufferGraph].values[p.newest] = float64(s.InputBuffer)
	if s.Session.BytesIn < p.bytes {
		p.bytes, p.fixes = 0, 0 // another session
	}
	if !p.at.IsZero() && p.bytes > 0 {
		p.graphs[downGraph].values[p.newest] = float64(s.Session.BytesIn-p.bytes) / 1000 / seconds
		p.graphs[correctionGraph].values[p.newest] = float64(s.Corrections-p.fixes) / seconds
	}
	p.at, p.bytes, p.fixes = now, s.Session.BytesIn, s.Corrections
}

// Where things are in the panel, in points from its top.
const (
	panelTop    = 68
	panelWidth  = 300
	graphHeight = 40
	graphsTop   = 12
	textTop     = graphsTop + 4*(graphHeight+8) + 12
	textLines   = 7
	slidersTop  = textTop + textLines*16 + 16
	sliderLine  = 26
	panelHeight = slidersTop + 5*sliderLine + 4
)

// box is where the panel is, and its own point, which is smaller on low screens.
func (p *panel) box(c *canvas) (x, y, w, h, u float64) {
	u = c.unit
	u = min(u, (c.h-(panelTop+8)*u)/panelHeight, (c.w-24*u)/panelWidth)
	return 12 * c.unit, panelTop * c.unit, panelWidth * u, panelHeight * u, u
}

// covers reports whether there is no room for anything beside the panel.
func (p *panel) covers(c *canvas) bool { return p.open && c.w < 560*c.unit }

// takes reports whether a point of the screen belongs to the panel.
func (p *panel) takes(c *canvas, x, y float64) bool {
	if p.held >= 0 {
		return true
	}
	if within(x, y)(statusBox(c)) {
		return true
	}
	px, py, w, h, _ := p.box(c)
	return p.open && within(x, y)(px, py, w, h)
}

func within(x, y float64) func(bx, by, w, h float64) bool {
	return func(bx, by, w, h float64) bool { return x >= bx && x < bx+w && y >= by && y < by+h }
}

// tap opens and closes the panel, and takes hold of sliders.
func (p *panel) tap(c *canvas, x, y float64) {
	if within(x, y)(statusBox(c)) {
		p.open = !p.open
		return
	}
	px, py, w, _, u := p.box(c)
	i := int(math.Floor((y - py - slidersTop*u) / (sliderLine * u)))
	if !p.open || x < px || x > px+w || i < 0 || i >= len(p.sliders) {
		return
	}
	p.held, p.touched = i, false
	for _, id := range ebiten.AppendTouchIDs(nil) {
		if tx, ty := ebiten.TouchPosition(id); float64(tx) == x && float64(ty) == y {
			p.touch, p.touched = id, true
		}
	}
}

// drag moves the slider that is held.
func (p *panel) drag(c *canvas, o *online) {
	if p.held < 0 {
		return
	}
	mx, _ := ebiten.CursorPosition()
	down := ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft)
	if p.touched {
		mx, _ = ebiten.TouchPosition(p.touch)
		down = mx != 0
	}
	if !down {
		p.held = -1
		return
	}
	px, _, _, _, u := p.box(c)
	s := &p.sliders[p.held]
	f := min(max((float64(mx)-px-trackLeft*u)/(trackWidth*u), 0), 1)
	if v := math.Round(f*s.most/s.step) * s.step; v != s.value {
		s.value = v
		o.degrade(p.link())
	}
}

// The tracks of sliders, in points.
const (
	trackLeft  = 92
	trackWidth = 136
)

// draw draws the panel.
func (p *panel) draw(c *canvas, o *online) {
	if !p.open || !o.connected() {
		return
	}
	x, y, w, h, u := p.box(c)
	c.panel(x, y, w, h, 9*u, tint{0.03, 0.05, 0.11, 0.95})
	for i := range p.graphs {
		p.drawGraph(c, &p.graphs[i], x+12*u, y+(graphsTop+float64(i)*(graphHeight+8))*u, w-24*u, graphHeight*u)
	}
	p.drawText(c, o, x+12*u, y+textTop*u, w-24*u, 16*u)
	for i := range p.sliders {
		p.drawSlider(c, i, x, y+(slidersTop+float64(i)*sliderLine)*u, w, u)
	}
}

func (p *panel) drawGraph(c *canvas, g *graph, x, y, w, h float64) {
	u := c.unit
	c.rect(x, y, w, h, white.fade(0.045))
	top := g.least
	for _, v := range g.values {
		top = max(top, v*1.15)
	}
	bar := w / samples
	for i := range samples {
		v := g.values[(p.newest+1+i)%samples]
		if v <= 0 {
			continue
		}
		high := max(v/top*(h-17*u), 1)
		c.rect(x+float64(i)*bar, y+h-high, bar, high, g.t.fade(0.28))
		c.rect(x+float64(i)*bar, y+h-high, bar, max(1.5*u, 1), g.t)
	}
	base := y + 13*u
	c.label(c.glyphs.small, x+6*u, base, 0, g.name, white.fade(0.85))
	v := g.values[p.newest]
	precision := 0
	if v < 10 && v != math.Trunc(v) {
		precision = 1
	}
	b := strconv.AppendFloat(c.buf[:0], v, 'f', precision, 64)
	b = append(b, ' ')
	c.text(c.glyphs.small, x+w-6*u, base, 1, append(b, g.unit...), g.t)
}

// drawText draws figures in lines.
func (p *panel) drawText(c *canvas, o *online, x, y, w, line float64) {
	s := o.client.Stats()
	f := c.glyphs.small
	row := 0
	say := func(name string, value []byte, t tint) {
		base := y + float64(row)*line + line*0.75
		c.text(f, x+w, base, 1, value, t)
		c.label(f, x, base, 0, name, muted)
		row++
	}
	step := float64(o.client.World().StepDuration().Microseconds()) / 1000
	b := strconv.AppendFloat(c.buf[:0], s.Session.Jitter.Seconds()*1000, 'f', 1, 64)
	say("jitter of the round trip", append(b, " ms"...), white)
	b = strconv.AppendFloat(c.buf[:0], 100*s.Session.LossIn, 'f', 1, 64)
	b = append(b, " % in, "...)
	b = strconv.AppendFloat(b, 100*s.Session.LossOut, 'f', 1, 64)
	say("loss", append(b, " % out"...), white)
	b = strconv.AppendFloat(c.buf[:0], (float64(o.client.ServerTick())-o.client.DrawnTick())*step, 'f', 0, 64)
	say("others are drawn behind the newest by", append(b, " ms"...), white)
	b = strconv.AppendUint(c.buf[:0], s.Corrections, 10)
	b = append(b, ", "...)
	b = strconv.AppendUint(b, s.Resimulated, 10)
	say("corrections, ticks simulated again", b, white)
	b = strconv.AppendUint(c.buf[:0], s.Stalls, 10)
	say("stalled frames", b, white)
	b = strconv.AppendFloat(c.buf[:0], c.work*1000, 'f', 1, 64)
	say("work for a frame, without the GPU", append(b, " ms"...), white)
	wrong := o.wrong
	if len(wrong) > 44 {
		wrong = wrong[:44]
	}
	say("last:", append(c.buf[:0], wrong...), bad.toward(white, 0.35))
}

func (p *panel) drawSlider(c *canvas, i int, x, y, w, u float64) {
	s := &p.sliders[i]
	mid := y + sliderLine*u/2
	base := mid + c.glyphs.small.high/2
	c.label(c.glyphs.small, x+12*u, base, 0, s.name, white.fade(0.85))
	left, long := x+trackLeft*u, trackWidth*u
	at := left + long*s.value/s.most
	c.rect(left, mid-2*u, long, 4*u, white.fade(0.14))
	c.rect(left, mid-2*u, at-left, 4*u, ownColour)
	d := 14.0
	if p.held == i {
		d = 18
	}
	c.shape(c.disc, at, mid, d*u, 0, white)
	b := strconv.AppendFloat(c.buf[:0], s.value, 'f', 0, 64)
	c.text(c.glyphs.small, x+w-12*u, base, 1, append(b, s.unit...), white)
}
