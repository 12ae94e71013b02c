// Command snake runs snakes that cut each other off: a page to play on in a browser, a server, and bots on a bad link.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/examples/snake/game"
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
		GamePort: 7807, Package: "examples/play", Args: []string{"snake"}, Window: "go -C examples/play run . snake -connect", Title: "Tactus snake",
		Keys:  [][2]string{{"A D or arrows", "turn"}, {"Mouse", "turn towards it, while its button is down"}, {"F3", "network"}},
		Touch: "The snake turns where the thumb points.", Others: pages.Others(),
	})
	os.Exit(runner.Main(ctx, w, os.Args[1:], os.Stdout, os.Stderr))
}
