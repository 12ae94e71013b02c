//go:build !js

package game

import (
	"flag"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/policy"
)

// World describes the game to the runner, without sockets and inspector.
func World() runner.Game {
	own := systems.ClientSystems{Interpolate: Draw}
	return runner.Game{
		Name: "custom",
		About: "Players who push each other, platforms, a door and power-ups (-npcs of them).\n" +
			"A player is 40 units wide: hold client.p99_error against it. With -clients 1\n" +
			"nobody is in the way, and client.corrections is 0.",
		Protocol: func(*runner.Options) *ecs.Protocol { return Protocol() },
		Populate: func(w *ecs.World, o *runner.Options) { Populate(w, o.NPCs) },
		Rooms:    &runner.Rooms{Seats: 8, Bots: 3},
		Bot:      func(o *runner.Options, n int) runner.Bot { return NewBot(o.Seed, n) },
		Presets:  []policy.Model{policy.LocalSync{}, policy.Buffered{}, policy.CorrectOnMismatch{}}, // others simulate ticks again, without Census and Rank
		Place:    Place,
		Push:     Push,
		Server:   func(_ *runner.Options, c *systems.ServerConfig) { c.Schedule = ServerSchedule },
		Client: func(_ *runner.Options, c *systems.ClientConfig) {
			c.Schedule, c.Systems = ClientSchedule, own
		},
		Flags: func(fs *flag.FlagSet) {
			fs.Func("own", "clients' `systems` that are the game's own, of inputgather,predict,reconcile or shift,interpolate (default interpolate);\n"+
				"with inputgather everybody walks a recording", func(names string) (err error) {
				own, err = Systems(names)
				return err
			})
		},
	}
}
