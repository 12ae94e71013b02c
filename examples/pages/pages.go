package pages

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path"
	"strings"

	"github.com/tactusgo/tactus/examples/stage"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems/devtools/inspect"
	"github.com/tactusgo/tactus/systems/devtools/operator"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
	"github.com/tactusgo/tactus/systems/rooms"
)

// World is an example world with a page.
type World struct {
	// Name is the name of the world's folder.
	Name string `json:"name"`
	// GamePort is its web.Config.GamePort. Ports of worlds are ten apart.
	GamePort uint16 `json:"-"`
	// Command starts it.
	Command string `json:"command"`
	// Title, About and Model are its title, a sentence about it, and the model of netcode that it shows.
	Title string `json:"title"`
	About string `json:"about"`
	Model string `json:"model"`
}

// Folder returns the world's folder in the checkout, which its command names.
func (w World) Folder() string {
	switch words := strings.Fields(w.Command); {
	case len(words) > 4 && words[1] == "-C":
		return path.Join(words[2], words[4])
	case len(words) > 2:
		return path.Clean(words[2])
	}
	return ""
}

// Worlds lists all worlds with a page.
func Worlds() []World {
	return []World{
		{"arena", 7777, "go run ./examples/arena", "Arena", "Shots that hit what you saw, on any link.", "LocalSync"},
		{"platformer", 7797, "go run ./examples/platformer", "Platformer", "Jumps, ramps and moving platforms without a correction.", "Buffered"},
		{"snake", 7807, "go run ./examples/snake", "Snake", "Deaths that a late input can still undo.", "ServerRewind"},
		{"snowball", 7817, "go run ./examples/snowball", "Snowball fight", "Snowballs leave your hand at once, and hit what you aimed at.", "CorrectOnMismatch"},
		{"duel", 7827, "go run ./examples/duel", "Duel", "Two fighters, for whom a tick decides.", "Rollback"},
		{"physics", 7837, "go -C examples/more run ./physics", "Ball yard", "A physics library, rolled back and simulated again.", "Rollback"},
		{"custom", 7787, "go run ./examples/custom", "Bumper yard", "Players who push each other, a door, and platforms to ride.", "LocalSync"},
		{"fog", 7847, "go run ./examples/fog", "Fog", "Each client knows only what its team sees.", "LocalSync"},
		{"bodies", 7857, "go run ./examples/bodies", "Bodies", "Hundreds of colliding asteroids in a few kilobytes a second.", "LocalSync"},
	}
}

// Beside returns a world with sockets, an inspector and its page of examples/stage. The port is the world's in [Worlds]. The
// functions change the configuration of the page. Beside panics for a world that is not in Worlds.
func Beside(w runner.Game, change ...func(*web.Config)) runner.Game {
	w.Listen = map[string]func(string) (netsys.Wire, error){
		"udp": runner.Wire(eventloop.Listen), "ws": runner.Wire(eventloop.ListenWebSocket),
	}
	w.Inspect = runner.Inspect(inspect.Open)
	for _, o := range Worlds() {
		if o.Name == w.Name {
			c := web.Config{
				GamePort: o.GamePort, Package: o.Folder() + "/wasm", Title: "Tactus " + w.Name, Dist: Page(w.Name),
				Operator: func(s *rooms.Server, broadcast func(*rooms.Room, string) error, out io.Writer) (web.OperatorPage, error) {
					return operator.Open(s, broadcast, out)
				},
			}
			for _, f := range change {
				f(&c)
			}
			web.Beside(&w, eventloop.ListenBoth, c)
			return w
		}
	}
	panic(fmt.Sprintf("pages: Worlds does not name the world %q: give it a port there", w.Name))
}

// Page returns the page of a world, for web.Config.Dist.
func Page(world string) *web.Dist { return &web.Dist{Files: stage.Pages(), Index: world + ".html"} }

// Main is the command of a world, until it is interrupted: see [runner.Main].
func Main(w runner.Game, args []string, stdout, stderr io.Writer) (exit int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return runner.Main(ctx, w, args, stdout, stderr)
}
