package main

import (
	"image"
	"math"

	"github.com/hajimehoshi/ebiten/v2"
)

// sprites are white shapes, drawn once from their distance functions with soft edges,
// to be scaled and tinted.
type sprites struct {
	pixel, disc, ring, glow, body, drone, barrel, beam *ebiten.Image
}

// spriteSize is the side of a shape's image in pixels; the shape fills the circle or
// square of [inner] pixels in it.
const (
	spriteSize = 128
	inner      = 112
)

func newSprites() *sprites {
	const r = inner / 2.0
	disc := func(x, y float64) float64 { return math.Hypot(x, y) - r }
	hexagon := func(x, y float64) float64 { // with round corners
		x, y = math.Abs(x), math.Abs(y)
		const round = 12
		d := max(x*0.866025+y*0.5, y) - (r*0.90 - round)
		// Behind the corners the distance grows like that from a circle.
		return d - round + max(math.Hypot(x, y)-r, 0)
	}
	return &sprites{
		pixel: sprite(4, 4, func(float64, float64) (v, a float64) { return 1, 1 }),
		disc:  sprite(spriteSize, spriteSize, func(x, y float64) (v, a float64) { return 1, edge(disc(x, y)) }),
		ring: sprite(spriteSize, spriteSize, func(x, y float64) (v, a float64) {
			return 1, edge(math.Abs(disc(x, y)+4) - 4)
		}),
		glow: sprite(spriteSize, spriteSize, func(x, y float64) (v, a float64) {
			f := max(1-math.Hypot(x, y)/(spriteSize/2), 0)
			return 1, f * f * (3 - 2*f)
		}),
		// Lighter at the top left, with a dark rim inside a bright one.
		body: sprite(spriteSize, spriteSize, func(x, y float64) (v, a float64) {
			d := disc(x, y)
			v = 0.74 - 0.26*(x+y)/(2*r)
			v = mix(v, 0.30, edge(math.Abs(d+11)-3.5))
			v = mix(v, 1, edge(-d-7))
			return min(v, 1), edge(d)
		}),
		drone: sprite(spriteSize, spriteSize, func(x, y float64) (v, a float64) {
			d := hexagon(x, y)
			v = 0.62 - 0.22*(x+y)/(2*r)
			v = mix(v, 0.95, edge(-d-8))
			v = mix(v, 0.22, edge(math.Hypot(x-16, y)-21))
			v = mix(v, 1, edge(math.Hypot(x-22, y)-9))
			return min(v, 1), edge(d)
		}),
		barrel: sprite(spriteSize, spriteSize/2, func(x, y float64) (v, a float64) {
			dx, dy := math.Abs(x)-inner/2+14, math.Abs(y)-inner/4+14
			d := math.Hypot(max(dx, 0), max(dy, 0)) + min(max(dx, dy), 0) - 14
			return mix(0.85, 0.35, edge(math.Abs(d+7)-2.5)), edge(d)
		}),
		beam: sprite(32, 32, func(x, y float64) (v, a float64) {
			f := y / 16
			return 1, math.Exp(-6*f*f) * min(1, (x+16)/10)
		}),
	}
}

// edge is how much of a pixel is inside, at a distance from the border.
func edge(d float64) float64 { return min(max(0.5-d, 0), 1) }

func mix(a, b, f float64) float64 { return a + (b-a)*f }

// sprite draws a shape: value and alpha, 0 to 1, at a place in pixels from the middle.
func sprite(w, h int, at func(x, y float64) (v, a float64)) *ebiten.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			v, a := at(float64(x)-float64(w)/2+0.5, float64(y)-float64(h)/2+0.5)
			p := img.Pix[img.PixOffset(x, y):]
			g := uint8(255*v*a + 0.5)
			p[0], p[1], p[2], p[3] = g, g, g, uint8(255*a+0.5)
		}
	}
	return ebiten.NewImageFromImage(img)
}
