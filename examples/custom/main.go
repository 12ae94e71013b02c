// Command custom runs a yard of players who push each other, moving platforms, a
// door and power-ups: the example of a game with components, systems and
// resources of its own. See -h for the flags; -npcs is the number of power-ups,
// and -clients 1 shows that a player alone is never corrected. A player is 40
// units wide, which is what to hold client.p99_error against. -own says which of the
// clients' systems are the game's own.
package main

import (
	"context"
	"flag"
	"os"
	"os/signal"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/custom/game"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/batch"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/inspect"
	"github.com/tactusgo/tactus/systems/runner"
)

// world is the game as the runner needs to know it.
func world() runner.World {
	own := systems.ClientSystems{Interpolate: game.Draw}
	return runner.World{
		Name: "custom",
		About: "Players who push each other, platforms, a door and power-ups (-npcs of them).\n" +
			"A player is 40 units wide: hold client.p99_error against it. With -clients 1\n" +
			"nobody is in the way, and client.corrections is 0.",
		Protocol: func(*runner.Options) *ecs.Protocol { return game.Protocol() },
		Populate: func(w *ecs.World, o *runner.Options) { game.Populate(w, o.NPCs) },
		Join:     func(w *ecs.World, _ *runner.Options, client uint32) { game.Join(w, client) },
		Bot:      func(o *runner.Options, n int) runner.Bot { return game.NewBot(o.Seed, n) },
		Place:    game.Place,
		Push:     game.Push,
		Server:   func(_ *runner.Options, c *systems.ServerConfig) { c.Schedule = game.ServerSchedule },
		Client: func(_ *runner.Options, c *systems.ClientConfig) {
			c.Schedule, c.Systems = game.ClientSchedule, own
		},
		Flags: func(fs *flag.FlagSet) {
			fs.Func("own", "clients' `systems` that are the game's own, of inputgather,predict,reconcile,interpolate (default interpolate);\n"+
				"with inputgather everybody walks a recording", func(names string) (err error) {
				own, err = game.Systems(names)
				return err
			})
		},
		Listen: map[string]func(string) (netsys.Wire, error){
			"udp": runner.Wire(eventloop.Listen), "batch": runner.Wire(batch.Listen), "ws": runner.Wire(eventloop.ListenWebSocket),
		},
		Inspect: runner.Inspect(inspect.Open),
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(runner.Main(ctx, world(), os.Args[1:], os.Stdout, os.Stderr))
}
