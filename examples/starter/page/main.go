//go:build js

// Command page is the client for browsers. It draws on the canvas of web/index.html and reads the keyboard.
//
//	GOOS=js GOARCH=wasm go build -ldflags "-s -w" -o page/web/game.wasm ./page
//	cp "$(go env GOROOT)/lib/wasm/wasm_exec.js" page/web/
package main

import (
	"flag"
	"fmt"
	"log"
	"syscall/js"

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
		if now := keys.Down("c"); now != pressed {
			if pressed = now; now {
				colour = (colour + 1) % uint8(len(game.Colours))
				if err := systems.Command(c, game.Paint{Colour: colour}); err != nil {
					log.Print(err)
				}
			}
		}
	}
	canvas := js.Global().Get("document").Call("getElementById", "game").Call("getContext", "2d")
	canvas.Set("textAlign", "center")
	browser.Run(browser.Config{
		Protocol: game.Protocol,
		Configure: func(c *systems.ClientConfig) {
			who := game.Login{}
			who.Name.Set(flag.Lookup("name").Value.String()) // as typed on the page
			c.Login, c.Gather, c.Prediction.Partial = who, held, held
		},
		Draw: func(c *systems.Client) {
			paint(c)
			draw(c, canvas)
		},
	})
}

// draw draws the view.
func draw(c *systems.Client, canvas js.Value) {
	canvas.Call("clearRect", 0, 0, game.Width, game.Height)
	unit := game.Width / canvas.Get("canvas").Get("clientWidth").Float() // so names have the same size on a phone
	canvas.Set("font", fmt.Sprintf("%gpx sans-serif", 12*unit))
	for d := range game.Look(c) {
		canvas.Set("fillStyle", fmt.Sprintf("#%06x", d.Colour))
		canvas.Call("beginPath")
		canvas.Call("arc", d.X, d.Y, d.R, 0, 7)
		canvas.Call("fill")
		if d.Own {
			canvas.Call("stroke")
		}
		canvas.Call("fillText", d.Name, d.X, d.Y-d.R-4)
	}
}
