//go:build js

// Command page is the client for browsers. It draws on the canvas of web/index.html and reads the keyboard. README.md
// shows how to build it.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"log"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner/browser"

	"github.com/tactusgo/tactus/examples/starter/game"
)

func main() {
	keys := browser.NewKeys()
	held := systems.Gather(func(_ *systems.Client, in *game.Move) {
		in.DX, in.DY = keys.Axis("ArrowLeft", "ArrowRight"), keys.Axis("ArrowUp", "ArrowDown")
	})
	colour, pressed := uint8(0), false
	paint := func(c *systems.Client) { // C requests the next colour
		_, plays := c.Own(c.View())
		if now := keys.Down("c"); plays && now != pressed {
			if pressed = now; now {
				colour = (colour + 1) % uint8(len(game.Colours))
				if err := systems.Command(c, game.Paint{Colour: colour}); err != nil {
					log.Print(err)
				}
			}
		}
	}
	newest := "" // event
	browser.Run(browser.Config{
		Protocol: game.Protocol,
		Configure: func(c *systems.ClientConfig) {
			who := game.Login{}
			who.Name.Set(flag.Lookup("name").Value.String()) // as typed on the page
			c.Login, c.Gather, c.Prediction.Partial = who, held, held
			game.Listen(c, func(line string) { newest = line })
		},
		Draw: func(c *systems.Client) {
			paint(c)
			draw(c, newest)
		},
	})
}

// draw draws the view, and the newest event below it.
func draw(c *systems.Client, newest string) {
	me, _ := c.Own(c.View())
	at := cmp.Or(ecs.Get[game.Place](c.View(), me), &game.Place{X: game.Width / 2, Y: game.Height / 2})
	canvas := browser.Canvas(game.Width, game.Height, at.X, at.Y)
	canvas.Set("font", "12px sans-serif")
	canvas.Set("textAlign", "center")
	canvas.Set("lineWidth", 3)
	canvas.Set("fillStyle", "#333")
	canvas.Call("fillText", newest, game.Width/2, game.Height-8)
	for d := range game.Look(c) {
		canvas.Set("fillStyle", fmt.Sprintf("#%06x", d.Colour))
		canvas.Call("beginPath")
		canvas.Call("arc", d.X, d.Y, d.R, 0, 7)
		canvas.Call("fill")
		if d.Own {
			canvas.Call("stroke")
		}
		canvas.Set("fillStyle", "#333")
		y := d.Y - d.R - 4
		if y < 12 {
			y = d.Y + d.R + 12 // below a player at the upper edge
		}
		canvas.Call("fillText", d.Name, d.X, y)
	}
}
