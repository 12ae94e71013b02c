//go:build !js

package game

import (
	"flag"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/policy"
)

// World returns the game for package runner. Clients simulate everything under the other models, so these hide nothing.
func World() runner.Game {
	truth := false
	return runner.Game{
		Name:     "fog",
		About:    "Two teams, Walls and view cones: each client knows only what its team sees. -truth lets a page show the rest.",
		Protocol: func(*runner.Options) *ecs.Protocol { return Protocol() },
		Populate: func(w *ecs.World, _ *runner.Options) {
			for _, m := range ecs.Each[struct{ Match *Match }](w) {
				m.Match.Truth = truth
			}
		},
		Rooms: &runner.Rooms{Seats: 8, Bots: 3},
		Bot: func(o *runner.Options, n int) runner.Bot {
			return runner.NewBot((&bot{draw: ecs.NewRand(o.Seed, 1<<32|uint64(n))}).think)
		},
		Place: func(w *ecs.World, e ecs.Entity) (x, y float32, ok bool) {
			pos := ecs.Get[components.Position](w, e)
			if pos == nil {
				return 0, 0, false
			}
			return pos.X, pos.Y, true
		},
		Server: func(_ *runner.Options, c *systems.ServerConfig) { serve(c, truth) },
		Flags: func(fs *flag.FlagSet) {
			fs.BoolVar(&truth, "truth", false, "let clients see everything instead of playing; the page then has a switch for it")
		},
		Defaults: runner.Options{Clients: 7, NPCs: -1},
		Presets:  []policy.Model{policy.LocalSync{}, policy.Buffered{}, policy.CorrectOnMismatch{}, policy.ServerRewind{}},
	}
}
