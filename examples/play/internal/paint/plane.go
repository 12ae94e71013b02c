package paint

import (
	"math"
	"strconv"
)

// Point is a place in a plane.
type Point struct{ X, Y float64 }

// Plane is a camera for a flat world. It draws on a canvas in units of the world. Call [Plane.Look] before using it.
type Plane struct {
	// X and Y are in the middle of the screen, in units.
	X, Y float64
	// Scale is how many pixels a unit has.
	Scale float64
	// Up makes y point up, as in physics. Otherwise y points down, as on maps.
	Up bool

	to     *Canvas
	placed bool
}

// Look starts a frame on a canvas in which at least w by h units are visible.
func (p *Plane) Look(to *Canvas, w, h float64) {
	p.to, p.Scale = to, min(to.W/w, to.H/h)
}

// LookAround is [Plane.Look] at a field of w by h units from 0, 0, with a margin. On a screen with a very different shape,
// such as an upright phone, the field would be a narrow stripe. There it is shown larger, and the camera follows at, up to
// the edge of the field.
func (p *Plane) LookAround(to *Canvas, w, h, margin float64, at Point, dt float64) {
	const odd, most = 1.5, 2.5 // threshold of the ratio between the filling and the fitting scale, and the largest magnification
	p.Look(to, w+margin, h+margin)
	if fill := max(to.W/(w+margin), to.H/(h+margin)) / p.Scale; fill > odd {
		p.Scale *= min(fill, most)
	}
	p.Follow(at.X, at.Y, dt)
	p.X, p.Y = within(p.X, w, margin, to.W/p.Scale), within(p.Y, h, margin, to.H/p.Scale)
}

// within returns the place nearest to at from which the visible width shows little beyond 0 to size plus the margin.
func within(at, size, margin, seen float64) float64 {
	if seen >= size+margin {
		return size / 2
	}
	return min(max(at, (seen-margin)/2), size-(seen-margin)/2)
}

// LookWide is [Plane.Look] by area: the visible area is that of a square with this side, whatever the shape of the screen.
func (p *Plane) LookWide(to *Canvas, side float64) {
	p.to, p.Scale = to, math.Sqrt(to.W*to.H)/side
}

// Follow moves the camera smoothly towards a place, by a step of dt seconds. The first call jumps there.
func (p *Plane) Follow(x, y, dt float64) {
	if !p.placed {
		p.X, p.Y, p.placed = x, y, true
		return
	}
	speed := 30.0
	if math.Hypot(x-p.X, y-p.Y) > 120 {
		speed = 7 // to another place
	}
	f := 1 - math.Exp(-dt*speed)
	p.X += (x - p.X) * f
	p.Y += (y - p.Y) * f
}

// Reset makes the next [Plane.Follow] jump.
func (p *Plane) Reset() { p.placed = false }

// up is the sign of y.
func (p *Plane) up() float64 {
	if p.Up {
		return -1
	}
	return 1
}

// OnScreen converts a place in the world to pixels.
func (p *Plane) OnScreen(x, y float64) (sx, sy float64) {
	if p.to == nil {
		return 0, 0
	}
	return (x-p.X)*p.Scale + p.to.W/2, (y-p.Y)*p.up()*p.Scale + p.to.H/2
}

// InWorld converts a pixel to a place in the world.
func (p *Plane) InWorld(sx, sy float64) Point {
	if p.to == nil || p.Scale == 0 {
		return Point{p.X, p.Y}
	}
	return Point{(sx-p.to.W/2)/p.Scale + p.X, (sy-p.to.H/2)/p.Scale*p.up() + p.Y}
}

// Sees reports whether a circle is on the screen.
func (p *Plane) Sees(x, y, radius float64) bool {
	sx, sy := p.OnScreen(x, y)
	r := radius * p.Scale
	return sx > -r && sy > -r && sx < p.to.W+r && sy < p.to.H+r
}

