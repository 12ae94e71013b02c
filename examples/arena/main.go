// Command arena runs the arena: a server and eight bots over real UDP through a
// bad link, a page to play on in a browser, and a live table of what the network does.
// See -h for the flags.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/batch"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems/inspect"
	"github.com/tactusgo/tactus/systems/runner"
	"github.com/tactusgo/tactus/systems/runner/web"
)

// world is the arena with sockets, an inspector, and a page to play on.
func world() runner.World {
	w := game.World()
	w.Listen = map[string]func(string) (netsys.Wire, error){
		"udp": runner.Wire(eventloop.Listen), "batch": runner.Wire(batch.Listen), "ws": runner.Wire(eventloop.ListenWebSocket),
	}
	w.Inspect = runner.Inspect(inspect.Open)
	web.Beside(&w, eventloop.ListenBoth, web.Config{
		GamePort: 7777, Package: "examples/play", Args: []string{"arena"},
		Window: "go -C examples/play run . arena -connect",
		Title:  "Tactus arena",
		Keys:   [][2]string{{"W A S D or arrows", "move"}, {"Mouse", "aim, click or Space shoots"}, {"Enter", "chat"}, {"F3", "network"}},
		Touch:  "Touch: left thumb moves, right thumb aims and shoots.",
		Others: pages.Others(),
	})
	return w
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(runner.Main(ctx, world(), os.Args[1:], os.Stdout, os.Stderr))
}
