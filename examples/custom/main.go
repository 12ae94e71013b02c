// Command custom runs a yard of players who push each other, moving platforms, a
// door and power-ups: the example of a game with components, systems and
// resources of its own. See -h for the flags; -npcs is the number of power-ups,
// and -clients 1 shows that a player alone is never corrected. A player is 40
// units wide, which is what to hold client.p99_error against. -own says which of the
// clients' systems are the game's own.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/tactusgo/tactus/examples/custom/game"
	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/batch"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems/inspect"
	"github.com/tactusgo/tactus/systems/runner"
	"github.com/tactusgo/tactus/systems/runner/web"
)

// world is the game with sockets, an inspector, and a page to play on.
func world() runner.World {
	w := game.World()
	w.Listen = map[string]func(string) (netsys.Wire, error){
		"udp": runner.Wire(eventloop.Listen), "batch": runner.Wire(batch.Listen), "ws": runner.Wire(eventloop.ListenWebSocket),
	}
	w.Inspect = runner.Inspect(inspect.Open)
	web.Beside(&w, eventloop.ListenBoth, web.Config{
		GamePort: 7787, Package: "examples/play", Args: []string{"custom"},
		Window: "go -C examples/play run . custom -connect",
		Title:  "Tactus custom",
		Keys:   [][2]string{{"W A S D or arrows", "walk"}, {"F3", "network"}},
		Touch:  "Touch: a thumb walks.",
		Others: pages.Others(),
	})
	return w
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(runner.Main(ctx, world(), os.Args[1:], os.Stdout, os.Stderr))
}
