package browser

import (
	"math"
	"syscall/js"
)

// tile is the distance of the lines on a field, in units. They show how the own player moves.
const tile = 40

// Canvas returns the 2D context of the page's canvas for a new frame, which shows an empty field of width × height units. All of
// the field fits the page. If the page has another shape, such as that of a phone held upright, the field is larger than
// that: it fills three fifths of the page's longer side, and the page shows the part around x, y, such as the place of the own
// player.
//
// The canvas is the element with the id game. If there is none, Canvas adds one, which fills a page of package web.
func Canvas(width, height, x, y float32) js.Value {
	document := js.Global().Get("document")
	canvas := document.Call("getElementById", "game")
	if canvas.IsNull() {
		canvas = document.Call("createElement", "canvas")
		canvas.Set("id", "game")
		document.Get("body").Call("prepend", canvas)
	}
	ratio := min(js.Global().Get("devicePixelRatio").Float(), 2) // more pixels are slow and hardly visible
	size := func(name, client string) float64 {
		n := math.Round(canvas.Get(client).Float() * ratio)
		if canvas.Get(name).Float() != n {
			canvas.Set(name, n)
		}
		return n
	}
	w, h := size("width", "clientWidth"), size("height", "clientHeight")
	across, down := w/float64(width), h/float64(height)
	scale := max(min(across, down), 0.6*max(across, down))
	left := origin(w, scale*float64(width), scale*float64(x))
	top := origin(h, scale*float64(height), scale*float64(y))
	c := canvas.Call("getContext", "2d")
	c.Call("setTransform", 1, 0, 0, 1, 0, 0)
	c.Call("clearRect", 0, 0, w, h)
	c.Call("setTransform", scale, 0, 0, scale, left, top)
	c.Set("fillStyle", "#eef2ee")
	c.Call("fillRect", 0, 0, width, height)
	c.Set("strokeStyle", "#d9e2d9")
	c.Call("beginPath")
	for x := float32(tile); x < width; x += tile {
		c.Call("moveTo", x, 0)
		c.Call("lineTo", x, height)
	}
	for y := float32(tile); y < height; y += tile {
		c.Call("moveTo", 0, y)
		c.Call("lineTo", width, y)
	}
	c.Call("stroke")
	c.Set("strokeStyle", "#000")
	return c
}

// origin returns where the field begins on the page along one axis. at is the point to show. All are in pixels.
func origin(page, field, at float64) float64 {
	if field <= page {
		return (page - field) / 2
	}
	return min(max(page/2-at, page-field), 0)
}
