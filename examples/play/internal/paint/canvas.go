package paint

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/hajimehoshi/ebiten/v2"
)

// Canvas draws on a screen in pixels, x to the right and y down. Consecutive shapes with the same shader reach the screen
// in one draw call. Text waits for [Canvas.Flush] and covers everything drawn before. Only letters are kept in a texture,
// because software renderers are slow with textures. Canvas allocates nothing per frame.
type Canvas struct {
	// Faces are the fonts.
	*Faces
	// W and H are the size of the screen in pixels.
	W, H float64
	// Unit is the number of pixels per point. Panels and text are laid out in points.
	Unit float64

	brushes *brushes
	to      ebiten.FinalScreen
	op      ebiten.DrawTrianglesShaderOptions
	adds    bool // additive blending
	cleared bool // the page clears frames to the colour floor
	floor   Tint // that one
	buf     [256]byte

	brush   *ebiten.Shader // shader of the waiting quads
	quads   []ebiten.Vertex
	letters []ebiten.Vertex
}

// corners are the positions of a quad's corners relative to its middle.
var corners = [4][2]float64{{-1, -1}, {1, -1}, {-1, 1}, {1, 1}}

// mostQuads is the number of quads per draw call; indices are their triangles.
const mostQuads = 2048

var indices = func() (all [mostQuads * 6]uint16) {
	for i := range uint16(mostQuads) {
		at := i * 4
		copy(all[int(i)*6:], []uint16{at, at + 1, at + 2, at + 1, at + 2, at + 3})
	}
	return all
}()

// New returns a canvas without a screen.
func New() *Canvas {
	return &Canvas{brushes: newBrushes(), quads: make([]ebiten.Vertex, 0, mostQuads*4), letters: make([]ebiten.Vertex, 0, mostQuads*4)}
}

// Begin starts a frame on a screen with unit pixels per point.
func (c *Canvas) Begin(screen ebiten.FinalScreen, unit float64) {
	c.to = screen
	c.W, c.H = float64(screen.Bounds().Dx()), float64(screen.Bounds().Dy())
	if unit != c.Unit {
		c.Unit, c.Faces = unit, newFaces(unit)
	}
}

// Backdrop fills the whole screen; call it first in a frame. On a page that clears the screen anyway, it sets the colour of
// clearing, at no cost.
func (c *Canvas) Backdrop(t Tint) {
	if t != c.floor {
		c.floor, c.cleared = t, clearTo(t)
	}
	if !c.cleared {
		c.Ground(0, 0, c.W, c.H, t)
	}
}

// Flush draws the waiting shapes, then the waiting text.
func (c *Canvas) Flush() {
	c.lay()
	if len(c.letters) > 0 {
		c.op.Images[0] = c.sheet
		c.to.DrawTrianglesShader(c.letters, indices[:len(c.letters)/4*6], c.brushes.letter, &c.op)
		c.op.Images[0] = nil
		c.letters = c.letters[:0]
	}
}

// lay draws the waiting shapes.
func (c *Canvas) lay() {
	if len(c.quads) > 0 {
		c.to.DrawTrianglesShader(c.quads, indices[:len(c.quads)/4*6], c.brush, &c.op)
		c.quads = c.quads[:0]
	}
}

// take makes room for a quad with a shader.
func (c *Canvas) take(brush *ebiten.Shader) {
	if brush != c.brush || len(c.quads) == cap(c.quads) {
		c.lay()
		c.brush = brush
	}
}

// quad adds a rectangle with the middle x, y and the half sizes w, h, rotated by the angle with the given cosine and sine.
// own are the parameters of its shader.
func (c *Canvas) quad(brush *ebiten.Shader, x, y, w, h, cos, sin float64, t Tint, own [4]float32) {
	c.take(brush)
	a := t.A
	if c.adds {
		a = 0
	}
	for i := range corners {
		dx, dy := corners[i][0]*w, corners[i][1]*h
		c.quads = append(c.quads, ebiten.Vertex{
			DstX: float32(x + dx*cos - dy*sin), DstY: float32(y + dx*sin + dy*cos), SrcX: float32(dx), SrcY: float32(dy),
			ColorR: t.R * t.A, ColorG: t.G * t.A, ColorB: t.B * t.A, ColorA: a,
			Custom0: own[0], Custom1: own[1], Custom2: own[2], Custom3: own[3],
		})
	}
}

// Light switches additive blending on or off.
func (c *Canvas) Light(on bool) { c.adds = on }

// Ground fills a rectangle without smooth edges, for large parts of the screen.
func (c *Canvas) Ground(x, y, w, h float64, t Tint) {
	if w > 0 && h > 0 {
		c.quad(c.brushes.plain, x+w/2, y+h/2, w/2, h/2, 1, 0, t, [4]float32{})
	}
}

// Rect fills a rectangle. x, y is its upper left corner.
func (c *Canvas) Rect(x, y, w, h float64, t Tint) {
	if w > 0 && h > 0 {
		c.quad(c.brushes.shape, x+w/2, y+h/2, w/2, h/2, 1, 0, t, [4]float32{1e5, 1e5, 1, 1})
	}
}

// Panel fills a rectangle with round corners of radius r.
func (c *Canvas) Panel(x, y, w, h, r float64, t Tint) { c.Slab(x+w/2, y+h/2, w, h, r, 1, 0, t) }

