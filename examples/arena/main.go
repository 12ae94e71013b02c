// Command arena runs the arena: a server and eight bots over real UDP through a
// bad link, with a live table of what the network does. See -h for the flags.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/internal/headless"
	"github.com/tactusgo/tactus/systems"
)

// world is the arena as the runner needs to know it.
func world() headless.World {
	return headless.World{
		Name:     "arena",
		Protocol: func(*headless.Options) *ecs.Protocol { return game.Protocol() },
		Populate: func(w *ecs.World, o *headless.Options) { game.Populate(w, o.Clients, o.NPCs) },
		Join:     func(w *ecs.World, _ *headless.Options, client uint32) { game.Join(w, client) },
		Bot: func(o *headless.Options, n int) headless.Bot {
			return game.NewBot(o.Seed, n, o.Clients)
		},
		Place: game.Place,
		Push:  game.Push,
		// Players run 10 units between two snapshots.
		Damping: systems.Damping{Rate: 15, Snap: 50},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(headless.Main(ctx, world(), os.Args[1:], os.Stdout, os.Stderr))
}
