package main

import (
	"image"
	"image/color"
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
	img     *ebiten.Image // nil: nothing to see
	dx, dy  float64       // from the pen to the image
	advance float64
}

// face draws characters of one size when they are first needed, and keeps them.
type face struct {
	font   font.Face
	glyphs map[rune]*glyph
	high   float64 // of a capital
}

// glyphs are the faces for one scale.
type glyphs struct {
	small, normal, bold, big, huge *face
}

// newGlyphs makes faces for a screen on which a point has so many pixels. The fonts
// are part of the program, so that there is nothing to fail.
func newGlyphs(unit float64) *glyphs {
	make := func(ttf []byte, points float64) *face {
		parsed, err := opentype.Parse(ttf)
		if err != nil {
			panic(err)
		}
		f, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: points * unit, DPI: 72, Hinting: font.HintingFull})
		if err != nil {
			panic(err)
		}
		return &face{font: f, glyphs: map[rune]*glyph{}, high: float64(f.Metrics().CapHeight) / 64}
	}
	return &glyphs{
		small: make(goregular.TTF, 12), normal: make(goregular.TTF, 14), bold: make(gobold.TTF, 14),
		big: make(gobold.TTF, 20), huge: make(gobold.TTF, 38),
	}
}

// glyph returns a character.
func (f *face) glyph(r rune) *glyph {
	g := f.glyphs[r]
	if g != nil {
		return g
	}
	g = &glyph{}
	f.glyphs[r] = g
	box, mask, at, advance, ok := f.font.Glyph(fixed.Point26_6{}, r)
	if !ok {
		return g
	}
	g.advance, g.dx, g.dy = float64(advance)/64, float64(box.Min.X), float64(box.Min.Y)
	if box.Empty() {
		return g
	}
	img := image.NewRGBA(image.Rect(0, 0, box.Dx(), box.Dy()))
	for y := range box.Dy() {
		for x := range box.Dx() {
			_, _, _, a := mask.At(at.X+x, at.Y+y).RGBA()
			v := uint8(a >> 8)
			img.SetRGBA(x, y, color.RGBA{v, v, v, v})
		}
	}
	g.img = ebiten.NewImageFromImage(img)
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