// Slab is Panel around a middle, rotated by the angle with the given cosine and sine.
func (c *Canvas) Slab(x, y, w, h, r, cos, sin float64, t Tint) {
	r = max(min(r, w/2, h/2), 0.5)
	c.quad(c.brushes.shape, x, y, w/2+0.5, h/2+0.5, cos, sin, t, [4]float32{float32(w/2 - r), float32(h/2 - r), float32(r + 0.5), 1})
}

// Disc fills a circle.
func (c *Canvas) Disc(x, y, diameter float64, t Tint) {
	r := diameter/2 + 0.5
	c.quad(c.brushes.shape, x, y, r, r, 1, 0, t, [4]float32{0, 0, float32(r), 1})
}

// Ring draws a circle inside its diameter.
func (c *Canvas) Ring(x, y, diameter, width float64, t Tint) {
	r := diameter/2 + 0.5
	c.quad(c.brushes.shape, x, y, r, r, 1, 0, t, [4]float32{-float32(width + 1), 0, float32(r), 1})
}

// Glow draws a light that fades to nothing at its diameter.
func (c *Canvas) Glow(x, y, diameter float64, t Tint) {
	r := diameter / 2
	c.quad(c.brushes.shape, x, y, r, r, 1, 0, t, [4]float32{0, 0, float32(r), float32(1 / max(r, 1))})
}

// Line draws a line with round ends.
func (c *Canvas) Line(x0, y0, x1, y1, width float64, t Tint) {
	dx, dy := x1-x0, y1-y0
	long := math.Hypot(dx, dy)
	if long == 0 {
		return
	}
	c.Slab((x0+x1)/2, (y0+y1)/2, long+width, width, width/2, dx/long, dy/long, t)
}

// Beam draws a soft line that fades in along its length.
func (c *Canvas) Beam(x0, y0, x1, y1, width float64, t Tint) {
	dx, dy := x1-x0, y1-y0
	long := math.Hypot(dx, dy)
	if long == 0 {
		return
	}
	r := min(width, long) / 2
	c.quad(c.brushes.shape, (x0+x1)/2, (y0+y1)/2, long/2, r, dx/long, dy/long, t, [4]float32{float32(long/2 - r), 0, float32(r), float32(1 / max(r, 1))})
	tail := c.quads[len(c.quads)-4:]
	for _, i := range [...]int{0, 2} {
		tail[i].ColorR, tail[i].ColorG, tail[i].ColorB, tail[i].ColorA = 0, 0, 0, 0
	}
}

// Ball draws a disc with a rim, lit from the left.
func (c *Canvas) Ball(x, y, diameter float64, t Tint) { c.token(c.brushes.body, x, y, diameter, 0, t) }

// Drone draws a hexagon with an eye, turned by an angle in radians.
func (c *Canvas) Drone(x, y, diameter, turn float64, t Tint) {
	c.token(c.brushes.drone, x, y, diameter, turn, t)
}

// token draws an actor with a shader.
func (c *Canvas) token(brush *ebiten.Shader, x, y, diameter, turn float64, t Tint) {
	sin, cos := math.Sincos(turn)
	r := diameter / 2
	c.quad(brush, x, y, r+1, r+1, cos, sin, t, [4]float32{float32(r)})
}

// Text draws text with its baseline at y. align is 0 to start at x, 0.5 to centre at x, and 1 to end at x. It returns the
// width of the text.
func (c *Canvas) Text(f *Face, x, y, align float64, b []byte, t Tint) float64 {
	if align != 0 {
		x -= align * f.Width(b)
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

// letterAt adds a glyph. x, y is its upper left corner.
func (c *Canvas) letterAt(x, y float32, g *glyph, t Tint) {
	if len(c.letters) == cap(c.letters) {
		c.Flush()
	}
	for i := range 4 {
		dx, dy := float32(i&1)*g.w, float32(i>>1)*g.h
		c.letters = append(c.letters, ebiten.Vertex{
			DstX: x + dx, DstY: y + dy, SrcX: g.x + dx, SrcY: g.y + dy,
			ColorR: t.R * t.A, ColorG: t.G * t.A, ColorB: t.B * t.A, ColorA: t.A,
		})
	}
}

// Label is Text for a string. It allocates for more than 256 bytes.
func (c *Canvas) Label(f *Face, x, y, align float64, s string, t Tint) float64 {
	return c.Text(f, x, y, align, append(c.buf[:0], s...), t)
}

// Bytes returns an empty buffer for 256 bytes of text, for immediate use.
func (c *Canvas) Bytes() []byte { return c.buf[:0] }

// Lines draws text centred around x, in lines of at most the width most and the height high.
func (c *Canvas) Lines(f *Face, x, y, most, high float64, s string, t Tint) {
	for s != "" {
		n := f.fits(s, most)
		c.Label(f, x, y, 0.5, s[:n], t)
		s, y = strings.TrimLeft(s[n:], " \n"), y+high
	}
}

// vertexOf returns the vertex of a corner.
func vertexOf(at Point, t Tint, own [4]float32) ebiten.Vertex {
	return ebiten.Vertex{
		DstX: float32(at.X), DstY: float32(at.Y), ColorR: t.R * t.A, ColorG: t.G * t.A, ColorB: t.B * t.A, ColorA: t.A,
		Custom0: own[0], Custom1: own[1], Custom2: own[2], Custom3: own[3],
	}
}
