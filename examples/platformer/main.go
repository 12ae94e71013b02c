// Command platformer runs a platformer in three dimensions: a page to play on in a browser, a server, and bots on a bad link.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/examples/platformer/game"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems/inspect"
	"github.com/tactusgo/tactus/systems/runner"
	"github.com/tactusgo/tactus/systems/runner/web"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	w := game.World()
	w.Listen = map[string]func(string) (netsys.Wire, error){"udp": runner.Wire(eventloop.Listen), "ws": runner.Wire(eventloop.ListenWebSocket)}
	w.Inspect = runner.Inspect(inspect.Open)
	web.Beside(&w, eventloop.ListenBoth, web.Config{
		GamePort: 7797, Package: "examples/play", Args: []string{"platformer"}, Window: "go -C examples/play run . platformer -connect", Title: "Tactus platformer",
		Keys:  [][2]string{{"W A S D or arrows", "walk"}, {"Space", "jump"}, {"Mouse, or Q and E", "turn the camera"}, {"F3", "network"}},
		Touch: "Left thumb walks, right thumb turns the camera, a button jumps.", Others: pages.Others(),
	})
	os.Exit(runner.Main(ctx, w, os.Args[1:], os.Stdout, os.Stderr))
}
