//go:build !js && !window

// Command first is a game of tag in the browser. docs/guide/first-game.md builds it step by step from an empty folder.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

func main() {
	world := runner.Game{
		Name:     "first",
		Protocol: func(*runner.Options) *ecs.Protocol { return Protocol() },
		Bot: func(_ *runner.Options, n int) runner.Bot { // it runs back and forth
			return runner.NewBot(func(c *systems.Client, in *Move) {
				t := int(c.World().Tick())
				in.DX, in.DY = int8((t/60+n)%3-1), int8((t/45+n)%3-1)
			})
		},
		Defaults: runner.Options{Clients: 3, NPCs: -1}, // no entities except players
	}
	web.Beside(&world, eventloop.ListenBoth, web.Config{
		Package: ".", Title: "Tag", Rules: "Red catches. Blue runs away. You have an outline.",
		Keys: [][2]string{{"arrow keys", "run"}}, Touch: "Run with a thumb, anywhere on the screen.",
	})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(runner.Main(ctx, world, os.Args[1:], os.Stdout, os.Stderr))
}