// Field draws the ground of a world of w by h units from 0, 0: a grid of lines every cell units, every fourth of them
// brighter, a wall around it, and emptiness beyond.
func (p *Plane) Field(w, h, cell float64) {
	c, s := p.to, p.Scale
	c.Backdrop(Floor)
	x0, y0 := p.OnScreen(0, 0)
	x1, y1 := p.OnScreen(w, h)
	if y0 > y1 {
		y0, y1 = y1, y0
	}
	// Draw each pixel beyond the wall once: overdraw is slow.
	left, top := min(max(x0, 0), c.W), min(max(y0, 0), c.H)
	right, bottom := max(min(x1, c.W), 0), max(min(y1, c.H), 0)
	c.Ground(0, 0, c.W, top, Background)
	c.Ground(0, bottom, c.W, c.H-bottom, Background)
	c.Ground(0, top, left, bottom-top, Background)
	c.Ground(right, top, c.W-right, bottom-top, Background)
	thin := max(c.Unit, 1)
	line := func(i int) Tint {
		if i%4 == 0 {
			return GridLine
		}
		return GridLine.Fade(0.45)
	}
	if cell > 0 {
		for i := range int(w/cell) + 1 {
			if x := math.Round(x0 + float64(i)*cell*s); x >= 0 && x <= c.W {
				c.Rect(x, top, thin, bottom-top, line(i))
			}
		}
		for i := range int(h/cell) + 1 {
			if y := math.Round(y0 + float64(i)*cell*s); y >= 0 && y <= c.H {
				c.Rect(left, y, right-left, thin, line(i))
			}
		}
	}
	thick := max(5*s, 3*c.Unit)
	for i, t := range [...]Tint{Wall.Fade(0.16), Wall.Fade(0.3), Wall} {
		d := thick * float64(2-i) * 1.4
		c.Rect(x0-thick-d, y0-thick-d, x1-x0+2*(thick+d), thick+d, t)
		c.Rect(x0-thick-d, y1, x1-x0+2*(thick+d), thick+d, t)
		c.Rect(x0-thick-d, y0, thick+d, y1-y0, t)
		c.Rect(x1, y0, thick+d, y1-y0, t)
	}
}

// Disc fills a circle.
func (p *Plane) Disc(x, y, diameter float64, t Tint) {
	sx, sy := p.OnScreen(x, y)
	p.to.Disc(sx, sy, diameter*p.Scale, t)
}

// Ball draws a disc with a rim and a shadow: a character.
func (p *Plane) Ball(x, y, diameter float64, t Tint) {
	sx, sy := p.OnScreen(x, y)
	d := diameter * p.Scale
	p.to.Disc(sx+0.08*d, sy+0.12*d, d*1.06, Tint{0, 0, 0, 0.35 * t.A})
	p.to.Ball(sx, sy, d, t)
}

// Ring draws a circle, inside of its diameter; all in units.
func (p *Plane) Ring(x, y, diameter, width float64, t Tint) {
	sx, sy := p.OnScreen(x, y)
	p.to.Ring(sx, sy, diameter*p.Scale, width*p.Scale, t)
}

// Glow draws a light that is gone at the edge of its diameter.
func (p *Plane) Glow(x, y, diameter float64, t Tint) {
	sx, sy := p.OnScreen(x, y)
	p.to.Glow(sx, sy, diameter*p.Scale, t)
}

// Box fills a rectangle with round corners of radius r around a middle, rotated by an angle in radians from x to y.
func (p *Plane) Box(x, y, w, h, r, turn float64, t Tint) {
	sx, sy := p.OnScreen(x, y)
	sin, cos := math.Sincos(turn * p.up())
	s := p.Scale
	p.to.Slab(sx, sy, w*s, h*s, r*s, cos, sin, t)
}

// Line draws a line with round ends; its width is in units too.
func (p *Plane) Line(x0, y0, x1, y1, width float64, t Tint) {
	ax, ay := p.OnScreen(x0, y0)
	bx, by := p.OnScreen(x1, y1)
	p.to.Line(ax, ay, bx, by, width*p.Scale, t)
}

// Path draws lines from one point to the next.
func (p *Plane) Path(points []Point, width float64, t Tint) {
	for i := 1; i < len(points); i++ {
		p.Line(points[i-1].X, points[i-1].Y, points[i].X, points[i].Y, width, t)
	}
}

// Fill fills a convex shape of at least three corners, in order around it.
func (p *Plane) Fill(points []Point, t Tint) {
	if len(points) < 3 {
		return
	}
	var on [mostCorners]Point
	n := min(len(points), mostCorners)
	for i := range n {
		on[i].X, on[i].Y = p.OnScreen(points[i].X, points[i].Y)
	}
	p.to.Shape(on[:n], t)
}

// Label writes a name centred over a place, above points higher.
func (p *Plane) Label(x, y, above float64, name string, t Tint) {
	sx, sy := p.OnScreen(x, y)
	p.to.Label(p.to.Small, sx, sy-above*p.to.Unit, 0.5, name, t)
}

// Number is [Plane.Label] of a number.
func (p *Plane) Number(x, y, above float64, n int, t Tint) {
	sx, sy := p.OnScreen(x, y)
	p.to.Text(p.to.Small, sx, sy-above*p.to.Unit, 0.5, strconv.AppendInt(p.to.Bytes(), int64(n), 10), t)
}
