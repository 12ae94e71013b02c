package main

import (
	"syscall/js"

	"github.com/tactusgo/tactus/examples/more/browsers/internal/dots"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner/browser"
)

func main() {
	document := js.Global().Get("document") // its canvas is where fingers do not scroll
	document.Get("body").Call("append", document.Call("createElement", "canvas"))
	keys := browser.NewKeys()
	browser.Run(browser.Config{
		Protocol: dots.Protocol,
		Configure: func(c *systems.ClientConfig) {
			c.Gather = systems.Gather(func(_ *systems.Client, in *dots.Input) { in.DX = keys.Axis("ArrowLeft", "ArrowRight") })
		},
		Draw: func(*systems.Client) {},
	})
}
