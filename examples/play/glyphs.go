package main

import (
	"image"
	"unicode/utf8"

	"github.com/hajimehoshi/ebiten/v2"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// glyph is a drawn character.
type glyph struct {
	x, y, w, h float32 // on the sheet; w 0: nothing to see
	dx, dy     float64 // from the pen to the left upper corner
	advance    float64
}

// face draws characters of one size when they are first needed, and keeps them.
type face struct {
	font   font.Face
	of     *glyphs
	glyphs map[rune]*glyph
	high   float64 // of a capital
}

// glyphs are the faces for one scale, and the sheet that their characters are on.
type glyphs struct {
	small, normal, bold, big, huge *face

	sheet *ebiten.Image
	x, y  int // where there is room
	row   int // how high the row is
}

// sheetSize is the side of the sheet in pixels: room for a thousand characters.
const sheetSize = 1024

// mostGlyphs is how many characters a face keeps. Names may be of any characters.
const mostGlyphs = 512

// newGlyphs makes faces for a screen on which a point has so many pixels. The fonts
// are part of the program, so that there is nothing to fail.
func newGlyphs(unit float64) *glyphs {
	g := &glyphs{sheet: ebiten.NewImageWithOptions(image.Rect(0, 0, sheetSize, sheetSize), &ebiten.NewImageOptions{Unmanaged: true})}
	parse := func(ttf []byte) *opentype.Font {
		f, err := opentype.Parse(ttf)
		if err != nil {
			panic(err)
		}
		return f
	}
	make := func(of *opentype.Font, points float64) *face {
		f, err := opentype.NewFace(of, &opentype.FaceOptions{Size: points * unit, DPI: 72, Hinting: font.HintingFull})
		if err != nil {
			panic(err)
		}
		return &face{font: f, of: g, glyphs: map[rune]*glyph{}, high: float64(f.Metrics().CapHeight) / 64}
	}
	regular, bold := parse(goregular.TTF), parse(gobold.TTF)
	g.small, g.normal, g.bold = make(regular, 12), make(regular, 14), make(bold, 14)
	g.big, g.huge = make(bold, 20), make(bold, 38)
	return g
}

// place finds room on the sheet. When there is none left, all faces begin again.
func (g *glyphs) place(w, h int) (x, y int) {
	if g.x+w > sheetSize {
		g.x, g.y, g.row = 0, g.y+g.row, 0
	}
	if g.y+h > sheetSize {
		for _, f := range [...]*face{g.small, g.normal, g.bold, g.big, g.huge} {
			clear(f.glyphs)
		}
		g.x, g.y, g.row = 0, 0, 0
	}
	x, y = g.x, g.y
	g.x += w
	g.row = max(g.row, h)
	return x, y
}

// glyph returns a character.
func (f *face) glyph(r rune) *glyph {
	g := f.glyphs[r]
	if g != nil {
		return g
	}
	if len(f.glyphs) >= mostGlyphs {
		clear(f.glyphs)
	}
	g = &glyph{}
	box, mask, at, advance, _ := f.font.Glyph(fixed.Point26_6{}, r)
	shown := mask != nil // be it the box for a character that the font lacks
	if shown {
		g.advance, g.dx, g.dy = float64(advance)/64, float64(box.Min.X), float64(box.Min.Y)
	}
	w, h := box.Dx(), box.Dy()
	if shown && !box.Empty() && w < sheetSize && h < sheetSize {
		pixels := make([]byte, 4*w*h)
		for y := range h {
			for x := range w {
				_, _, _, a := mask.At(at.X+x, at.Y+y).RGBA()
				v := uint8(a >> 8)
				copy(pixels[4*(y*w+x):], []byte{v, v, v, v})
			}
		}
		x, y := f.of.place(w, h)
		f.of.sheet.SubImage(image.Rect(x, y, x+w, y+h)).(*ebiten.Image).WritePixels(pixels)
		g.x, g.y, g.w, g.h = float32(x), float32(y), float32(w), float32(h)
	}
	f.glyphs[r] = g
	return g
}

// width is how far a text goes.
func (f *face) width(b []byte) (w float64) {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		b = b[n:]
		w += f.glyph(r).advance
	}
	return w
}
