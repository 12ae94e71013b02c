package paint

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

// Face draws the characters of one size on first use and keeps them.
type Face struct {
	font   font.Face
	of     *Faces
	glyphs map[rune]*glyph
	// High is the height of a capital in pixels.
	High float64
}

// Faces are the fonts for one scale, and the texture with their characters.
type Faces struct {
	// Small is 12 points high, Normal and Bold 14, Big 20, Huge 38.
	Small, Normal, Bold, Big, Huge *Face

	sheet *ebiten.Image
	x, y  int // next free position
	row   int // height of the current row
}

// sheetSize is the side of the sheet in pixels: room for a thousand characters.
const sheetSize = 1024

// mostGlyphs is the number of characters in a face. Names may contain any characters.
const mostGlyphs = 512

// newFaces returns the fonts for a screen with unit pixels per point. It cannot fail, because the fonts are embedded.
func newFaces(unit float64) *Faces {
	g := &Faces{sheet: ebiten.NewImageWithOptions(image.Rect(0, 0, sheetSize, sheetSize), &ebiten.NewImageOptions{Unmanaged: true})}
	parse := func(ttf []byte) *opentype.Font {
		f, err := opentype.Parse(ttf)
		if err != nil {
			panic(err)
		}
		return f
	}
	make := func(of *opentype.Font, points float64) *Face {
		f, err := opentype.NewFace(of, &opentype.FaceOptions{Size: points * unit, DPI: 72, Hinting: font.HintingFull})
		if err != nil {
			panic(err)
		}
		return &Face{font: f, of: g, glyphs: map[rune]*glyph{}, High: float64(f.Metrics().CapHeight) / 64}
	}
	regular, bold := parse(goregular.TTF), parse(gobold.TTF)
	g.Small, g.Normal, g.Bold = make(regular, 12), make(regular, 14), make(bold, 14)
	g.Big, g.Huge = make(bold, 20), make(bold, 38)
	return g
}

// place reserves space on the sheet. If the sheet is full, it clears all faces first.
func (g *Faces) place(w, h int) (x, y int) {
	if g.x+w > sheetSize {
		g.x, g.y, g.row = 0, g.y+g.row, 0
	}
	if g.y+h > sheetSize {
		for _, f := range [...]*Face{g.Small, g.Normal, g.Bold, g.Big, g.Huge} {
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
func (f *Face) glyph(r rune) *glyph {
	g := f.glyphs[r]
	if g != nil {
		return g
	}
	if len(f.glyphs) >= mostGlyphs {
		clear(f.glyphs)
	}
	g = &glyph{}
	box, mask, at, advance, _ := f.font.Glyph(fixed.Point26_6{}, r)
	shown := mask != nil // also for the box of a missing character
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

// Width returns the width of a text in pixels.
func (f *Face) Width(b []byte) (w float64) {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		b = b[n:]
		w += f.glyph(r).advance
	}
	return w
}

// fits returns the number of bytes that fit in a line of the given width. It breaks between words, and inside a word that
// is too long.
func (f *Face) fits(s string, most float64) int {
	at, space := 0.0, 0
	for i, r := range s {
		if r == '\n' && i > 0 {
			return i
		}
		if r == ' ' {
			space = i
		}
		if at += f.glyph(r).advance; at > most && i > 0 {
			if space > 0 {
				return space
			}
			return i
		}
	}
	return len(s)
}
