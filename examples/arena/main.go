// Command arena runs the arena: a server, eight bots over real UDP through a bad link, a page to play on in a browser, and
// a live table of network figures. With -rooms it runs many matches and a lobby. -h lists the flags.
package main

import (
	"os"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// world returns the game with sockets, an inspector and a page to play on.
func world() runner.Game { return pages.Beside(game.World()) }

func main() {
	os.Exit(pages.Main(world(), os.Args[1:], os.Stdout, os.Stderr))
}
