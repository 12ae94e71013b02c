package overlay

import (
	"math"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// marks stores what the newest frame shows in the world.
type marks struct {
	all       []mark
	own       Point // drawn position
	hasOwn    bool
	server    Point
	hasServer bool
	error     float64 // visual error of the own player

	predicted   [256]predicted
	confirmed   uint32    // input of the server's position
	apart       float64   // distance of predicted and confirmed position, the recent maximum
	apartAt     time.Time // time of the recent maximum
	compared    bool
	corrections uint64

	frames *[frames]frame // recently drawn frames; nil until the overlay is shown
	newest int
}

// predicted is the predicted position of the own player after an input.
type predicted struct {
	input uint32
	at    Point
}

// A frame stores the drawn positions of visible entities, so that a hit can be compared with the screen.
const (
	frames   = 128
	perFrame = 64
)

type frame struct {
	drawn float64 // tick
	n     int
	ids   [perFrame]components.NetID
	at    [perFrame]Point
}

// reset discards everything of a session.
func (m *marks) reset() {
	m.all, m.hasOwn, m.hasServer, m.compared, m.confirmed = m.all[:0], false, false, false, 0
	m.corrections = 0
	m.predicted = [256]predicted{}
	if m.frames != nil {
		*m.frames = [frames]frame{}
	}
}

// update reads a frame.
func (m *marks) update(o *Overlay) {
	if o.places == nil {
		return
	}
	c, view := o.client, o.client.View()
	if m.frames == nil {
		m.frames = new([frames]frame)
	}
	m.all = m.all[:0]
	m.newest = (m.newest + 1) % frames
	f := &m.frames[m.newest]
	f.drawn, f.n = c.DrawnTick(), 0
	o.places.each(view, m)
	for i := range m.all {
		x := &m.all[i]
		if _, _, seen := o.places.screen(x.at); !seen {
			continue
		}
		if f.n < perFrame {
			f.ids[f.n], f.at[f.n] = x.id, x.at
			f.n++
		}
		if d, _ := c.Drawing(x.e); d.From != 0 {
			x.from, x.to, x.windowed = o.places.window(c, x.e)
			x.waiting = x.windowed && d.To == 0
		}
	}
	m.hasOwn = false
	if e, ok := c.Own(view); ok {
		m.own, m.hasOwn = o.places.at(view, e)
		d, _ := c.Drawing(e)
		m.error = d.Error
	}
	m.updateOwn(o)
}

// add adds an entity that the view draws.
func (m *marks) add(e ecs.Entity, id components.NetID, at Point) {
	m.all = append(m.all, mark{e: e, id: id, at: at})
}

// apartTime is how long a wrong prediction remains visible.
const apartTime = 2 * time.Second

// updateOwn compares the server's position with the position predicted after the same input.
func (m *marks) updateOwn(o *Overlay) {
	c := o.client
	e, ok := c.Own(c.World())
	m.hasServer = false
	if !ok {
		return
	}
	m.server, m.hasServer = o.places.confirmed(c, e)
	if input := c.ConfirmedInput(); m.hasServer && input != m.confirmed {
		m.confirmed = input
		if p := m.predicted[input%256]; p.input == input && input != 0 {
			if d := p.at.apart(m.server); !m.compared || d >= m.apart || o.now.Sub(m.apartAt) > apartTime {
				m.apart, m.apartAt, m.compared = d, o.now, true
			}
		}
	}
	if n := c.Stats().Corrections; n != m.corrections {
		m.corrections = n
		m.predicted = [256]predicted{} // a correction replaced them
	}
	if at, ok := o.places.at(c.World(), e); ok {
		m.predicted[c.Input()%256] = predicted{c.Input(), at}
	}
}

// drawn returns the position of an entity on the screen when the view showed a tick.
func (m *marks) drawn(tick float64, id components.NetID) (Point, bool) {
	if m.frames == nil {
		return Point{}, false
	}
	var from, to Point
	before, after := math.Inf(-1), math.Inf(1)
	for i := range m.frames {
		f := &m.frames[i]
		at, ok := f.find(id)
		switch {
		case !ok:
		case f.drawn <= tick && f.drawn > before:
			before, from = f.drawn, at
		case f.drawn > tick && f.drawn < after:
			after, to = f.drawn, at
		}
	}
	switch {
	case tick-before > 2 && after-tick > 2:
		return Point{}, false
	case math.IsInf(before, 0):
		return to, true
	case math.IsInf(after, 0):
		return from, true
	}
	return from.toward(to, (tick-before)/(after-before)), true
}

func (f *frame) find(id components.NetID) (Point, bool) {
	for i, x := range f.ids[:f.n] {
		if x == id {
			return f.at[i], true
		}
	}
	return Point{}, false
}

// draw draws the marks in the world.
func (m *marks) draw(o *Overlay) {
	if o.places == nil {
		return
	}
	p := &o.pen
	for i := range m.all {
		x := &m.all[i]
		ax, ay, a := o.places.screen(x.at)
		fx, fy, f := o.places.screen(x.from)
		tx, ty, t := o.places.screen(x.to)
		switch {
		case !x.windowed || !a || !f || !t:
		case x.waiting:
			p.ring(fx, fy, 6, 1.5, red)
		default:
			p.Line(fx, fy, tx, ty, 2, fade(amber, 0.65))
			p.dot(fx, fy, 2.5, fade(amber, 0.65))
			p.dot(tx, ty, 2.5, amber)
			p.dot(ax, ay, 2, white)
		}
	}
	if gx, gy, ok := o.places.screen(m.server); m.hasServer && ok {
		if ox, oy, ok := o.places.screen(m.own); m.hasOwn && ok {
			p.Line(gx, gy, ox, oy, 1.5, fade(pink, 0.7))
		}
		p.ring(gx, gy, 11, 1.5, pink)
		p.dot(gx, gy, 2.5, pink)
	}
	o.hits.draw(o)
}

// worldRows is the number of rows that explain the marks.
const worldRows = 5

// drawWorld explains the marks in the world, with figures.
func (o *Overlay) drawWorld(x, y, w float64) {
	o.title(x, y, "drawn in the world")
	y += titleHeight + 12
	p, m := &o.pen, &o.marks
	p.ring(x+6, y-4, 5, 1.5, pink)
	p.label(x+18, y, "you, as the server last told", muted)
	if m.hasServer && m.hasOwn {
		p.right(x+w, y, append(appendFigure(p.buf[:0], m.server.apart(m.own)), " behind"...), pink)
	}
	y += rowHeight
	p.label(x+18, y, "predicted, confirmed: same input", muted)
	if m.compared {
		c := green
		if m.apart > 0.005 {
			c = red
		}
		p.right(x+w, y, append(appendFigure(p.buf[:0], m.apart), " apart"...), c)
	}
	y += rowHeight
	p.label(x+18, y, "visual error that is left", muted)
	p.right(x+w, y, appendFigure(p.buf[:0], m.error), white)
	y += rowHeight
	windows, waiting := 0, 0
	for i := range m.all {
		if m.all[i].windowed {
			windows++
		}
		if m.all[i].waiting {
			waiting++
		}
	}
	p.Line(x, y-4, x+12, y-4, 2, fade(amber, 0.65))
	p.dot(x+6, y-4, 2, white)
	if damped(o.client) {
		p.label(x+18, y, "others in sight: damped, no windows", muted)
	} else {
		p.label(x+18, y, "others in sight, between two states", muted)
		b := append(appendFigure(p.buf[:0], float64(windows-waiting)), " of "...)
		p.right(x+w, y, appendFigure(b, float64(windows)), amber)
	}
	y += rowHeight
	o.hits.explain(o, x, y, w)
}
