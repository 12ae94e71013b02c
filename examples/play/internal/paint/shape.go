package paint

import "math"

// mostCorners is how many corners a shape has at most; more are cut off.
const mostCorners = 32

// Shape fills a convex shape of at least three corners in pixels, in either direction around it. Its edges are smooth and
// extend half a pixel beyond the corners.
func (c *Canvas) Shape(corners []Point, t Tint) {
	var tints [mostCorners]Tint
	for i := range tints[:min(len(corners), mostCorners)] {
		tints[i] = t
	}
	c.shaded(corners, &tints)
}

// shaded is [Canvas.Shape] with a colour for each corner.
func (c *Canvas) shaded(corners []Point, tints *[mostCorners]Tint) {
	n := min(len(corners), mostCorners)
	if n < 3 {
		return
	}
	area := 0.0
	for i := range n {
		a, b := corners[i], corners[(i+1)%n]
		area += a.X*b.Y - b.X*a.Y
	}
	if math.Abs(area) < 1e-9 {
		return
	}
	side := math.Copysign(1, area)
	// Edges as lines. Distances are positive inside.
	var edges [mostCorners]struct{ x, y, off float64 }
	for i := range n {
		a, b := corners[i], corners[(i+1)%n]
		dx, dy := b.X-a.X, b.Y-a.Y
		if long := math.Hypot(dx, dy); long > 1e-9 {
			x, y := -dy/long*side, dx/long*side
			edges[i].x, edges[i].y, edges[i].off = x, y, x*a.X+y*a.Y
		} else {
			edges[i].off = -1e6 // no edge: everything is inside
		}
	}
	far := func(i int, p Point) float32 {
		return float32(edges[i].x*p.X + edges[i].y*p.Y - edges[i].off)
	}
	// Move the corners out by a pixel for the smooth edge.
	var out [mostCorners]Point
	for i := range n {
		out[i] = grown(corners[(i+n-1)%n], corners[i], corners[(i+1)%n], side)
	}
	// Split into quads 0 1 2 3, 0 3 4 5 and so on. Each has its own outer edges.
	for i := 1; i+1 < n; i += 2 {
		last := min(i+2, n-1)
		quad := [4]int{0, i, last, i + 1} // in the order of the triangles 0 1 2 and 1 2 3
		known := [4]int{-1, i, -1, -1}
		if i == 1 {
			known[0] = 0
		}
		if last == i+2 {
			known[2] = i + 1
		}
		if last == n-1 {
			known[3] = n - 1
		}
		c.take(c.brushes.edged)
		for _, k := range quad {
			var own [4]float32
			for j, e := range known {
				own[j] = 1e6
				if e >= 0 {
					own[j] = far(e, out[k])
				}
			}
			c.corner(out[k], tints[k], own)
		}
	}
}

// grown returns a corner moved out by a pixel from both of its edges, and by at most ten pixels at a sharp corner.
func grown(before, at, after Point, side float64) Point {
	ax, ay := at.X-before.X, at.Y-before.Y
	bx, by := after.X-at.X, after.Y-at.Y
	a, b := math.Hypot(ax, ay), math.Hypot(bx, by)
	if a < 1e-9 || b < 1e-9 {
		return at
	}
	// Normals that point out, and where lines a pixel further out meet.
	nx, ny, mx, my := ay/a*side, -ax/a*side, by/b*side, -bx/b*side
	f := 1 / max(1+nx*mx+ny*my, 0.02)
	return Point{at.X + (nx+mx)*f, at.Y + (ny+my)*f}
}

// corner adds a corner of a quad.
func (c *Canvas) corner(at Point, t Tint, own [4]float32) {
	v := vertexOf(at, t, own)
	if c.adds {
		v.ColorA = 0
	}
	c.quads = append(c.quads, v)
}
