// Command duel runs a duel: a page to play on in a browser, a server, and bots on a bad link: who
// opens the page takes the place of a bot, so two who do fight each other.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/tactusgo/tactus/examples/duel/game"
	"github.com/tactusgo/tactus/examples/pages"
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
		GamePort: 7827, Package: "examples/play", Args: []string{"duel"}, Window: "go -C examples/play run . duel -connect", Title: "Tactus duel",
		Keys:  [][2]string{{"A D or arrows", "walk"}, {"J or Space", "strike"}, {"K or S", "guard"}, {"F3", "network"}},
		Touch: "Left thumb walks; round buttons strike and guard.", Others: pages.Others(),
	})
	os.Exit(runner.Main(ctx, w, os.Args[1:], os.Stdout, os.Stderr))
}
