//go:build js

package main

import (
	"cmp"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner/browser"
)

func main() {
	keys := browser.NewKeys()
	run := systems.Gather(func(_ *systems.Client, in *Move) {
		in.DX, in.DY = keys.Axis("ArrowLeft", "ArrowRight"), keys.Axis("ArrowUp", "ArrowDown")
	})
	browser.Run(browser.Config{
		Protocol:  Protocol,
		Configure: func(c *systems.ClientConfig) { c.Gather, c.Prediction.Partial = run, run }, // for each tick, and for each frame
		Draw:      draw,
	})
}

// draw draws the players of the view. Red players must catch the others. The client's own player has an outline, and the HUD.
func draw(c *systems.Client) {
	me, _ := c.Own(c.View())
	at := cmp.Or(ecs.Get[Place](c.View(), me), &Place{320, 200}) // the middle, before this client has a player
	canvas := browser.Canvas(640, 400, at.X, at.Y)
	canvas.Set("lineWidth", 3)
	canvas.Set("textAlign", "center")
	for e, p := range ecs.All[struct {
		Place Place
		It    It
	}](c.View()) {
		canvas.Set("fillStyle", map[bool]string{false: "#4a90d9", true: "#d94a4a"}[p.It.Is])
		canvas.Call("beginPath")
		canvas.Call("arc", p.Place.X, p.Place.Y, 10, 0, 7)
		canvas.Call("fill")
		if e == me {
			canvas.Call("stroke")
		}
		canvas.Set("fillStyle", "#222")
		canvas.Call("fillText", hud(c, e == me, p.It), p.Place.X, p.Place.Y-16)
	}
}
