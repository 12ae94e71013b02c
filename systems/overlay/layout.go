package overlay

// section is a part of the overlay.
type section uint8

// The sections, in the order in which columns are filled with them.
const (
	sectionGraphs section = iota
	sectionLink
	sectionFigures
	sectionCauses
	sectionBytes
	sectionWorld
	sections
)

// Sizes in points.
const (
	panelWidth  = 308
	padding     = 12
	inner       = panelWidth - 2*padding
	margin      = 12
	titleHeight = 20
	rowHeight   = 16
	headHeight  = 30
	between     = 400 // that stay free between two columns
)

// height is the height of a section where a graph has its.
func (o *Overlay) height(s section, graph float64) float64 {
	switch s {
	case sectionGraphs:
		return graphs/2*(graph+graphGap) - graphGap
	case sectionLink:
		return titleHeight + float64(sliders)*sliderHeight
	case sectionFigures:
		return titleHeight + float64(figureRows+o.extras)*rowHeight
	case sectionCauses:
		return titleHeight + (causeRows+2)*rowHeight
	case sectionBytes:
		return titleHeight + (byteRows+2)*rowHeight
	}
	if o.places == nil {
		return 0
	}
	return titleHeight + worldRows*rowHeight
}

// spot is where a section is: its left upper corner, without padding.
type spot struct {
	x, y float64
	page int
}

// column is a panel on a page.
type column struct{ x, y, h float64 }

// layout is where everything is.
type layout struct {
	graph float64 // height of one
	spots [sections]spot
	cols  [sections]column
	n     int // columns
	each  int // columns side by side
	pages int
}

// Layout places everything on a screen of so many points, as [Overlay.Draw] does with
// the size of its canvas.
func (o *Overlay) Layout(w, h float64) {
	l := layout{graph: graphHeight, each: 1}
	if w >= 2*(panelWidth+margin)+between {
		l.each = 2
	}
	room := h - o.config.Top - margin - headHeight - padding
	if l.each == 1 && h > w { // a phone held upright, with the player in its middle
		l.graph = graphLow
		room -= h/2 + margin/4
	}
	used := 0.0
	for s := range sections {
		need := o.height(s, l.graph)
		if need == 0 {
			l.spots[s].page = -1
			continue
		}
		if l.n == 0 || used+padding+need > room {
			l.n++
			used = -padding
		}
		i := l.n - 1
		c := &l.cols[i]
		c.x, c.y = o.config.Left, o.config.Top
		if l.each == 2 && i%2 == 1 {
			c.x = w - margin - panelWidth
		}
		l.spots[s] = spot{x: c.x + padding, y: c.y + headHeight + used + padding, page: i / l.each}
		used += padding + need
		c.h = headHeight + used + padding
	}
	l.pages = (l.n + l.each - 1) / l.each
	o.page = min(o.page, l.pages-1)
	o.layout = l
}

// where is where a section is, if it is shown.
func (o *Overlay) where(s section) (spot, bool) {
	at := o.layout.spots[s]
	return at, o.shown && o.layout.n > 0 && at.page == o.page
}

// columns are the panels of the page that is shown.
func (o *Overlay) columns() []column {
	l := &o.layout
	if !o.shown || l.n == 0 {
		return nil
	}
	return l.cols[o.page*l.each : min((o.page+1)*l.each, l.n)]
}

// Covers reports whether the overlay lies over a part of the screen, so that a game can
// leave out what would stand there.
func (o *Overlay) Covers(x, y, w, h float64) bool {
	for _, c := range o.columns() {
		if x < c.x+panelWidth && c.x < x+w && y < c.y+c.h && c.y < y+h {
			return true
		}
	}
	return false
}

// Takes reports whether a press at a place would be for the overlay.
func (o *Overlay) Takes(x, y float64) bool { return o.Covers(x, y, 0, 0) }

// Press tells that a pointer has come down: id is 0 for a mouse, and what tells fingers
// apart otherwise. It reports whether that was for the overlay, and not for the game.
func (o *Overlay) Press(id int, x, y float64) bool {
	if !o.Takes(x, y) {
		return false
	}
	if c := o.columns()[0]; y < c.y+headHeight && x < c.x+panelWidth {
		switch {
		case x >= c.x+panelWidth-headHeight-padding:
			o.Show(false)
		case o.layout.pages > 1:
			o.page = (o.page + 1) % o.layout.pages
		}
		return true
	}
	if s, ok := o.sliderUnder(x, y); ok && !o.sliders.holding {
		o.sliders.holding, o.sliders.held, o.sliders.pointer = true, s, id
		if s == RoundTrip {
			o.sliders.before = milliseconds(o.samples.stats.Session.RTT)
		}
		o.drag(x)
	}
	return true
}

// Move tells where a pointer that is down is now. It reports whether the overlay follows
// it.
func (o *Overlay) Move(id int, x, _ float64) bool {
	if !o.sliders.holding || o.sliders.pointer != id {
		return false
	}
	o.drag(x)
	return true
}

// Release tells that a pointer was lifted.
func (o *Overlay) Release(id int) {
	if o.sliders.pointer == id {
		o.sliders.holding = false
	}
}
