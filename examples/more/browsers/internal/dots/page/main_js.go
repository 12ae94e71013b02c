package main

import (
	"github.com/tactusgo/tactus/examples/more/browsers/internal/dots"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner/browser"
)

func main() {
	keys := browser.NewKeys()
	browser.Run(browser.Config{
		Protocol: dots.Protocol,
		Configure: func(c *systems.ClientConfig) {
			c.Gather = systems.Gather(func(_ *systems.Client, in *dots.Input) { in.DX = keys.Axis("ArrowLeft", "ArrowRight") })
		},
		Draw: func(*systems.Client) {},
	})
}
