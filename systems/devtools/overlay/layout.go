package overlay

// section is a part of the overlay.
type section uint8

// The sections, in the order in which they fill the columns.
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
	between     = 400 // free space between two columns
)

// height returns the height of a section. graph is the height of one graph.
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

// spot is the position of a section: its upper left corner, without padding.
type spot struct {
	x, y float64
	page int
}

// column is a panel on a page.
type column struct{ x, y, h float64 }

// layout is the position of all parts.
type layout struct {
	graph float64 // height of one graph
	spots [sections]spot
	cols  [sections]column
	n     int // number of columns
	each  int // number of columns side by side
	pages int
}

// Layout places all parts on a screen of w by h points. [Overlay.Draw] calls it with the size of its canvas.
func (o *Overlay) Layout(w, h float64) {
	l := layout{graph: graphHeight, each: 1}
	if w >= 2*(panelWidth+margin)+between {
		l.each = 2
	}
	room := h - o.config.Top - margin - headHeight - padding
	if l.each == 1 && h > w { // an upright phone, where the player is in the middle of the screen
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

// where returns the position of a section, and whether it is shown.
func (o *Overlay) where(s section) (spot, bool) {
	at := o.layout.spots[s]
	return at, o.shown && o.layout.n > 0 && at.page == o.page
}

// columns returns the panels of the current page.
func (o *Overlay) columns() []column {
	l := &o.layout
	if !o.shown || l.n == 0 {
		return nil
	}
	return l.cols[o.page*l.each : min((o.page+1)*l.each, l.n)]
}

// Covers reports whether the overlay covers a part of the screen, so that a game can omit what it would draw there.
func (o *Overlay) Covers(x, y, w, h float64) bool {
	for _, c := range o.columns() {
		if x < c.x+panelWidth && c.x < x+w && y < c.y+c.h && c.y < y+h {
			return true
		}
	}
	return false
}

// Takes reports whether the overlay would handle a press at a position.
func (o *Overlay) Takes(x, y float64) bool { return o.Covers(x, y, 0, 0) }

// Press handles a pressed pointer. id is 0 for a mouse, and identifies the finger on a touch screen. It reports
// whether the overlay handled the press, so that the game should ignore it.
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

// Move handles the movement of a pressed pointer. It reports whether the overlay handled it.
func (o *Overlay) Move(id int, x, _ float64) bool {
	if !o.sliders.holding || o.sliders.pointer != id {
		return false
	}
	o.drag(x)
	return true
}

// Release handles a released pointer.
func (o *Overlay) Release(id int) {
	if o.sliders.pointer == id {
		o.sliders.holding = false
	}
}
