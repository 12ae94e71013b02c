package main

import (
	"math"
	"unicode/utf8"

	"github.com/hajimehoshi/ebiten/v2"
)

// tint is a colour with alpha, 0 to 1, not multiplied.
type tint struct{ r, g, b, a float32 }

// rgb is a colour written as 0xRRGGBB.
func rgb(hex uint32) tint {
	return tint{float32(hex>>16&255) / 255, float32(hex>>8&255) / 255, float32(hex&255) / 255, 1}
}

// fade is t with its alpha multiplied.
func (t tint) fade(a float64) tint { t.a *= float32(a); return t }

// toward is t on its way to another colour.
func (t tint) toward(o tint, f float64) tint {
	k := float32(f)
	return tint{t.r + (o.r-t.r)*k, t.g + (o.g-t.g)*k, t.b + (o.b-t.b)*k, t.a + (o.a-t.a)*k}
}

// canvas draws on a screen. What is drawn one after the other with one brush reaches the
// screen at once; text waits for [canvas.flush], and lies over all that was drawn before
// it. Nothing is kept in textures but letters: the processor that draws in the place of a
// graphics card is slow at those. It allocates nothing.
type canvas struct {
	*brushes
	glyphs *glyphs
	to     ebiten.FinalScreen
	op     ebiten.DrawTrianglesShaderOptions
	w, h   float64 // pixels
	unit   float64 // pixels of a point, in which panels are laid out
	work   float64 // seconds of a frame before Ebitengine draws it, smoothed
	adds   bool    // what is drawn adds up with what is there
	buf    [256]byte

	brush   *ebiten.Shader // of what waits in quads
	quads   []ebiten.Vertex
	letters []ebiten.Vertex
}

// corners are where the four corners of a quad are from its middle.
var corners = [4][2]float64{{-1, -1}, {1, -1}, {-1, 1}, {1, 1}}

// mostQuads is how many quads go to the screen at once; indices are their triangles.
const mostQuads = 2048

var indices = func() (all [mostQuads * 6]uint16) {
	for i := range uint16(mostQuads) {
		at := i * 4
		copy(all[int(i)*6:], []uint16{at, at + 1, at + 2, at + 1, at + 2, at + 3})
	}
	return all
}()

// newCanvas makes a canvas without a screen.
func newCanvas() canvas {
	return canvas{brushes: newBrushes(), quads: make([]ebiten.Vertex, 0, mostQuads*4), letters: make([]ebiten.Vertex, 0, mostQuads*4)}
}

// flush brings to the screen what waits: shapes, then text.
func (c *canvas) flush() {
	c.lay()
	if len(c.letters) > 0 {
		c.op.Images[0] = c.glyphs.sheet
		c.to.DrawTrianglesShader(c.letters, indices[:len(c.letters)/4*6], c.letter, &c.op)
		c.op.Images[0] = nil
		c.letters = c.letters[:0]
	}
}

// lay brings shapes to the screen.
func (c *canvas) lay() {
	if len(c.quads) > 0 {
		c.to.DrawTrianglesShader(c.quads, indices[:len(c.quads)/4*6], c.brush, &c.op)
		c.quads = c.quads[:0]
	}
}

// quad adds a rectangle around x, y, half of which is w×h, turned by an angle of which
// these are cosine and sine, for a brush with its own four numbers.
func (c *canvas) quad(brush *ebiten.Shader, x, y, w, h, cos, sin float64, t tint, own [4]float32) {
	if brush != c.brush || len(c.quads) == cap(c.quads) {
		c.lay()
		c.brush = brush
	}
	a := t.a
	if c.adds {
		a = 0
	}
	for i := range corners {
		dx, dy := corners[i][0]*w, corners[i][1]*h
		c.quads = append(c.quads, ebiten.Vertex{
			DstX: float32(x + dx*cos - dy*sin), DstY: float32(y + dx*sin + dy*cos), SrcX: float32(dx), SrcY: float32(dy),
			ColorR: t.r * t.a, ColorG: t.g * t.a, ColorB: t.b * t.a, ColorA: a,
			Custom0: own[0], Custom1: own[1], Custom2: own[2], Custom3: own[3],
		})
	}
}

// light makes what follows add up with what is there, or no longer.
func (c *canvas) light(on bool) { c.adds = on }

// rect fills a rectangle.
func (c *canvas) rect(x, y, w, h float64, t tint) {
	if w > 0 && h > 0 {
		c.quad(c.shape, x+w/2, y+h/2, w/2, h/2, 1, 0, t, [4]float32{1e5, 1e5, 1, 1})
	}
}

