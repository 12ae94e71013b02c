package pages

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

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

// Others lists the worlds other than one, for web.Config.Others.
func Others(than string) (all []web.Other) {
	for _, w := range Worlds() {
		if w.Name != than {
			all = append(all, web.Other{Name: w.Name, Command: w.Command})
		}
	}
	return all
}

// Three is the page in three.js of a world whose client is drawn in examples/three too, for web.Config.Dist; nil for others.
func Three(world string) *web.Dist {
	switch world {
	case "arena", "platformer":
		return &web.Dist{
			Folder: "examples/three/dist", Index: world + ".html", Path: "/three/", Name: "three.js",
			Command: "npm --prefix examples/three ci && npm --prefix examples/three run build",
		}
	}
	return nil
}

// Beside returns a world with sockets, an inspector, and a page whose client is examples/play. The port is the world's in
// [Worlds]. rules, keys and touch are texts on the page, as in web.Config. Beside panics for a world that is not in Worlds.
func Beside(w runner.World, rules string, keys [][2]string, touch string) runner.World {
	w.Listen = map[string]func(string) (netsys.Wire, error){
		"udp": runner.Wire(eventloop.Listen), "batch": runner.Wire(batch.Listen), "ws": runner.Wire(eventloop.ListenWebSocket),
	}
	w.Inspect = runner.Inspect(inspect.Open)
	for _, o := range Worlds() {
		if o.Name == w.Name {
			web.Beside(&w, eventloop.ListenBoth, web.Config{
				GamePort: o.GamePort, Package: "examples/play", Args: []string{w.Name}, Title: "Tactus " + w.Name,
				Window: "go -C examples/play run . " + w.Name + " -connect", Rules: rules, Nameless: !o.Named, Keys: keys, Touch: touch, Others: Others(w.Name), Dist: Three(w.Name),
			})
			return w
		}
	}
	panic(fmt.Sprintf("pages: Worlds does not name the world %q: give it a port there", w.Name))
}

// Main is the command of a world, until it is interrupted: see [runner.Main].
func Main(w runner.World, args []string, stdout, stderr io.Writer) (exit int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return runner.Main(ctx, w, args, stdout, stderr)
}
