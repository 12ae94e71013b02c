package paint

import (
	"cmp"
	"math"
	"slices"
)

// kind is the kind of a solid.
type kind uint8

const (
	box  kind = iota // corners by bits: 1 x, 2 y, 4 z
	quad             // four corners around
	ball             // the corners of a box around it
	disc             // eight corners around
)

// solid is a shape waiting in a [Space].
type solid struct {
	kind      kind
	visited   bool
	n         int // corners
	corners   [8]Vec
	size      float64 // of a ball
	tint      Tint
	low, high Vec     // bounding box along the axes
	from, to  Point   // bounding box on the screen
	far       float64 // distance from the camera to its middle
}

// add appends a solid unless it is invisible.
func (s *Space) add(o *solid) {
	o.low, o.high = o.corners[0], o.corners[0]
	o.from, o.to = Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	behind, middle := 0, Vec{}
	for _, p := range o.corners[:o.n] {
		o.low = Vec{min(o.low.X, p.X), min(o.low.Y, p.Y), min(o.low.Z, p.Z)}
		o.high = Vec{max(o.high.X, p.X), max(o.high.Y, p.Y), max(o.high.Z, p.Z)}
		middle = middle.Add(p.Times(1 / float64(o.n)))
		v := s.seen(p)
		if v.Z < near {
			behind++
			continue
		}
		at := s.flat(v)
		o.from, o.to = Point{min(o.from.X, at.X), min(o.from.Y, at.Y)}, Point{max(o.to.X, at.X), max(o.to.Y, at.Y)}
	}
	switch {
	case behind == o.n:
		return
	case behind > 0: // its place on the screen is unknown
		o.from, o.to = Point{}, Point{s.to.W, s.to.H}
	}
	if o.from.X > s.to.W || o.from.Y > s.to.H || o.to.X < 0 || o.to.Y < 0 {
		return
	}
	o.far = middle.Sub(s.Eye).Long()
	if s.Far > 0 && o.far > s.Far && s.seen(middle).Z > s.Far && o.high.Sub(o.low).Long() < s.Far {
		return // invisible in the haze
	}
	s.solids = append(s.solids, *o)
}

// Draw draws the waiting shapes.
func (s *Space) Draw() {
	s.sort()
	for _, i := range s.order {
		s.draw(&s.solids[i])
	}
	s.solids = s.solids[:0]
}

// sort finds the order to draw in.
func (s *Space) sort() {
	slices.SortFunc(s.solids, func(a, b solid) int { return cmp.Compare(b.far, a.far) })
	s.order = s.order[:0]
	for i := range s.solids {
		s.visit(i)
	}
}

// visit appends a solid to the order after all solids that it may cover.
func (s *Space) visit(i int) {
	o := &s.solids[i]
	if o.visited {
		return
	}
	o.visited = true
	for j := range s.solids {
		if p := &s.solids[j]; !p.visited && o.meets(p) && s.covers(o, p) {
			s.visit(j)
		}
	}
	s.order = append(s.order, i)
}

// meets reports whether two solids may share pixels.
func (o *solid) meets(p *solid) bool {
	return o.from.X < p.to.X && p.from.X < o.to.X && o.from.Y < p.to.Y && p.from.Y < o.to.Y
}

// covers reports whether o may cover a part of p, so that p has to be drawn first.
func (s *Space) covers(o, p *solid) bool {
	first, second := s.may(o, p), s.may(p, o)
	switch {
	case first:
		return false
	case second:
		return true
	}
	return p.far > o.far // they intersect
}

// may reports whether o may be drawn before p: a plane parts them, and the camera is on
// the side of p.
func (s *Space) may(o, p *solid) bool {
	const touch = 1e-6
	for _, axis := range [...]struct{ eye, low, high, otherLow, otherHigh float64 }{
		{s.Eye.X, o.low.X, o.high.X, p.low.X, p.high.X},
		{s.Eye.Y, o.low.Y, o.high.Y, p.low.Y, p.high.Y},
		{s.Eye.Z, o.low.Z, o.high.Z, p.low.Z, p.high.Z},
	} {
		if axis.high <= axis.otherLow+touch && axis.eye >= axis.high-touch || axis.otherHigh <= axis.low+touch && axis.eye <= axis.low+touch {
			return true
		}
	}
	return false
}