// ground fills a rectangle where nothing has been drawn.
func (c *canvas) ground(x, y, w, h float64, t tint) {
	if w > 0 && h > 0 {
		c.quad(c.plain, x+w/2, y+h/2, w/2, h/2, 1, 0, t, [4]float32{})
	}
}

// disc fills a circle.
func (c *canvas) disc(x, y, diameter float64, t tint) {
	r := diameter/2 + 0.5
	c.quad(c.shape, x, y, r, r, 1, 0, t, [4]float32{0, 0, float32(r), 1})
}

// ring draws a circle, inside of its diameter.
func (c *canvas) ring(x, y, diameter, width float64, t tint) {
	r := diameter/2 + 0.5
	c.quad(c.shape, x, y, r, r, 1, 0, t, [4]float32{-float32(width + 1), 0, float32(r), 1})
}

// glow draws a light that is gone at the edge of its diameter.
func (c *canvas) glow(x, y, diameter float64, t tint) {
	r := diameter / 2
	c.quad(c.shape, x, y, r, r, 1, 0, t, [4]float32{0, 0, float32(r), float32(1 / max(r, 1))})
}

// panel fills a rectangle with round corners.
func (c *canvas) panel(x, y, w, h, r float64, t tint) { c.slab(x+w/2, y+h/2, w, h, r, 1, 0, t) }

// slab is a panel by its middle, turned.
func (c *canvas) slab(x, y, w, h, r, cos, sin float64, t tint) {
	r = max(min(r, w/2, h/2), 0.5)
	c.quad(c.shape, x, y, w/2+0.5, h/2+0.5, cos, sin, t, [4]float32{float32(w/2 - r), float32(h/2 - r), float32(r + 0.5), 1})
}

// line draws a line with round ends.
func (c *canvas) line(x0, y0, x1, y1, width float64, t tint) {
	dx, dy := x1-x0, y1-y0
	long := math.Hypot(dx, dy)
	if long == 0 {
		return
	}
	c.slab((x0+x1)/2, (y0+y1)/2, long+width, width, width/2, dx/long, dy/long, t)
}

// beam draws a soft line that comes up from nothing.
func (c *canvas) beam(x0, y0, x1, y1, width float64, t tint) {
	dx, dy := x1-x0, y1-y0
	long := math.Hypot(dx, dy)
	if long == 0 {
		return
	}
	r := min(width, long) / 2
	c.quad(c.shape, (x0+x1)/2, (y0+y1)/2, long/2, r, dx/long, dy/long, t, [4]float32{float32(long/2 - r), 0, float32(r), float32(1 / max(r, 1))})
	tail := c.quads[len(c.quads)-4:]
	for _, i := range [...]int{0, 2} {
		tail[i].ColorR, tail[i].ColorG, tail[i].ColorB, tail[i].ColorA = 0, 0, 0, 0
	}
}

// token draws an actor with a brush for such.
func (c *canvas) token(brush *ebiten.Shader, x, y, diameter, turn float64, t tint) {
	sin, cos := math.Sincos(turn)
	r := diameter / 2
	c.quad(brush, x, y, r+1, r+1, cos, sin, t, [4]float32{float32(r)})
}

// text draws bytes with the left end of their base line at x, y; align 0.5 centres
// them there, 1 ends there. It returns their width.
func (c *canvas) text(f *face, x, y, align float64, b []byte, t tint) float64 {
	if align != 0 {
		x -= align * f.width(b)
	}
	x, y = math.Round(x), math.Round(y)
	at := 0.0
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		b = b[n:]
		g := f.glyph(r)
		if g.w > 0 {
			c.letterAt(float32(math.Round(x+at)+g.dx), float32(y+g.dy), g, t)
		}
		at += g.advance
	}
	return at
}

// letterAt adds a glyph by its left upper corner.
func (c *canvas) letterAt(x, y float32, g *glyph, t tint) {
	if len(c.letters) == cap(c.letters) {
		c.flush()
	}
	for i := range 4 {
		dx, dy := float32(i&1)*g.w, float32(i>>1)*g.h
		c.letters = append(c.letters, ebiten.Vertex{
			DstX: x + dx, DstY: y + dy, SrcX: g.x + dx, SrcY: g.y + dy,
			ColorR: t.r * t.a, ColorG: t.g * t.a, ColorB: t.b * t.a, ColorA: t.a,
		})
	}
}

// label is text of a string, which must be short.
func (c *canvas) label(f *face, x, y, align float64, s string, t tint) float64 {
	return c.text(f, x, y, align, append(c.buf[:0], s...), t)
}
