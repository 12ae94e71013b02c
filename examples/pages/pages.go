package pages

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/tactusgo/tactus/examples/stage"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/batch"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems/devtools/inspect"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

// World is an example world with a page.
type World struct {
	// Name is the name of the world's folder in examples.
	Name string
	// GamePort is its web.Config.GamePort. Ports of worlds are ten apart.
	GamePort uint16
	// Command starts it.
	Command string
	// Named reports whether the game shows the names of players.
	Named bool
}

// Worlds lists all worlds with a page.
func Worlds() []World {
	return []World{
		{"arena", 7777, "go run ./examples/arena", true},
		{"custom", 7787, "go run ./examples/custom", false},
		{"platformer", 7797, "go run ./examples/platformer", false},
		{"snake", 7807, "go run ./examples/snake", false},
		{"snowball", 7817, "go run ./examples/snowball", false},
		{"duel", 7827, "go run ./examples/duel", false},
		{"fog", 7847, "go run ./examples/fog", false},
		{"bodies", 7857, "go run ./examples/bodies", false},
		{"physics", 7837, "go -C examples/physics run .", false},
	}
}

// Beside returns a world with sockets, an inspector and its page of examples/stage. The port is the world's in [Worlds].
// Beside panics for a world that is not in Worlds.
func Beside(w runner.World) runner.World {
	w.Listen = map[string]func(string) (netsys.Wire, error){
		"udp": runner.Wire(eventloop.Listen), "batch": runner.Wire(batch.Listen), "ws": runner.Wire(eventloop.ListenWebSocket),
	}
	w.Inspect = runner.Inspect(inspect.Open)
	for _, o := range Worlds() {
		if o.Name == w.Name {
			web.Beside(&w, eventloop.ListenBoth, web.Config{
				GamePort: o.GamePort, Package: "examples/" + w.Name + "/wasm", Title: "Tactus " + w.Name, Dist: Page(w.Name),
			})
			return w
		}
	}
	panic(fmt.Sprintf("pages: Worlds does not name the world %q: give it a port there", w.Name))
}

// Page returns the page of a world, for web.Config.Dist.
func Page(world string) *web.Dist { return &web.Dist{Files: stage.Pages(), Index: world + ".html"} }

// Main is the command of a world, until it is interrupted: see [runner.Main].
func Main(w runner.World, args []string, stdout, stderr io.Writer) (exit int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return runner.Main(ctx, w, args, stdout, stderr)
}
