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

// canvas draws on a screen. It allocates nothing.
type canvas struct {
	*sprites
	glyphs *glyphs
	to     *ebiten.Image
	op     ebiten.DrawImageOptions
	w, h   float64 // pixels
	unit   float64 // pixels of a point, in which panels are laid out
	work   float64 // seconds of a frame before Ebitengine draws it, smoothed
	buf    [256]byte

	corners   [16]ebiten.Vertex // of a panel
	triangles ebiten.DrawTrianglesOptions
}

// place draws an image with its middle at x, y, as large as w×h, turned.
func (c *canvas) place(img *ebiten.Image, x, y, w, h, turn float64, t tint) {
	b := img.Bounds()
	iw, ih := float64(b.Dx()), float64(b.Dy())
	c.op.GeoM.Reset()
	c.op.GeoM.Translate(-iw/2, -ih/2)
	c.op.GeoM.Scale(w/iw, h/ih)
	if turn != 0 {
		c.op.GeoM.Rotate(turn)
	}
	c.op.GeoM.Translate(x, y)
	c.draw(img, t, ebiten.FilterLinear)
}

func (c *canvas) draw(img *ebiten.Image, t tint, f ebiten.Filter) {
	c.op.ColorScale.Reset()
	c.op.ColorScale.Scale(t.r*t.a, t.g*t.a, t.b*t.a, t.a)
	c.op.Filter = f
	c.to.DrawImage(img, &c.op)
}

// light makes what follows add up with what is there, or no longer.
func (c *canvas) light(on bool) {
	if on {
		c.op.Blend = ebiten.BlendLighter
	} else {
		c.op.Blend = ebiten.BlendSourceOver
	}
}

// shape draws a sprite whose shape has a diameter of d.
func (c *canvas) shape(img *ebiten.Image, x, y, d, turn float64, t tint) {
	d *= spriteSize / float64(inner)
	c.place(img, x, y, d, d, turn, t)
}

// rect fills a rectangle.
func (c *canvas) rect(x, y, w, h float64, t tint) {
	c.op.GeoM.Reset()
	c.op.GeoM.Scale(w/4, h/4)
	c.op.GeoM.Translate(x, y)
	c.draw(c.pixel, t, ebiten.FilterNearest)
}

// line draws a line with soft edges, that fades in over its first third.
func (c *canvas) line(x0, y0, x1, y1, width float64, t tint) {
	dx, dy := x1-x0, y1-y0
	c.place(c.beam, (x0+x1)/2, (y0+y1)/2, math.Hypot(dx, dy), width, math.Atan2(dy, dx), t)
}

// panel fills a rectangle with round corners.
func (c *canvas) panel(x, y, w, h, r float64, t tint) {
	r = min(r, w/2, h/2)
	const lo, mid, hi = (spriteSize - inner) / 2, spriteSize / 2, (spriteSize + inner) / 2
	xs, ys := [4]float64{x, x + r, x + w - r, x + w}, [4]float64{y, y + r, y + h - r, y + h}
	from := [4]float32{lo, mid, mid, hi}
	for i := range c.corners {
		col, row := i%4, i/4
		c.corners[i] = ebiten.Vertex{
			DstX: float32(xs[col]), DstY: float32(ys[row]), SrcX: from[col], SrcY: from[row],
			ColorR: t.r * t.a, ColorG: t.g * t.a, ColorB: t.b * t.a, ColorA: t.a,
		}
	}
	c.triangles.ColorScaleMode = ebiten.ColorScaleModePremultipliedAlpha
	c.triangles.Filter = ebiten.FilterLinear
	c.to.DrawTriangles(c.corners[:], patches[:], c.disc, &c.triangles)
}

// patches are the triangles of a panel: nine patches of two.
var patches = func() (all [54]uint16) {
	for i := range uint16(9) {
		at := i/3*4 + i%3
		copy(all[i*6:], []uint16{at, at + 1, at + 4, at + 1, at + 4, at + 5})
	}
	return all
}()

// text draws bytes with the left end of their base line at x, y; align 0.5 centres
// them there, 1 ends there. It returns their width.
func (c *canvas) text(f *face, x, y, align float64, b []byte, t tint) float64 {
	w := f.width(b)
	x = math.Round(x - align*w)
	y = math.Round(y)
	at := 0.0
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		b = b[n:]
		g := f.glyph(r)
		if g.img != nil {
			c.op.GeoM.Reset()
			c.op.GeoM.Translate(math.Round(x+at)+g.dx, y+g.dy)
			c.draw(g.img, t, ebiten.FilterNearest)
		}
		at += g.advance
	}
	return w
}

// label is text of a string, which must be short.
func (c *canvas) label(f *face, x, y, align float64, s string, t tint) float64 {
	return c.text(f, x, y, align, append(c.buf[:0], s...), t)
}