// sides are the corners of the faces of a box, in order around them.
var sides = [6][4]int{{0, 2, 6, 4}, {1, 5, 7, 3}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 6, 7, 5}}

// draw draws one solid.
func (s *Space) draw(o *solid) {
	switch o.kind {
	case box:
		middle := o.corners[0].Add(o.corners[7]).Times(0.5)
		for _, side := range sides {
			a, b, c, d := o.corners[side[0]], o.corners[side[1]], o.corners[side[2]], o.corners[side[3]]
			out := a.Add(c).Times(0.5).Sub(middle).unit()
			if s.Eye.Sub(a).Dot(out) > 0 {
				s.face([]Vec{a, b, c, d}, s.lit(o.tint, out))
			}
		}
	case quad:
		out := o.corners[1].Sub(o.corners[0]).Cross(o.corners[2].Sub(o.corners[0])).unit()
		if s.Eye.Sub(o.corners[0]).Dot(out) < 0 {
			out = out.Times(-1)
		}
		s.face(o.corners[:4], s.lit(o.tint, out))
	case disc:
		s.face(o.corners[:8], o.tint)
	case ball:
		middle := o.corners[0].Add(o.corners[7]).Times(0.5)
		if x, y, scale, ok := s.OnScreen(middle); ok {
			s.to.Ball(x, y, o.size*scale, s.misty(o.tint, s.seen(middle).Z))
		}
	}
}

// lit returns the colour of a face with the normal out.
func (s *Space) lit(t Tint, out Vec) Tint {
	const dark = 0.3
	f := float32(dark + (1-dark)*(0.5+0.5*out.Dot(sun)))
	return Tint{t.R * f, t.G * f, t.B * f, t.A}
}

// misty is a colour at a distance.
func (s *Space) misty(t Tint, far float64) Tint {
	if s.Far == 0 {
		return t
	}
	f := min(max(2*far/s.Far-1, 0), 1)
	a := t.A
	t = t.Toward(s.Sky, f)
	t.A = a
	return t
}

// face draws a flat convex shape. It draws a large quad with fading in tiles, because the haze is computed at corners and
// interpolated between them.
func (s *Space) face(corners []Vec, t Tint) {
	if len(corners) != 4 || s.Far == 0 {
		s.tile(corners, t)
		return
	}
	a, b, c, d := corners[0], corners[1], corners[2], corners[3]
	const most = 16
	tiles := func(side Vec) int { return int(min(max(math.Ceil(side.Long()*8/s.Far), 1), most)) }
	n, m := tiles(b.Sub(a)), tiles(d.Sub(a))
	at := func(i, j int) Vec {
		f, g := float64(i)/float64(n), float64(j)/float64(m)
		near, far := a.Add(b.Sub(a).Times(f)), d.Add(c.Sub(d).Times(f))
		return near.Add(far.Sub(near).Times(g))
	}
	for i := range n {
		for j := range m {
			s.tile([]Vec{at(i, j), at(i+1, j), at(i+1, j+1), at(i, j+1)}, t)
		}
	}
}

// tile draws the part of a flat convex shape that is in front of the camera.
func (s *Space) tile(corners []Vec, t Tint) {
	var seen [12]Vec
	var on [12]Point
	var tints [mostCorners]Tint
	n := 0
	last := s.seen(corners[len(corners)-1])
	for _, p := range corners {
		v := s.seen(p)
		if (v.Z < near) != (last.Z < near) {
			seen[n] = last.Add(v.Sub(last).Times((near - last.Z) / (v.Z - last.Z)))
			n++
		}
		if v.Z >= near {
			seen[n] = v
			n++
		}
		last = v
	}
	if n < 3 {
		return
	}
	from, to := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for i, v := range seen[:n] {
		v.Z = max(v.Z, near)
		on[i], tints[i] = s.flat(v), s.misty(t, v.Z)
		from, to = Point{min(from.X, on[i].X), min(from.Y, on[i].Y)}, Point{max(to.X, on[i].X), max(to.Y, on[i].Y)}
	}
	if from.X > s.to.W || from.Y > s.to.H || to.X < 0 || to.Y < 0 {
		return
	}
	s.to.shaded(on[:n], &tints)
}
