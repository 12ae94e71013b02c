package overlay

import "image/color"

// Canvas is the drawing surface of an overlay: an adapter of a few lines for the game's graphics library. Positions
// and lengths are in points, from the upper left corner; y points down. The canvas defines the size of a point: text
// of 12 points should be legible.
type Canvas interface {
	// Size returns the size of the screen.
	Size() (w, h float64)
	// Rect fills a rectangle with rounded corners of radius round: 0 for square corners, half of the shorter side for
	// a disc. A canvas without this feature may draw square corners.
	Rect(x, y, w, h, round float64, c color.NRGBA)
	// Line draws a line.
	Line(x0, y0, x1, y1, width float64, c color.NRGBA)
	// Text draws UTF-8 text 12 points high. Its baseline starts at x, y. Text must not keep the slice.
	Text(x, y float64, text []byte, c color.NRGBA)
	// TextWidth returns the width of a text.
	TextWidth(text []byte) float64
}

// Colours.
var (
	white = color.NRGBA{255, 255, 255, 255}
	muted = color.NRGBA{143, 162, 214, 255}
	cyan  = color.NRGBA{79, 227, 255, 255}
	green = color.NRGBA{95, 224, 140, 255}
	amber = color.NRGBA{255, 200, 90, 255}
	red   = color.NRGBA{255, 93, 108, 255}
	pink  = color.NRGBA{255, 138, 209, 255}
	glass = color.NRGBA{8, 13, 28, 246}
)

// fade returns a colour with its alpha multiplied by a factor.
func fade(c color.NRGBA, by float64) color.NRGBA {
	c.A = uint8(float64(c.A) * min(max(by, 0), 1))
	return c
}

// pen draws on a canvas without allocations.
type pen struct {
	Canvas
	buf [96]byte
}

// label draws a string and returns its width.
func (p *pen) label(x, y float64, s string, c color.NRGBA) float64 {
	b := append(p.buf[:0], s...)
	p.Text(x, y, b, c)
	return p.TextWidth(b)
}

// right draws a text that ends at x, and returns its width.
func (p *pen) right(x, y float64, b []byte, c color.NRGBA) float64 {
	w := p.TextWidth(b)
	p.Text(x-w, y, b, c)
	return w
}

// clip draws a text and cuts it off at the width w.
func (p *pen) clip(x, y, w float64, b []byte, c color.NRGBA) {
	if p.TextWidth(b) > w {
		for len(b) > 0 && p.TextWidth(b) > w-10 {
			n := len(b) - 1
			for n > 0 && b[n]&0xc0 == 0x80 {
				n--
			}
			b = b[:n]
		}
		b = append(b, "…"...)
	}
	p.Text(x, y, b, c)
}

// ring draws a circle.
func (p *pen) ring(x, y, r, width float64, c color.NRGBA) {
	fromX, fromY := circle[len(circle)-1][0], circle[len(circle)-1][1]
	for _, to := range circle {
		p.Line(x+fromX*r, y+fromY*r, x+to[0]*r, y+to[1]*r, width, c)
		fromX, fromY = to[0], to[1]
	}
}

// dot draws a disc.
func (p *pen) dot(x, y, r float64, c color.NRGBA) { p.Rect(x-r, y-r, 2*r, 2*r, r, c) }

// cross draws a cross.
func (p *pen) cross(x, y, r, width float64, c color.NRGBA) {
	p.Line(x-r, y-r, x+r, y+r, width, c)
	p.Line(x-r, y+r, x+r, y-r, width, c)
}

// circle approximates a circle with twelve corners.
var circle = [12][2]float64{
	{1, 0}, {0.866, 0.5}, {0.5, 0.866}, {0, 1}, {-0.5, 0.866}, {-0.866, 0.5},
	{-1, 0}, {-0.866, -0.5}, {-0.5, -0.866}, {0, -1}, {0.5, -0.866}, {0.866, -0.5},
}
