// Command physics runs a yard of balls and crates: a page to play on in a browser, a server, and bots on a bad link. It is a module of its
// own: go -C examples/physics run .
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/examples/physics/game"
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
		GamePort: 7837, Package: "examples/play", Args: []string{"physics"}, Window: "go -C examples/play run . physics -connect", Title: "Tactus physics",
		Keys:  [][2]string{{"A D or arrows", "roll"}, {"Space or W", "jump"}, {"F3", "network"}},
		Touch: "Left thumb rolls; the round button jumps.", Others: pages.Others(),
	})
	os.Exit(runner.Main(ctx, w, os.Args[1:], os.Stdout, os.Stderr))
}
