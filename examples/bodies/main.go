//go:build !js

// Command bodies shows 250 colliding asteroids in a browser as a client receives them, with the bytes that this takes. The
// page can make its own link worse. Package scene has the asteroids, and internal/bench/bodies measures them without a browser.
package main

import (
	_ "embed"
	"os"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/bodies/scene"
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

// world returns the scene with a page. Clients only watch.
func world() runner.Game {
	world := runner.Game{
		Name:     "bodies",
		About:    "Asteroids collide, and clients watch. -npcs sets their number.",
		Protocol: func(o *runner.Options) *ecs.Protocol { return scene.Protocol(o.NPCs) },
		Populate: func(w *ecs.World, o *runner.Options) { scene.Populate(w, o.NPCs, o.Seed) },
		Bot:      func(*runner.Options, int) runner.Bot { return watcher{} },
		Inspect:  runner.Inspect(inspect.Open),
		Defaults: runner.Options{Clients: 1, NPCs: 250, Tick: scene.TickRate, Send: scene.SendRate, RTT: -1, Jitter: -1, Loss: -1},
		Presets:  []policy.Model{policy.LocalSync{}},
	}
	web.Beside(&world, eventloop.ListenBoth, web.Config{Package: "examples/bodies", Page: page, GamePort: 7857})
	return world
}

// watcher is a client without input.
type watcher struct{}

func (watcher) Gather() systems.GatherFunc { return systems.GatherFunc{} }
func (watcher) Release()                   {}

func main() { os.Exit(pages.Main(world(), os.Args[1:], os.Stdout, os.Stderr)) }
