//go:build !js

// Command fog is a game of two teams that shows interest management: each client knows only what its team sees. Players
// have view cones, walls block them, and a player whom an opponent touches from outside of the cone goes back to the base.
//
//   - vision.go has the eyes and the rules: a grid around the team, a filter for cones and walls, and HiddenUnless.
//   - game.go has the players, bot.go the bots, page.go and page.html the page.
//
// With -truth, the page can open a second connection that sees everything and shows hidden players as ghosts. Without it
// the server refuses such connections.
package main

import (
	_ "embed"
	"flag"
	"os"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/inspect"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
	"github.com/tactusgo/tactus/systems/policy"
)

//go:embed page.html
var page string

// world returns the game with a page to play on. Clients simulate everything under the other models, so these hide nothing.
func world() runner.World {
	truth := false
	world := runner.World{
		Name:     "fog",
		About:    "Two teams, walls and view cones: each client knows only what its team sees. -truth lets a page show the rest.",
		Protocol: func(*runner.Options) *ecs.Protocol { return protocol() },
		Populate: func(w *ecs.World, _ *runner.Options) {
			for _, m := range ecs.Each[struct{ Match *Match }](w) {
				m.Match.Truth = truth
			}
		},
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
		Inspect:  runner.Inspect(inspect.Open),
		Defaults: runner.Options{Clients: 7, NPCs: -1},
		Presets:  []policy.Model{policy.LocalSync{}, policy.Buffered{}, policy.CorrectOnMismatch{}, policy.ServerRewind{}},
	}
	web.Beside(&world, eventloop.ListenBoth, web.Config{Package: "examples/fog", Page: page, GamePort: 7847})
	return world
}

func main() { os.Exit(pages.Main(world(), os.Args[1:], os.Stdout, os.Stderr)) }
