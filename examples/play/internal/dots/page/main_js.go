package main

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/play/internal/dots"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/runner/browser"
)

func main() {
	told := 0
	browser.Run(browser.Config{
		Protocol:  dots.Protocol,
		Configure: func(*systems.ClientConfig) {},
		Draw: func(c *systems.Client) {
			n := 0
			for range ecs.All[struct{ At components.Position }](c.View()) {
				n++
			}
			if n != told {
				told = n
				browser.Players(n)
			}
		},
	})
}
