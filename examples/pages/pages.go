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
	"github.com/tactusgo/tactus/systems/inspect"
	"github.com/tactusgo/tactus/systems/runner"
	"github.com/tactusgo/tactus/systems/runner/web"
)

// Others are all worlds with a page, for web.Config.Others. Their ports are ten apart.
func Others() []web.Other {
	return []web.Other{
		{Name: "arena", GamePort: 7777, Command: "go run ./examples/arena"},
		{Name: "custom", GamePort: 7787, Command: "go run ./examples/custom"},
		{Name: "platformer", GamePort: 7797, Command: "go run ./examples/platformer"},
		{Name: "snake", GamePort: 7807, Command: "go run ./examples/snake"},
		{Name: "snowball", GamePort: 7817, Command: "go run ./examples/snowball"},
		{Name: "duel", GamePort: 7827, Command: "go run ./examples/duel"},
		{Name: "physics", GamePort: 7837, Command: "go -C examples/physics run ."},
	}
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

// Beside is a world with sockets, an inspector, and a page to play on, whose client is examples/play: at the port that
// [Others] has for its name. keys and touch say on the page what one presses, as in web.Config. It panics for a
// world that Others does not name.
func Beside(w runner.World, keys [][2]string, touch string) runner.World {
	w.Listen = map[string]func(string) (netsys.Wire, error){
		"udp": runner.Wire(eventloop.Listen), "batch": runner.Wire(batch.Listen), "ws": runner.Wire(eventloop.ListenWebSocket),
	}
	w.Inspect = runner.Inspect(inspect.Open)
	for _, o := range Others() {
		if o.Name == w.Name {
			web.Beside(&w, eventloop.ListenBoth, web.Config{
				GamePort: o.GamePort, Package: "examples/play", Args: []string{w.Name}, Title: "Tactus " + w.Name,
				Window: "go -C examples/play run . " + w.Name + " -connect", Keys: keys, Touch: touch, Others: Others(), Dist: Three(w.Name),
			})
			return w
		}
	}
	panic(fmt.Sprintf("pages: Others does not name the world %q: give it a port there", w.Name))
}

// Main is the command of a world, until it is interrupted: see [runner.Main].
func Main(w runner.World, args []string, stdout, stderr io.Writer) (exit int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return runner.Main(ctx, w, args, stdout, stderr)
}
