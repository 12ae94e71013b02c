package paint

import "github.com/hajimehoshi/ebiten/v2"

// brushes are shaders that compute the colour of a pixel from p, its position in the quad in pixels from the middle. Shapes
// use distance functions, so they are sharp at any size and position without a texture.
type brushes struct {
	plain, shape, edged, body, drone, letter *ebiten.Shader
}

// head is the beginning of all shaders.
const head = `//kage:unit pixels
package main

func Fragment(_ vec4, p vec2, color vec4, own vec4) vec4 {
`

// Sources.
const (
	// plainSource covers.
	plainSource = `return color`

	// shapeSource draws all points within the distance own.z of a box with half sizes own.xy: discs, panels and lines. A
	// negative own.x is the width of a ring instead. own.w is the increase of opacity per pixel from the edge inwards.
	shapeSource = `
	deep := own.z - length(max(abs(p)-max(own.xy, 0), 0))
	wide := -min(own.x, 0) + step(0, own.x)*1e6
	f := clamp(min(deep, wide-deep)*own.w, 0, 1)
	return color * (f * f * (3 - 2*f))`

	// edgedSource fills the area where all four distances from edges are positive, and fades out over the next pixel.
	edgedSource = `return color * clamp(min(min(own.x, own.y), min(own.z, own.w)) + 1, 0, 1)`

	// bodySource draws a ball with a rim. Its radius is own.x; its details are scaled from a radius of 56.
	bodySource = `
	size := 56 / own.x
	d := length(p)*size - 56
	v := 0.74 - (p.x+p.y)*size*0.00232
	v = mix(v, 0.3, clamp(0.5+(3.5-abs(d+11))/size, 0, 1))
	v = mix(v, 1, clamp(0.5+(d+7)/size, 0, 1))
	a := clamp(0.5-d/size, 0, 1)
	return vec4(color.rgb*min(v, 1), color.a) * a`

	// droneSource draws a hexagon with round corners and an eye, scaled like bodySource.
	droneSource = `
	size := 56 / own.x
	q := p * size
	m := abs(q)
	far := length(q)
	d := max(m.x*0.866025+m.y*0.5, m.y) - 50.4 + max(far-56, 0)
	v := 0.62 - (q.x+q.y)*0.00196
	v = mix(v, 0.95, clamp(0.5+(d+8)/size, 0, 1))
	v = mix(v, 0.22, clamp(0.5+(21-length(q-vec2(16, 0)))/size, 0, 1))
	v = mix(v, 1, clamp(0.5+(9-length(q-vec2(22, 0)))/size, 0, 1))
	a := clamp(0.5-d/size, 0, 1)
	return vec4(color.rgb*v, color.a) * a`

	// letterSource copies coverage from the sheet of letters, pixel by pixel.
	letterSource = `return color * imageSrc0UnsafeAt(p).a`
)

// newBrushes compiles the shaders. It cannot fail, because they are constant.
func newBrushes() *brushes {
	compile := func(body string) *ebiten.Shader {
		s, err := ebiten.NewShader([]byte(head + body + "\n}\n"))
		if err != nil {
			panic(err)
		}
		return s
	}
	return &brushes{plain: compile(plainSource), shape: compile(shapeSource), edged: compile(edgedSource), body: compile(bodySource), drone: compile(droneSource),
		letter: compile(letterSource)}
}
